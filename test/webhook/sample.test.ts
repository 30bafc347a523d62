/** The examples that a preview of a contact shows: one of every event, in the form of a real one. */
import { describe, expect, it } from 'vitest'
import { SAMPLE_EVENTS, sampleDelivery } from '../../src/webhook/sample.ts'

const AT = Date.UTC(2030, 0, 1, 12)
const sent_at = '2030-01-01T12:00:00.000Z'
const monitor = { id: 1, name: 'Shop', type: 'example', target: 'https://shop.example.com/' }
const incident = {
  id: 1,
  started_at: '2030-01-01T11:53:30.000Z',
  cause_code: 'http_status',
  cause_text: 'Got status 503, expected 200-299',
}
const over = { ended_at: sent_at, duration_sec: 390, closed_reason: 'recovered' }
const certificate = {
  subject: 'CN=shop.example.com',
  issuer: 'CN=Example CA',
  not_after: '2030-01-11T00:00:00.000Z',
}
const domain = { expires_at: '2030-01-11T00:00:00.000Z', registrar: 'Example Registrar' }
const degraded = {
  since: '2030-01-01T08:00:00.000Z',
  cause_code: 'warn_above',
  cause_text: 'response is 912 ms, more than 800 ms',
}

/** What each event has besides its name, its monitor, its time and its id. */
const PARTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  down: { incident },
  up: { incident: { ...incident, ...over } },
  repeat: { incident, repeat: { n: 1, max: 3 } },
  acknowledged: { incident: { ...incident, acknowledged_at: '2030-01-01T11:59:00.000Z' } },
  outage: { incident: { ...incident, ...over } },
  test: { monitor: null, incident: null },
  blacklisted: { incident },
  flapping: { incident: null, flapping: true, change_percent: 57, state: 'down' },
  degraded: { incident: null, degraded },
  restored: {
    incident: null,
    degraded: {
      ...degraded,
      ended_at: '2030-01-01T08:12:00.000Z',
      duration_sec: 720,
      closed_reason: 'recovered',
    },
  },
  ssl_expiring: { incident: null, certificate: { ...certificate, days_left: 9, threshold: 14 } },
  ssl_changed: { incident: null, old: { subject: 'CN=old.example.com' }, new: certificate },
  domain_expiring: { incident: null, domain: { ...domain, days_left: 9 } },
  domain_expired: { incident: null, domain: { ...domain, days_left: -1 } },
  content_changed: {
    incident: null,
    change: { added: 1, removed: 1, excerpt: '- Tea 4.20\n+ Tea 4.40' },
  },
}

describe('an example', () => {
  it('is there for every event, and for a digest', () => {
    expect([...SAMPLE_EVENTS].sort()).toEqual([...Object.keys(PARTS), 'digest'].sort())
  })

  it.each(Object.entries(PARTS))('of %s', (event, parts) => {
    const sample = sampleDelivery(event, AT)
    expect(sample).toMatchObject({ notification_id: 1, event })
    expect(sample.payload).toEqual({ event, monitor, sent_at, notification_id: 1, ...parts })
    expect(JSON.parse(Buffer.from(sample.body).toString('utf8'))).toEqual(sample.payload)
  })

  it('of a digest has a failure and an end', () => {
    const { event, notification_id, payload } = sampleDelivery('digest', AT)
    expect({ event, notification_id }).toEqual({ event: 'digest', notification_id: 1 })
    expect(payload).toMatchObject({
      event: 'digest',
      sent_at,
      digest: {
        count: 2,
        events: { down: 1, up: 1 },
        notifications: [
          { notification_id: 1, event: 'down', incident: { id: 1 } },
          { notification_id: 2, event: 'up', incident: { ended_at: sent_at } },
        ],
      },
    })
  })
})
