import { describe, expect, it } from 'vitest'
import {
  ClosedError,
  ConflictError,
  MissingDependencyError,
  NotFoundError,
  StorageError,
  ValidationError,
} from '../../src/errors.ts'
import { fail, ok, toResponse } from '../../src/rest/envelope.ts'
import { failureOf, HttpError } from '../../src/rest/http-error.ts'
import { silentLogger } from '../../src/logger.ts'

const get = { head: false }

describe('the envelope', () => {
  it('puts ok before what was asked for', async () => {
    const response = toResponse(ok({ monitor: { id: 1 } }, { status: 201 }), new Headers(), get)
    expect(response.status).toBe(201)
    expect(await response.text()).toBe('{"ok":true,"monitor":{"id":1}}')
  })

  it('of a failure holds the code, the request id and only what there is to say', async () => {
    const reply = fail({ status: 404, error: 'not_found', message: 'gone' }, 'r1')
    const response = toResponse(reply, new Headers(), get)
    expect(await response.json()).toEqual({
      ok: false,
      error: 'not_found',
      message: 'gone',
      request_id: 'r1',
    })
  })

  it('repeats retry_after as a header', () => {
    const reply = fail({ status: 429, error: 'rate_limited', retry_after: 12 }, 'r1')
    expect(reply).toMatchObject({ body: { retry_after: 12 }, headers: { 'Retry-After': '12' } })
  })

  it('has no body for HEAD, but the headers of GET', async () => {
    const response = toResponse(ok({}), new Headers({ 'X-A': '1' }), { head: true })
    expect(await response.text()).toBe('')
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-a': '1',
      'x-content-type-options': 'nosniff',
    })
  })
})

describe('an error', () => {
  const logged: unknown[] = []
  const logger = { ...silentLogger, error: (fields: object) => void logged.push(fields) }
  const told = (error: unknown) => failureOf(error, { logger, about: { route: '/x' } })

  it.each([
    [new ValidationError({ url: 'required' }), 422, 'validation'],
    [new NotFoundError('monitor'), 404, 'not_found'],
    [new ConflictError('paused', 'The monitor is paused'), 409, 'paused'],
    [new ConflictError('version_mismatch', 'Another version'), 412, 'version_mismatch'],
    [new StorageError('disk full at /var/lib/x'), 503, 'storage'],
    [new ClosedError('stopping'), 503, 'unavailable'],
    [
      new HttpError({ status: 415, error: 'unsupported_media_type' }),
      415,
      'unsupported_media_type',
    ],
    [new MissingDependencyError('pg'), 500, 'internal'],
    [new TypeError('x is undefined: secret-1'), 500, 'internal'],
    ['a thrown text', 500, 'internal'],
    [undefined, 500, 'internal'],
  ])('%s becomes %d %s', (error, status, code) => {
    expect(told(error)).toMatchObject({ status, error: code })
  })

  it('of validation is told by its fields alone', () => {
    expect(told(new ValidationError({ url: 'required' }))).toEqual({
      status: 422,
      error: 'validation',
      fields: { url: 'required' },
    })
  })

  it('of ours is logged in full and told in neutral words', () => {
    logged.length = 0
    const error = new TypeError('x is undefined: secret-1')
    expect(JSON.stringify(told(error))).not.toContain('secret-1')
    expect(logged).toEqual([{ route: '/x', err: error }])
    expect(JSON.stringify(told(new StorageError('disk full at /var/lib/x')))).not.toContain('/var')
  })
})
