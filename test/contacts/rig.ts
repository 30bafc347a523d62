/**
 * One contact kind on a real network, and a receiver on this machine that keeps what it is sent.
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { parse, decodeSettings } from '../../src/fields/parse.ts'
import type { Logger } from '../../src/logger.ts'
import type { JsonObject } from '../../src/model.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import { createResolver } from '../../src/net/resolve/resolver.ts'
import { deliveryOf } from '../../src/webhook/contact-kind.ts'
import type { AnyContactKind, Delivery, AttemptResult } from '../../src/webhook/contact-kind.ts'
import { freezePayload, repeatPayload } from '../../src/webhook/payload.ts'
import type { PayloadIncident, PayloadMonitor } from '../../src/webhook/payload.ts'
import { certificates } from '../support/certificates.ts'
import { hostsFile } from '../support/hosts-file.ts'

export const LOOPBACK = { allowCidrs: ['127.0.0.1/32'] } as const
const SENT_AT = Date.UTC(2026, 0, 1, 12)
const STARTED_AT = Date.UTC(2026, 0, 1, 11, 58, 30)

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into it freely
  readonly json: any
}

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** The only request so far. */
  only(): Received
  /** What is answered from now on. */
  answer(status: number, body?: string, headers?: Readonly<Record<string, string>>): void
  /** What is answered once, before that. */
  answerOnce(status: number, body?: string): void
}

/** An HTTP server that takes JSON, until the test ends. */
export async function receiver(): Promise<Receiver> {
  const received: Received[] = []
  let next = { status: 200, body: 'ok', headers: {} as Readonly<Record<string, string>> }
  const before: (typeof next)[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { method = '', url: path = '', headers } = req
      received.push({ method, path, headers, json: JSON.parse(Buffer.concat(chunks).toString()) })
      const { status, headers: sent, body } = before.shift() ?? next
      res.writeHead(status, sent).end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    only() {
      const [first, second] = received
      if (first === undefined || second !== undefined)
        throw new Error(`${received.length} requests`)
      return first
    },
    answer: (status, body = '', headers = {}) => void (next = { status, body, headers }),
    answerOnce: (status, body = '') => void before.push({ status, body, headers: {} }),
  }
}

export interface Rig {
  /** One attempt with these settings, written as a user writes them. */
  attempt(settings: JsonObject, delivery: Delivery): Promise<AttemptResult>
  /** The same with settings as they are stored, which a user could not write. */
  attemptStored(settings: JsonObject, delivery: Delivery): Promise<AttemptResult>
  /** What is wrong with settings, by field; empty where nothing is. */
  problems(settings: JsonObject): Promise<Readonly<Record<string, string>>>
  /** Stops the engine. */
  stop(): void
  /** Whatever was logged, as text. */
  readonly logged: () => string
}

export function rig(
  kind: AnyContactKind,
  hosts: Readonly<Record<string, readonly string[]>> = {},
): Rig {
  const network = createNetwork({
    clock: systemClock,
    policy: kind.policy,
    ca: certificates().ca,
    resolver: createResolver({ hostsFile: hostsFile(hosts), nameservers: ['127.0.0.1:9'] }),
  })
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const lines: unknown[] = []
  const note = (...parts: unknown[]): void => void lines.push(parts)
  const log: Logger = { debug: note, info: note, warn: note, error: note }
  const context = { network, clock: systemClock, signal: controller.signal, log }
  return {
    logged: () => JSON.stringify(lines),
    stop: () => controller.abort(new Error('the engine stops')),
    async problems(settings) {
      const parsed = parse(kind.fields, settings)
      return parsed.ok ? kind.check(parsed.value) : parsed.fields
    },
    attempt(settings, delivery) {
      const parsed = parse(kind.fields, settings)
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.fields))
      return kind.deliver(context, decodeSettings(kind.fields, parsed.value), delivery)
    },
    attemptStored: (settings, delivery) =>
      kind.deliver(context, decodeSettings(kind.fields, settings), delivery),
  }
}

export interface Told {
  readonly monitor?: Partial<PayloadMonitor>
  readonly incident?: Partial<PayloadIncident> | null
  readonly extras?: JsonObject
  readonly id?: number
  readonly incident_id?: number
}

/** A notification of this event, as the engine makes it. */
export function told(event: string, given: Told = {}): Delivery {
  const monitor = {
    id: 7,
    name: 'Shop',
    type: 'http',
    target: 'https://shop.example/',
    ...given.monitor,
  }
  const incident = {
    started_at: STARTED_AT,
    cause_code: 'http_status',
    cause_text: 'Got status 503, expected 200-299',
    ...(event === 'up'
      ? { ended_at: SENT_AT, duration_sec: 3900, closed_reason: 'recovered' as const }
      : {}),
    ...(event === 'acknowledged' ? { acknowledged_at: SENT_AT } : {}),
    ...given.incident,
  }
  const first = freezePayload({
    event: event === 'repeat' ? 'down' : event,
    monitor: event === 'test' ? null : monitor,
    incident: event === 'test' || given.incident === null ? null : incident,
    extras: given.extras ?? {},
  })
  return deliveryOf({
    id: given.id ?? 42,
    event,
    incident_id: given.incident_id ?? 9,
    sent_at: SENT_AT,
    payload: event === 'repeat' ? repeatPayload(first, { n: 2, max: 3 }) : first,
  })
}

/** Every event that the engine tells, with what checkers add, and one that nobody has thought of yet. */
export const EVENTS: readonly Delivery[] = [
  told('down'),
  told('up'),
  told('up', { incident: { closed_reason: 'paused' } }),
  told('up', { incident: { closed_reason: 'reconfigured' } }),
  told('up', { incident: { closed_reason: 'deleted' } }),
  told('acknowledged'),
  told('repeat'),
  told('blacklisted', { incident: { cause_text: '192.0.2.25 is listed by bl.example.org' } }),
  told('ssl_expiring', {
    incident: null,
    extras: {
      certificate: {
        subject: 'CN=shop.example',
        issuer: 'CN=Example CA',
        not_after: '2026-01-11T00:00:00.000Z',
        days_left: 9,
        threshold: 14,
      },
    },
  }),
  told('ssl_changed', {
    incident: null,
    extras: { old: { subject: 'CN=a' }, new: { subject: 'CN=b', issuer: 'CN=Example CA' } },
  }),
  told('domain_expiring', {
    incident: null,
    extras: { domain: { expires_at: '2026-01-02T21:00:00.000Z', days_left: 1, registrar: 'Reg' } },
  }),
  told('domain_expired', {
    incident: null,
    extras: { domain: { expires_at: '2025-12-31T21:00:00.000Z', days_left: -1 } },
  }),
  told('content_changed', {
    incident: null,
    extras: { change: { added: 1, removed: 1, excerpt: '- Tea 4.20\n+ Tea 4.40' } },
  }),
  told('flapping', {
    incident: null,
    extras: { flapping: true, change_percent: 57, state: 'down' },
  }),
  told('flapping', {
    incident: null,
    extras: { flapping: false, change_percent: 12, state: 'up' },
  }),
  told('test'),
  told('quota_nearly_used', { incident: null, extras: { quota: { used_pct: 93 }, plan: 'small' } }),
]

/** A monitor whose owner means no good, with as much text as fits into a payload. */
export function hostile(event = 'down'): Delivery {
  const markup = '<!channel> <b>&amp; *x* _y_ `z` [a](http://evil.example) @everyone <@1> "\'\\ '
  return told(event, {
    monitor: { name: `\u202e\u0007${markup}${'&'.repeat(100)}`, target: markup },
    incident: { cause_text: `${markup}${'<😀'.repeat(5000)}` },
    extras: { one: markup.repeat(20), two: { three: '\r\nBcc: x@evil.example\r\n' } },
  })
}

/** No character of a pair without the other. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
