/**
 * Examples of every event, to show what a message looks like before there is one. Pure.
 *
 * @module
 */

import type { EpochMs, JsonObject } from '../model.ts'
import { deliveryOf } from './contact-kind.ts'
import type { Delivery } from './contact-kind.ts'
import { digestOf } from './digest.ts'
import { freezePayload, repeatPayload } from './payload.ts'

const CERTIFICATE = {
  subject: 'CN=shop.example.com',
  issuer: 'CN=Example CA',
  not_after: '2030-01-11T00:00:00.000Z',
}
const DOMAIN = { expires_at: '2030-01-11T00:00:00.000Z', registrar: 'Example Registrar' }

const DEGRADED = {
  since: '2030-01-01T08:00:00.000Z',
  cause_code: 'warn_above',
  cause_text: 'response is 912 ms, more than 800 ms',
}

/** What an event adds to the payload; those of incidents have none. */
const EXTRAS: Readonly<Record<string, JsonObject | null>> = {
  down: null,
  up: null,
  repeat: null,
  acknowledged: null,
  outage: null,
  digest: null,
  test: null,
  blacklisted: null,
  flapping: { flapping: true, change_percent: 57, state: 'down' },
  degraded: { degraded: DEGRADED },
  restored: {
    degraded: {
      ...DEGRADED,
      ended_at: '2030-01-01T08:12:00.000Z',
      duration_sec: 720,
      closed_reason: 'recovered',
    },
  },
  ssl_expiring: { certificate: { ...CERTIFICATE, days_left: 9, threshold: 14 } },
  ssl_changed: { old: { subject: 'CN=old.example.com' }, new: CERTIFICATE },
  domain_expiring: { domain: { ...DOMAIN, days_left: 9 } },
  domain_expired: { domain: { ...DOMAIN, days_left: -1 } },
  content_changed: { change: { added: 1, removed: 1, excerpt: '- Tea 4.20\n+ Tea 4.40' } },
}

/** Names of the events that there are words for. */
export const SAMPLE_EVENTS: readonly string[] = Object.keys(EXTRAS)

const MINUTE = 60_000
const LASTED_SEC = 390

/** An example of one of {@link SAMPLE_EVENTS} at this time. */
export function sampleDelivery(event: string, at: EpochMs): Delivery {
  if (event === 'digest')
    return digestOf([rowOf('down', { at, id: 1 }), rowOf('up', { at, id: 2 })])
  return deliveryOf(rowOf(event, { at, id: 1 }))
}

interface Row {
  readonly at: EpochMs
  readonly id: number
}

function rowOf(event: string, { at, id }: Row): Parameters<typeof deliveryOf>[0] {
  const extras = EXTRAS[event] ?? null
  const ends = event === 'up' || event === 'outage'
  const payload = freezePayload({
    event,
    monitor:
      event === 'test'
        ? null
        : { id, name: 'Shop', type: 'example', target: 'https://shop.example.com/' },
    incident:
      event === 'test' || extras !== null
        ? null
        : {
            started_at: at - LASTED_SEC * 1000,
            cause_code: 'http_status',
            cause_text: 'Got status 503, expected 200-299',
            ...(ends
              ? { ended_at: at, duration_sec: LASTED_SEC, closed_reason: 'recovered' as const }
              : {}),
            ...(event === 'acknowledged' ? { acknowledged_at: at - MINUTE } : {}),
          },
    extras: extras ?? {},
  })
  return {
    id,
    event,
    incident_id: 1,
    sent_at: at,
    payload: event === 'repeat' ? repeatPayload(payload, { n: 1, max: 3 }) : payload,
  }
}
