import { createServer } from 'node:http2'
import type { Http2Server, ServerHttp2Stream } from 'node:http2'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { grpc } from '../../../src/checkers/extra/grpc/index.ts'
import { certificates } from '../../support/certificates.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { frame, HTTP2 } from '../../support/hostile/http2.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { describeWithServer } from '../../support/servers/need.ts'
import { grpcServer, startGrpc } from '../../support/servers/python.ts'
import type { PythonServer } from '../../support/servers/python.ts'
import { leastOf, measureTurns } from '../../support/turns.ts'

const checker = grpc()
const host = '127.0.0.1'

describeWithServer(grpcServer, 'a real server', () => {
  let server: PythonServer
  beforeAll(async () => void (server = await startGrpc()))
  afterAll(() => server.stop())

  it.each([
    [{}, 'ok', null, 'SERVING'],
    [{ service: 'shop.Cart' }, 'ok', null, 'SERVING'],
    [{ service: 'shop.Stock' }, 'fail', 'grpc_not_serving', 'NOT_SERVING'],
    [{ service: 'unsure' }, 'fail', 'grpc_not_serving', 'UNKNOWN'],
    [{ service: 'nowhere' }, 'fail', 'grpc_service_unknown', undefined],
    [{ service: 'broken' }, 'fail', 'grpc_status', undefined],
    [{ service: 'private' }, 'fail', 'grpc_denied', undefined],
    [
      { service: 'private', headers: { Authorization: 'Bearer right' } },
      ...(['ok', null, 'SERVING'] as const),
    ],
  ] as const)('%j is %s', async (settings, verdict, cause_code, serving_status) => {
    const outcome = await check(checker, { host, port: server.ports.plain, ...settings })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ verdict, cause_code })
    expect(outcome.details['serving_status']).toBe(serving_status)
  })

  it('is named with its status and message', async () => {
    const at = { host, port: server.ports.plain }
    expect(await check(checker, { ...at, service: 'shop.Stock' })).toMatchObject({
      cause_text: 'The service shop.Stock reports NOT_SERVING',
      phase: 'query',
    })
    expect(await check(checker, { ...at, service: 'broken' })).toMatchObject({
      cause_text: 'The call ended with INTERNAL: "caf\\xc3\\xa9 is closed"',
      details: { grpc_status: 'INTERNAL' },
    })
  })

  it('over TLS is held against its certificate, and may have no health service', async () => {
    const { port } = { port: server.ports.secure }
    const settings = { host: 'localhost', port, tls: true }
    expect(await check(checker, settings)).toMatchObject({
      cause_code: 'grpc_health_missing',
      details: { tls: { alpn: 'h2', authorized: true } },
    })
    const named = { host, port, tls: true, authority: 'shop.example.test' }
    expect(await check(checker, named)).toMatchObject({ cause_code: 'grpc_health_missing' })
    expect(await check(checker, { ...named, authority: 'elsewhere.org' })).toMatchObject({
      cause_code: 'tls_name_mismatch',
    })
    const ca = certificates().selfSigned.cert
    expect(await check(checker, { ...settings, ignore_tls_errors: true }, { ca })).toMatchObject({
      cause_code: 'grpc_health_missing',
    })
  })

  it('is down when it has gone', async () => {
    const gone = await startGrpc()
    const { port } = { port: gone.ports.plain }
    await gone.stop()
    expect(await check(checker, { host, port })).toMatchObject({ cause_code: 'connect_refused' })
  })
})

/** HTTP/2 without gRPC: every stream plays the script. */
async function http2Server(script: (stream: ServerHttp2Stream) => void): Promise<number> {
  const server: Http2Server = createServer()
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    script(stream)
  })
  server.on('session', (session) => {
    session.on('error', () => undefined)
    onTestFinished(() => session.destroy())
  })
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const HEAD = { ':status': 200, 'content-type': 'application/grpc' }

/** An answer of these bytes, with these trailers. */
function answering(bytes: Uint8Array, trailers: Record<string, string>) {
  return (stream: ServerHttp2Stream): void => {
    stream.respond(HEAD, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.end(bytes)
  }
}

const OK = { 'grpc-status': '0' }

describe('a hostile server', () => {
  it.each<[string, (stream: ServerHttp2Stream) => void, string]>([
    ['a page', (s) => void (s.respond({ ':status': 404 }), s.end('no')), 'protocol_error'],
    ['no status', answering(Buffer.of(0, 0, 0, 0, 2, 8, 1), {}), 'protocol_error'],
    ['a strange status', answering(Buffer.of(), { 'grpc-status': 'x' }), 'protocol_error'],
    ['no message', answering(Buffer.of(), OK), 'protocol_error'],
    ['half a message', answering(Buffer.of(0, 0, 0, 0, 9, 8), OK), 'protocol_error'],
    ['a compressed message', answering(Buffer.of(1, 0, 0, 0, 2, 8, 1), OK), 'protocol_error'],
    ['no protocol buffer', answering(Buffer.of(0, 0, 0, 0, 2, 0x0b, 1), OK), 'protocol_error'],
    [
      'an endless varint',
      answering(Buffer.of(0, 0, 0, 0, 6, 8, 255, 255, 255, 255, 1), OK),
      'protocol_error',
    ],
    ['a status of tomorrow', answering(Buffer.of(0, 0, 0, 0, 2, 8, 99), OK), 'protocol_error'],
    ['megabytes', answering(Buffer.alloc(4_000_000), OK), 'too_long'],
    [
      'a code of tomorrow',
      answering(Buffer.of(), { 'grpc-status': '99', 'grpc-message': '%' }),
      'grpc_status',
    ],
    ['a reset', (s) => s.close(7), 'closed_early'],
    ['GOAWAY', (s) => s.session?.goaway(11), 'closed_early'],
    ['an end', (s) => s.session?.destroy(), 'closed_early'],
  ])('that answers with %s', async (_, script, cause_code) => {
    const outcome = await check(checker, { host, port: await http2Server(script) })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ cause_code })
  })

  it('is told by the names of its errors', async () => {
    const port = await http2Server((stream) => stream.session?.goaway(11))
    expect(await check(checker, { host, port })).toMatchObject({
      cause_text: 'The server closed the HTTP/2 session (GOAWAY, ENHANCE_YOUR_CALM)',
    })
    const other = await http2Server((stream) => stream.close(7))
    expect(await check(checker, { host, port: other })).toMatchObject({
      cause_text: expect.stringContaining('REFUSED_STREAM') as string,
    })
  })

  it('that leaves in good order still answers the call', async () => {
    const port = await http2Server((stream) => {
      stream.session?.goaway(0)
      answering(Buffer.of(0, 0, 0, 0, 2, 8, 1), OK)(stream)
    })
    expect(await check(checker, { host, port })).toMatchObject({ verdict: 'ok' })
  })

  it.each<[string, string, string]>([
    ['HTTP/1.1', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'protocol_error'],
    ['nothing', '', 'closed_early'],
  ])('that speaks %s', async (_, answer, cause_code) => {
    const { port } = await scriptedServer((socket) => {
      socket.once('data', () => socket.end(answer))
    })
    const outcome = await check(checker, { host, port })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ cause_code })
  })

  it('without HTTP/2 behind TLS is told so', async () => {
    const { port } = await scriptedServer(() => undefined, { tls: certificates().good })
    expect(await check(checker, { host: 'localhost', port, tls: true })).toMatchObject({
      cause_code: 'protocol_error',
      cause_text: 'The server does not offer HTTP/2 in the TLS handshake',
    })
  })

  it.each<[string, (stream: ServerHttp2Stream) => void]>([
    ['never answers', () => undefined],
    ['never ends its message', (stream) => stream.respond(HEAD)],
    ['drips', (stream) => void (stream.respond(HEAD), stream.write(Buffer.of(0)))],
  ])('that %s meets the deadline', async (_, script) => {
    const port = await http2Server(script)
    await withDeadline(300, async (timeout_ms) => {
      const outcome = await check(checker, { host, port }, { timeout_ms })
      expect(outcome).toMatchObject({ cause_code: 'query_timeout', phase: 'query' })
    })
  })

  it.each(
    HTTP2.filter(({ name }) =>
      /(?:full settings|priorities|goodbye|interim.*) without end/.test(name),
    ),
  )('is left after a while: $name', async ({ start }) => {
    const server = await start()
    onTestFinished(() => server.close())
    const settings = { host, port: server.port }
    const { cause_code } = await check(checker, settings, { timeout_ms: 300_000 })
    // Since Node 24 the library refuses the priorities themselves.
    expect(['too_long', 'protocol_error']).toContain(cause_code)
  })

  // nghttp2 before 1.68.1, as in Node 20, fails an assertion there (CVE-2026-27135).
  it('that sends a broken frame behind its answer does not end the process', async () => {
    const answered = frame('headers', Buffer.of(0x88), { flags: 5 })
    const broken = frame('ping', Buffer.of(0), { stream: 0 })
    const bytes = Buffer.concat([frame('settings', undefined, { stream: 0 }), answered, broken])
    const { port } = await scriptedServer((socket) => {
      socket.once('data', () => socket.write(bytes))
    })
    expect(await check(checker, { host, port })).toMatchObject({ cause_code: 'protocol_error' })
  })

  it('that says goodbye with an error before a broken frame does not end the process', async () => {
    const goodbye = frame('goaway', Buffer.of(0, 0, 0, 0, 0, 0, 0, 1), { stream: 0 })
    const broken = frame('ping', Buffer.of(0), { stream: 0 })
    const bytes = Buffer.concat([frame('settings', undefined, { stream: 0 }), goodbye, broken])
    const { port } = await scriptedServer((socket) => {
      socket.once('data', () => socket.write(bytes))
    })
    expect(await check(checker, { host, port })).toMatchObject({ verdict: 'fail' })
  })

  it('gets metadata whatever its names are', async () => {
    const port = await http2Server((stream) => {
      answering(Buffer.of(0, 0, 0, 0, 2, 8, 1), OK)(stream)
    })
    const headers = { constructor: 'a', 'http2-settings': 'b', Authorization: ['c', 'd'] }
    expect(await check(checker, { host, port, headers })).toMatchObject({ verdict: 'ok' })
  })

  it('that floods with settings takes no long turn', async () => {
    const settings = Buffer.concat(Array<Buffer>(50_000).fill(Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0)))
    const { port } = await scriptedServer((socket) => socket.write(settings))
    const { value, longest_ms } = await leastOf(
      3,
      () => measureTurns(() => check(checker, { host, port }, { timeout_ms: 1000 })),
      250,
    )
    expect(value.verdict).not.toBe('ok')
    expect(longest_ms).toBeLessThan(250)
  })
})
