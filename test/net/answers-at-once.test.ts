/** Node reads every socket that has something in one turn of the event loop: many peers may answer at that moment. */

import { expect, it, onTestFinished } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { systemClock } from '../../src/clock.ts'
import { emailContact } from '../../src/contacts/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createIdleConnections } from '../../src/net/connection/idle-connections.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { answersAtOnce } from '../support/answers-at-once.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { LOOPBACK, rig as contactRig, told } from '../contacts/rig.ts'
import { rig } from '../webhook/rig.ts'

const TURN_MS = 50
const CHECKS = 64
const RECEIVERS = 200
const GROWTH_BYTES = 100e6

const CRUMBS = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`
const INTERIMS = 'HTTP/1.1 103 E\r\n\r\n'.repeat(3800)

function frame(type: number, flags: number, stream: number, payload: readonly number[]): Buffer {
  return Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream, ...payload])
}

const MAIL_LINES = '250-\r\n'.repeat(11_000)
/** Less than is read of a mail server. */
const WHOLE_REPLY = `${'250-\r\n'.repeat(5400)}250 ok\r\n`
/** Of 56 KB. */
const REFUSAL = `${`550-${'MDAw'.repeat(2000)}\r\n`.repeat(7)}550 no\r\n`

const H2 = {
  settings: frame(4, 0, 0, []),
  status: frame(1, 4, 1, [0x88]),
  crumbs: Buffer.concat(Array.from({ length: 6400 }, () => frame(0, 0, 1, [120]))),
  interims: Buffer.concat(Array.from({ length: 4500 }, () => frame(1, 4, 1, [8, 3, 49, 48, 51]))),
}
const POSTGRES = {
  login: Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1'),
  notices: 'N\0\0\0\x05\0'.repeat(9900),
}
const PINGS = Buffer.alloc(60_000, Buffer.from([0x89, 0]))

it.each([
  ['http', 'chunks of one byte', { later: CRUMBS }, {}],
  ['http', 'interim responses', { later: INTERIMS }, {}],
  [
    'http',
    'frames of one byte',
    { later: Buffer.concat([H2.settings, H2.status, H2.crumbs]) },
    { http_version: '2' },
  ],
  [
    'http',
    'interim responses of HTTP/2',
    { later: Buffer.concat([H2.settings, H2.interims]) },
    { http_version: '2' },
  ],
  ['grpc', 'interim responses', { later: Buffer.concat([H2.settings, H2.interims]) }, {}],
  ['websocket', 'pings', { later: PINGS }, {}],
  ['imap', 'untagged lines', { first: '* OK hi\r\n', later: '* OK x\r\n'.repeat(8192) }, {}],
  [
    'postgres',
    'notices',
    { before: [POSTGRES.login], later: POSTGRES.notices },
    { user: 'u', pass: 'p', database: 'd', query: 'SELECT 1' },
  ],
  ['dns', 'messages of 64 KiB', { dns: true }, { dns_name: 'example.com', timeout_ms: 60_000 }],
])('%s checks that get %s at the same moment take short turns', async (type, _, said, settings) => {
  const port = await answersAtOnce({ count: CHECKS, ...said })
  const engine = createEngine({
    store: memoryStore(),
    checkers: builtinCheckers({ extra: true }),
    limits: { checks: CHECKS, checksPerHost: CHECKS },
    logger: false,
  })
  onTestFinished(() => engine.stop())
  await engine.start()
  const targets: Record<string, object> = {
    http: { url: `http://127.0.0.1:${port}/` },
    websocket: { url: `ws://127.0.0.1:${port}/` },
    dns: { nameserver: `tcp://127.0.0.1:${port}` },
    grpc: { host: '127.0.0.1', port, tls: false },
    imap: { host: '127.0.0.1', port, tls: 'none' },
    postgres: { host: '127.0.0.1', port, tls: 'off' },
  }
  const ids: number[] = []
  const common = { type, interval_sec: 86_400, timeout_ms: 3000, ...targets[type], ...settings }
  for (let n = 0; n < CHECKS; n++)
    ids.push((await engine.monitors.create({ ...common, name: `n${n}` } as never)).id)
  const checking = () => measureTurns(() => Promise.all(ids.map((id) => engine.monitors.check(id))))
  const { value, longest_ms } = await leastOf(3, checking, TURN_MS)
  if (type === 'dns') expect(value[0]?.results[0]).toMatchObject({ verdict: 'ok' })
  expect(longest_ms).toBeLessThan(TURN_MS)
})

it.each([
  ['chunks of one byte', CRUMBS],
  ['interim responses', INTERIMS],
  ['control characters', `HTTP/1.1 503 N\r\n\r\n${'\u202e\u0001'.repeat(16_384)}`],
])('receivers that answer with %s at the same moment take short turns', async (_, later) => {
  const port = await answersAtOnce({ count: RECEIVERS, later })
  const { attempt } = rig({ idle: createIdleConnections(systemClock).of(1), deadlineMs: 5000 })
  const settings = { url: `http://127.0.0.1:${port}/` }
  const sending = () =>
    measureTurns(() => Promise.all(Array.from({ length: RECEIVERS }, () => attempt(settings))))
  const before = process.memoryUsage.rss()
  const { longest_ms } = await leastOf(3, sending, TURN_MS)
  expect(longest_ms).toBeLessThan(TURN_MS)
  expect(process.memoryUsage.rss() - before).toBeLessThan(GROWTH_BYTES)
})

it.each([
  ['lines without end', MAIL_LINES, {}],
  ['lines without end in clear', MAIL_LINES, { tls: 'none' }],
  ['a reply of 5,400 lines in clear', WHOLE_REPLY, { tls: 'none' }],
  ['a refusal that nearly repeats a password', REFUSAL, { user: 'u', pass: `x${'0'.repeat(400)}` }],
])(
  'mail servers that answer with %s at the same moment take short turns',
  async (_, later, tls) => {
    const port = await answersAtOnce({ count: CHECKS, first: '220 hi\r\n', later })
    const guard = { ...LOOPBACK, allowHosts: ['localhost'] }
    const kind = emailContact({ guard, deadlineMs: 5000 })
    const { attempt } = contactRig(kind, { localhost: ['127.0.0.1'] })
    const settings = { host: 'localhost', port, from: 'a@example.com', to: 'b@example.com', ...tls }
    const sending = () =>
      measureTurns(() =>
        Promise.all(Array.from({ length: CHECKS }, () => attempt(settings, told('down')))),
      )
    const { value, longest_ms } = await leastOf(3, sending, TURN_MS)
    // The deadline of a delivery may come first on a busy machine.
    expect(['too_long', 'timeout', 'smtp_550']).toContain(value[0]?.error)
    expect(longest_ms).toBeLessThan(TURN_MS)
  },
)
