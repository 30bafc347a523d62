/** Entity tags, and what a request that names one gets. */
import { describe, expect, it } from 'vitest'
import { ConflictError } from '../../src/errors.ts'
import { ok } from '../../src/rest/envelope.ts'
import {
  documentReply,
  ifMatch,
  monitorReply,
  requiredVersion,
  unlessKnown,
  versionedReply,
} from '../../src/rest/etag.ts'
import type { Call } from '../../src/rest/operation.ts'

const request = (headers: Record<string, string> = {}) =>
  new Request('http://watch.test/', { headers })
const tagOf = (reply: { headers: Readonly<Record<string, string>> }) => reply.headers['ETag']

describe('the entity tag', () => {
  it('of what has a version is the version and a digest of what is shown', () => {
    const reply = monitorReply({ version: 7 }, { status: 201, headers: { Location: '/x' } })
    expect(reply).toMatchObject({ status: 201, body: { ok: true, monitor: { version: 7 } } })
    expect(reply.headers).toEqual({ Location: '/x', ETag: tagOf(reply) })
    expect(tagOf(reply)).toMatch(/^"7\.[\w-]{12}"$/)
    const up = monitorReply({ version: 7, state: 'up' } as never)
    expect(tagOf(up)).toMatch(/^"7\./)
    expect(tagOf(up)).not.toBe(tagOf(reply))
    expect(tagOf(monitorReply({ version: 7, state: 'up' } as never))).toBe(tagOf(up))
  })

  it('is that of the resource, whatever else is in the body', () => {
    const page = { version: 3 }
    const reply = versionedReply({ page }, { also: { warnings: ['x'] } })
    expect(reply.body).toEqual({ ok: true, warnings: ['x'], page })
    expect(tagOf(reply)).toBe(tagOf(versionedReply({ page })))
  })

  it('of a document is a digest of its bytes, which clients ask for again each time', () => {
    const reply = documentReply({ openapi: '3.1.0' })
    expect(reply.status).toBe(200)
    expect(Buffer.from(reply.body as Uint8Array).toString()).toBe('{"openapi":"3.1.0"}')
    expect(reply.headers).toEqual({ ETag: tagOf(reply), 'Cache-Control': 'no-cache' })
    expect(tagOf(reply)).toMatch(/^"[\w-]{16}"$/)
    expect(tagOf(documentReply({ openapi: '3.1.1' }))).not.toBe(tagOf(reply))
  })
})

describe('If-None-Match', () => {
  const reply = ok({}, { headers: { ETag: '"1.abc"', 'X-A': 'b' } })
  const answer = (tags?: string, of = reply) =>
    unlessKnown(of, request(tags === undefined ? {} : { 'if-none-match': tags }))

  it.each(['"1.abc"', 'W/"1.abc"', '"2.x", "1.abc"', '"2.x",W/"1.abc" ', '*'])(
    '%s is known: 304 without a body',
    (tags) => {
      const known = { status: 304, body: null, headers: { ETag: '"1.abc"' } }
      expect(answer(tags)).toStrictEqual(known)
    },
  )

  it.each([undefined, '"1"', '1.abc', '"1.abcd"', 'x"1.abc"', '"x W/"1.abc"', '"1.W/abc"'])(
    '%s is not',
    (tags) => {
      expect(answer(tags)).toBe(reply)
    },
  )

  it('has no effect on what has no tag', () => {
    const plain = ok({})
    expect(answer('*', plain)).toBe(plain)
  })

  it('keeps what is said of the cache', () => {
    const document = documentReply({})
    expect(answer('*', document).headers).toEqual(document.headers)
  })
})

describe('If-Match', () => {
  const wanted = async (tags?: string, version = 5) => {
    const asked: number[] = []
    const headers: Record<string, string> = tags === undefined ? {} : { 'if-match': tags }
    const found = await requiredVersion(request(headers), () => {
      asked.push(version)
      return Promise.resolve({ version })
    })
    return [found, asked.length]
  }

  it.each([undefined, '*', ' * '])('%s asks for no version', async (tags) => {
    expect(await wanted(tags)).toEqual([{}, 0])
  })

  it.each(['"4"', '"4.abc"', '"4.a_b-c"', '"4."', '  "4"  '])(
    '%s asks for version 4, whatever it is now',
    async (tags) => {
      expect(await wanted(tags)).toEqual([{ version: 4 }, 0])
    },
  )

  it('of several asks for the present one', async () => {
    expect(await wanted('"4", "5.abc"')).toEqual([{ version: 5 }, 1])
    expect(await wanted('"4","5"')).toEqual([{ version: 5 }, 1])
    expect(await wanted('"123456789012345"')).toEqual([{ version: 123_456_789_012_345 }, 0])
    await expect(wanted('"4", "6"')).rejects.toMatchObject({ code: 'version_mismatch' })
  })

  it.each(['W/"5"', 'abc', '5', '"5', '"5.a b"', '"x5"', '"1234567890123456"', ''])(
    '%j matches none',
    async (tags) => {
      await expect(wanted(tags)).rejects.toThrow(ConflictError)
      await expect(wanted(tags)).rejects.toThrow('It has another version by now')
    },
  )

  it('fails as reading the resource does', async () => {
    const gone = () => Promise.reject(new Error('gone'))
    await expect(requiredVersion(request({ 'if-match': 'abc' }), gone)).rejects.toThrow('gone')
  })

  it('is compared with the resource that the call names', async () => {
    const scope = { contacts: { get: (id: number) => Promise.resolve({ version: id }) } }
    const call = { request: request({ 'if-match': '"3", "4"' }), scope, id: 4 } as unknown as Call
    expect(await ifMatch(call, 'contacts')).toEqual({ version: 4 })
  })
})
