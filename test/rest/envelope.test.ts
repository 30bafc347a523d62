import { describe, expect, it } from 'vitest'
import {
  ClosedError,
  ConflictError,
  MissingDependencyError,
  NotFoundError,
  NotOfferedError,
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

  it('of a failure may have headers of its own', () => {
    const headers = { Allow: 'GET' }
    const reply = fail({ status: 405, error: 'method_not_allowed', headers }, 'r1')
    expect(reply.headers).toEqual(headers)
    expect(reply.body).toEqual({ ok: false, error: 'method_not_allowed', request_id: 'r1' })
    expect(fail({ status: 429, error: 'x', retry_after: 1, headers }, 'r1').headers).toEqual({
      ...headers,
      'Retry-After': '1',
    })
    expect(fail({ status: 404, error: 'x' }, 'r1').headers).toEqual({})
    expect(ok({})).toEqual({ status: 200, body: { ok: true }, headers: {} })
  })

  it.each<[string, Uint8Array | string, string]>([
    ['a text as text', 'OK', 'text/plain; charset=utf-8'],
    ['bytes as JSON', Buffer.from('OK'), 'application/json; charset=utf-8'],
  ])('sends %s', async (_, body, type) => {
    const reply = { status: 202, body, headers: { 'Cache-Control': 'no-cache', 'X-A': '2' } }
    const response = toResponse(reply, new Headers({ 'X-A': '1', 'X-B': '3' }), get)
    expect([response.status, await response.text()]).toEqual([202, 'OK'])
    expect(Object.fromEntries(response.headers)).toEqual({
      ...{ 'cache-control': 'no-cache', 'content-type': type, 'x-a': '2', 'x-b': '3' },
      'x-content-type-options': 'nosniff',
    })
  })

  it('without a body has no type', async () => {
    const reply = { status: 304, body: null, headers: {} }
    const response = toResponse(reply, new Headers(), get)
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(response.headers.has('content-type')).toBe(false)
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
  const warned: unknown[] = []
  const logger = {
    ...silentLogger,
    error: (fields: object, text: string) => void logged.push({ ...fields, text }),
    warn: (fields: object, text: string) => void warned.push({ ...fields, text }),
  }
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

  it.each([null, 'url', 5])('has no fields where they are %j', (fields) => {
    const error = Object.assign(new ConflictError('paused', 'The monitor is paused'), { fields })
    const expected = { status: 409, error: 'paused', message: 'The monitor is paused' }
    expect(told(error)).toEqual(expected)
  })

  it('of the store is logged as a warning, and told to come again in five seconds', () => {
    warned.length = 0
    const text = 'a request could not be served'
    const error = new StorageError('disk full at /var/lib/x')
    expect(told(error)).toEqual({
      ...{ status: 503, error: 'storage', retry_after: 5 },
      message: 'The storage does not answer; nothing was changed',
    })
    expect(told(new ClosedError('stopping')).message).toBe('The service is starting or stopping')
    expect(warned).toEqual([
      { route: '/x', err: error, text },
      { route: '/x', err: expect.any(ClosedError) as ClosedError, text },
    ])
  })

  it('of a client is told in its own words, and not logged', () => {
    warned.length = 0
    expect(told(new ConflictError('paused', 'The monitor is paused'))).toEqual({
      ...{ status: 409, error: 'paused', message: 'The monitor is paused' },
    })
    expect(warned).toEqual([])
  })

  it('of what the store has no place for says that it is not offered', () => {
    expect(told(new NotOfferedError('x'))).toMatchObject({
      ...{ status: 501, error: 'not_offered' },
      message: 'The storage of this service has no place for it',
    })
  })

  it('of a request that the engine never saw is what it says, under its own name', () => {
    const failure = { status: 415, error: 'unsupported_media_type', message: 'JSON is expected' }
    const error = new HttpError(failure)
    expect(told(error)).toBe(failure)
    expect([error.code, error.message]).toEqual(['unsupported_media_type', 'JSON is expected'])
    expect(new HttpError({ status: 400, error: 'bad' }).message).toBe('bad')
  })

  it('of ours is logged in full and told in neutral words', () => {
    logged.length = 0
    const error = new TypeError('x is undefined: secret-1')
    expect(JSON.stringify(told(error))).not.toContain('secret-1')
    const text = 'a request failed unexpectedly'
    expect(logged).toEqual([{ route: '/x', err: error, text }])
    expect(told(error).message).toBe('Something went wrong on our side')
    expect(JSON.stringify(told(new StorageError('disk full at /var/lib/x')))).not.toContain('/var')
  })
})
