/**
 * One webhook contact on a real network, for attempts against scripted receivers on this machine.
 */

import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { parse, decodeSettings } from '../../src/fields/parse.ts'
import type { Logger } from '../../src/logger.ts'
import type { OwnIdleConnections } from '../../src/net/connection/idle-connections.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import type { OutgoingProxy } from '../../src/net/proxy/proxy.ts'
import { createResolver } from '../../src/net/resolve/resolver.ts'
import type { Resolver } from '../../src/net/resolve/resolver.ts'
import { deliveryOf } from '../../src/webhook/contact-kind.ts'
import type { Delivery, AttemptResult } from '../../src/webhook/contact-kind.ts'
import { freezePayload } from '../../src/webhook/payload.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import type { WebhookOptions } from '../../src/webhook/webhook-kind.ts'
import { certificates } from '../support/certificates.ts'
import { hostsFile } from '../support/hosts-file.ts'

export interface RigOptions extends WebhookOptions {
  readonly hosts?: Readonly<Record<string, readonly string[]>>
  readonly nameservers?: readonly string[]
  readonly clock?: Clock
  readonly proxy?: OutgoingProxy | undefined
  /** Instead of hosts and name servers. */
  readonly resolver?: Resolver
  readonly idle?: OwnIdleConnections
}

export const SENT_AT = Date.UTC(2026, 0, 1, 12)

export const delivery: Delivery = deliveryOf({
  id: 42,
  event: 'down',
  incident_id: 9,
  sent_at: SENT_AT,
  payload: freezePayload({
    event: 'down',
    monitor: { id: 7, name: 'Магазин', type: 'http', target: 'https://shop.example/' },
    incident: { started_at: SENT_AT, cause_code: 'http_status', cause_text: 'The status is 503' },
  }),
})

export interface Rig {
  /** One attempt with these settings, written as a user writes them. */
  attempt(
    settings: Readonly<Record<string, unknown>>,
    of?: Partial<Delivery>,
  ): Promise<AttemptResult>
  /** One attempt with settings that were never checked. */
  stored(settings: Parameters<Rig['kind']['deliver']>[1]): Promise<AttemptResult>
  /** Stops the engine. */
  stop(): void
  readonly warnings: readonly unknown[]
  readonly kind: ReturnType<typeof webhookContact>
}

/** Loopback is allowed unless a guard is given; the test certificates are trusted. */
export function rig({
  hosts = {},
  nameservers = ['127.0.0.1:9'],
  clock = systemClock,
  proxy,
  resolver = createResolver({ hostsFile: hostsFile(hosts), nameservers }),
  idle,
  ...options
}: RigOptions = {}): Rig {
  const kind = webhookContact({ guard: { allowCidrs: ['127.0.0.1/32', '::1/128'] }, ...options })
  const network = createNetwork({
    clock,
    policy: kind.policy,
    proxy,
    ca: certificates().ca,
    resolver,
  })
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const warnings: unknown[] = []
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (fields) => void warnings.push(fields),
    error: (fields) => void warnings.push(fields),
  }
  const context = { network, clock, signal: controller.signal, idle, log }
  return {
    kind,
    stored: (settings) => kind.deliver(context, settings, delivery),
    warnings,
    stop: () => controller.abort(new Error('the engine stops')),
    attempt(settings, of = {}) {
      const parsed = parse(kind.fields, settings)
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.fields))
      return kind.deliver(context, decodeSettings(kind.fields, parsed.value), {
        ...delivery,
        ...of,
      })
    },
  }
}

/** Answers every request with this text once its header section has come, and ends the connection. */
export function answering(text: string): (socket: Socket) => void {
  return (socket) => {
    let request = ''
    socket.on('data', (bytes: Buffer) => {
      const before = request.includes('\r\n\r\n')
      request += bytes.toString('latin1')
      if (!before && request.includes('\r\n\r\n')) socket.end(text)
    })
  }
}

export function status(code: number, ...headers: readonly string[]): string {
  return [`HTTP/1.1 ${code} Whatever`, 'Content-Length: 2', ...headers, '', 'ok'].join('\r\n')
}
