/** The errors of node:http and node:http2 as causes, and the limits of what precedes an answer. */
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CheckFailure } from '../../../src/net/failure.ts'
import { explainHttp2, HTTP2_ERRORS, ResetStream } from '../../../src/net/http/http2-errors.ts'
import { createInterimLimit, explainWire, readInPieces } from '../../../src/net/http/wire.ts'
import type { WireState } from '../../../src/net/http/wire.ts'
import { failed } from './rules.ts'

const EARLY: WireState = { phase: 'first_byte', body_bytes: 0, content_length: undefined }
const LATE: WireState = { phase: 'transfer', body_bytes: 5, content_length: undefined }
const SHORT: WireState = { phase: 'transfer', body_bytes: 5, content_length: '9' }
const HEADERS = {
  code: 'http_header_limit',
  message: 'The answer has more than 64 KiB of headers',
  phase: 'first_byte',
}

const coded = (code: string, more: object = {}, text = 'x') =>
  Object.assign(new Error(text), { code, ...more })

describe('an error of HTTP/1.1', () => {
  const explained = (error: Error, state: WireState) => failed(explainWire(error, state))

  it.each<[Error, WireState, object]>([
    [coded('HPE_HEADER_OVERFLOW'), EARLY, HEADERS],
    [
      coded('ECONNRESET'),
      LATE,
      { code: 'http_truncated', message: 'The body broke off after 5 bytes', phase: 'transfer' },
    ],
    [
      coded('ECONNRESET', { syscall: 'read' }),
      SHORT,
      { code: 'http_truncated', message: 'The body ended after 5 of 9 bytes', phase: 'transfer' },
    ],
    [
      coded('ECONNRESET', { syscall: 'read' }),
      EARLY,
      {
        ...{ code: 'connect_reset', phase: 'first_byte' },
        message: 'The connection was reset before an answer came',
      },
    ],
    [
      coded('ECONNRESET'),
      EARLY,
      {
        ...{ code: 'closed_early', phase: 'first_byte' },
        message: 'The connection was closed before an answer came',
      },
    ],
    [
      coded('HPE_INVALID', { reason: 'Bad '.padEnd(120, 'x') }),
      EARLY,
      {
        ...{ code: 'http_protocol_error', phase: 'first_byte' },
        message: `The answer is not valid HTTP: ${'Bad '.padEnd(100, 'x')}`,
      },
    ],
    ...[undefined, '', 5].map((reason): [Error, WireState, object] => [
      coded('HPE_INVALID', { reason }),
      LATE,
      {
        ...{ code: 'http_protocol_error', phase: 'transfer' },
        message: 'The answer is not valid HTTP',
      },
    ]),
    [
      coded('EPIPE'),
      EARLY,
      { code: 'send_failed', message: 'The request could not be sent', phase: 'send' },
    ],
  ])('%s has its cause', (error, state, wanted) => {
    expect(explained(error, state)).toEqual(wanted)
    expect(explainWire(error, state).cause).toBe(error)
  })

  it('that is none is left as it is', () => {
    for (const error of [
      new Error('a defect'),
      coded('ENOENT'),
      new CheckFailure('x', 'y', { phase: 'tls' }),
    ])
      expect(explainWire(error, EARLY)).toBe(error)
  })
})

describe('an error of HTTP/2', () => {
  const explained = (error: Error, state: WireState = EARLY, read = 0) =>
    failed(explainHttp2(error, state, read))
  const session = (name: string) =>
    coded('ERR_HTTP2_SESSION_ERROR', {}, `Session closed with error code ${name}`)

  it('that is none of it is one of HTTP/1.1', () => {
    expect(explained(coded('EPIPE'))).toMatchObject({ code: 'send_failed' })
    expect(explainHttp2(new Error('a defect'), EARLY, 0).message).toBe('a defect')
  })

  it.each<[string, Error, WireState, object]>([
    [
      'an answer that cannot be read',
      coded('ERR_HTTP2_ERROR', {}, 'Protocol error'),
      EARLY,
      {
        ...{ code: 'http_protocol_error', phase: 'first_byte' },
        message: 'The answer is not valid HTTP/2',
      },
    ],
    [
      'a defect of one side',
      new ResetStream(1),
      EARLY,
      {
        ...{ code: 'http_protocol_error', phase: 'first_byte' },
        message: 'The exchange over HTTP/2 failed: PROTOCOL_ERROR',
      },
    ],
    [
      'a body that ends because of it',
      session('NGHTTP2_FRAME_SIZE_ERROR'),
      LATE,
      {
        ...{ code: 'http_protocol_error', phase: 'transfer' },
        message: 'The exchange over HTTP/2 failed: FRAME_SIZE_ERROR',
      },
    ],
    [
      'a body that is shorter than announced',
      session('NGHTTP2_FRAME_SIZE_ERROR'),
      SHORT,
      {
        ...{ code: 'http_truncated', phase: 'transfer' },
        message: 'The body ended after 5 of 9 bytes: FRAME_SIZE_ERROR',
      },
    ],
    [
      'a request that is refused',
      new ResetStream(7),
      EARLY,
      {
        ...{ code: 'closed_early', phase: 'first_byte' },
        message: 'The server ended the request before an answer came: REFUSED_STREAM',
      },
    ],
    [
      'a body that is broken off',
      new ResetStream(8),
      LATE,
      {
        ...{ code: 'http_truncated', phase: 'transfer' },
        message: 'The body broke off after 5 bytes: CANCEL',
      },
    ],
    [
      'a request that wants another version',
      session('13'),
      EARLY,
      {
        ...{ code: 'http_version_unsupported', phase: 'first_byte' },
        message: 'The server requires HTTP/1.1 for this request',
      },
    ],
    [
      'a code that nobody knows',
      session('99'),
      EARLY,
      {
        ...{ code: 'closed_early', phase: 'first_byte' },
        message: 'The server ended the request before an answer came: 99',
      },
    ],
    [
      'a reset that nobody knows',
      new ResetStream(99),
      EARLY,
      {
        ...{ code: 'closed_early', phase: 'first_byte' },
        message: 'The server ended the request before an answer came: 99',
      },
    ],
  ])('is read: %s', (_, error, state, wanted) => {
    expect(explained(error, state)).toEqual(wanted)
    expect(explainHttp2(error, state, 0).cause).toBe(error)
  })

  it.each([
    [3, 'FLOW_CONTROL_ERROR'],
    [5, 'STREAM_CLOSED'],
    [6, 'FRAME_SIZE_ERROR'],
    [9, 'COMPRESSION_ERROR'],
  ])('says of %i, %s, that the answer is malformed', (number, name) => {
    const malformed = {
      code: 'http_protocol_error',
      message: `The exchange over HTTP/2 failed: ${name}`,
    }
    expect(explained(session(`NGHTTP2_${name}`))).toMatchObject(malformed)
    expect(explained(new ResetStream(number))).toMatchObject(malformed)
  })

  it.each([
    ...['NO_ERROR', 'INTERNAL_ERROR', 'SETTINGS_TIMEOUT', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM'],
    'INADEQUATE_SECURITY',
  ])('says of %s that the server ended the request', (name) => {
    const number = HTTP2_ERRORS.indexOf(name)
    expect(explained(new ResetStream(number))).toMatchObject({
      ...{ code: 'closed_early', message: expect.stringContaining(`: ${name}`) as string },
    })
    expect(new ResetStream(number)).toMatchObject({
      ...{ code: 'ERR_HTTP2_STREAM_ERROR', message: `Stream closed with error code ${number}` },
    })
  })

  it('may be headers beyond our limits, if more has come than a refusal needs', () => {
    expect(explained(new ResetStream(11), EARLY, 4097)).toEqual(HEADERS)
    expect(explained(new ResetStream(11), EARLY, 4096)).toMatchObject({ code: 'closed_early' })
    expect(explained(new ResetStream(11), LATE, 4097)).toMatchObject({ code: 'http_truncated' })
    expect(explained(new ResetStream(7), EARLY, 4097)).toMatchObject({ code: 'closed_early' })
  })

  it('has no code where its text does not end with one', () => {
    for (const text of ['error code 5 and more', 'closed with code NGHTTP2_CANCEL'])
      expect(explained(coded('ERR_HTTP2_ERROR', {}, text))).toMatchObject({
        message: 'The answer is not valid HTTP/2',
      })
    expect(explained(new ResetStream())).toMatchObject({
      message: 'The server ended the request before an answer came: NO_ERROR',
    })
  })
})

describe('interim answers', () => {
  const interim = (rawHeaders: string[] = [], statusCode = 103, statusMessage = '') => ({
    ...{ statusCode, statusMessage, rawHeaders },
  })
  const LIMIT = { code: 'http_header_limit', phase: 'first_byte' }

  it('are a hundred at most', () => {
    const limit = createInterimLimit()
    for (let n = 0; n < 100; n++) expect(limit.problemOf(interim())).toBeUndefined()
    expect(failed(limit.problemOf(interim()))).toEqual({
      ...{ ...LIMIT, message: 'No final answer within 100 interim answers' },
    })
  })

  it('have one problem, however many come behind it', () => {
    const limit = createInterimLimit()
    for (let n = 0; n < 100; n++) limit.problemOf(interim())
    const first = limit.problemOf(interim())
    expect(limit.problemOf(interim())).toBe(first)
    expect(limit.problemOf(interim([], 101))).toBe(first)
  })

  it('have 256 KiB at most, with their lines', () => {
    const room = 256 * 1024 - 17
    const sized = (bytes: number) =>
      createInterimLimit().problemOf(interim(['x'.repeat(bytes - 2)]))
    expect(sized(room)).toBeUndefined()
    expect(failed(sized(room + 1))).toEqual({
      ...{ ...LIMIT, message: 'No final answer within 256 KiB of interim answers' },
    })
    const worded = interim(['x'.repeat(room - 2 - 5)], 103, 'Early')
    expect(createInterimLimit().problemOf(worded)).toBeUndefined()
    const longer = interim(['x'.repeat(room - 2 - 5)], 103, 'Early!')
    expect(createInterimLimit().problemOf(longer)).toBeDefined()
    const last = createInterimLimit()
    for (let n = 0; n < 99; n++) last.problemOf(interim())
    expect(failed(last.problemOf(interim(['x'.repeat(room)])))).toMatchObject({
      message: 'No final answer within 256 KiB of interim answers',
    })
    const limit = createInterimLimit()
    expect(limit.problemOf(interim(['x'.repeat(room / 2)]))).toBeUndefined()
    expect(limit.problemOf(interim(['x'.repeat(room / 2)]))).toBeDefined()
    // Two texts have two ends.
    const two = interim(['x'.repeat(room - 5), 'x'])
    expect(createInterimLimit().problemOf(two)).toBeUndefined()
    expect(createInterimLimit().problemOf(interim(['x'.repeat(room - 4), 'x']))).toBeDefined()
  })

  it('do not switch to another protocol', () => {
    const wanted = {
      ...{ code: 'http_protocol_error', phase: 'first_byte' },
      message: 'The server switched protocols (101) without being asked',
    }
    const limit = createInterimLimit()
    expect(failed(limit.problemOf(interim([], 101)))).toEqual(wanted)
    expect(failed(limit.switched())).toEqual(wanted)
  })
})

describe('what arrives in one piece', () => {
  /** A stream that is read, with the lengths of what has come out of it. */
  async function reading(onChunk = (_: number, from: Duplex): unknown => from) {
    const from = new Duplex({ read: () => undefined, write: (_, __, done) => done() })
    const lengths: number[] = []
    from.on('data', (chunk: Buffer) => onChunk(lengths.push(chunk.length), from))
    await setImmediate()
    return { from, lengths, end: readInPieces(from) }
  }

  it('is read by 4 KiB until the final answer', async () => {
    const { from, lengths, end } = await reading()
    expect(from.push(Buffer.alloc(9000))).toBe(true)
    from.push(Buffer.alloc(4096))
    expect(lengths).toEqual([4096, 4096, 808, 4096])
    end()
    from.push(Buffer.alloc(9000))
    expect(lengths.at(-1)).toBe(9000)
  })

  it('is read no further once the stream is destroyed', async () => {
    const { from, lengths } = await reading((count, from) => count === 2 && from.destroy())
    from.push(Buffer.alloc(64 * 1024))
    expect(lengths).toEqual([4096, 4096])
  })

  it('tells whether more is wanted, and its end is one', async () => {
    const { from } = await reading()
    from.pause()
    expect(from.push(Buffer.alloc(4096))).toBe(true)
    expect(from.push(Buffer.alloc(0))).toBe(true)
    expect(from.push(Buffer.alloc(256 * 1024))).toBe(false)
    const ended = once(from, 'end')
    from.push(null)
    from.resume()
    await ended
  })
})
