import { describe, expect, it } from 'vitest'
import { pagerdutyContact } from '../../src/contacts/index.ts'
import { EVENTS, hostile, LOOPBACK, receiver, rig, told } from './rig.ts'

const routing_key = 'abcdef0123456789abcdef0123456789'
const pagerduty = (baseUrl: string) => pagerdutyContact({ guard: LOOPBACK, baseUrl })

/** An event as PagerDuty has it; tests look into it freely. */
interface Sent {
  readonly routing_key: string
  readonly event_action: string
  readonly dedup_key: string
  readonly payload: Readonly<Record<'summary' | 'source' | 'severity' | 'timestamp', string>>
}

async function sent(...deliveries: readonly ReturnType<typeof told>[]): Promise<Sent[]> {
  const server = await receiver()
  server.answer(202, '{"status":"success","message":"Event processed"}')
  const { attempt } = rig(pagerduty(server.url))
  for (const delivery of deliveries) {
    expect(await attempt({ routing_key }, delivery)).toMatchObject({ class: 'delivered' })
  }
  return server.received.map(({ json }) => json as Sent)
}

it('triggers an alert with what a person on call needs', async () => {
  const [event] = await sent(told('down'))
  expect(event).toEqual({
    routing_key,
    event_action: 'trigger',
    dedup_key: `watchpost-7-9-${Date.UTC(2026, 0, 1, 11, 58, 30)}`,
    payload: {
      summary: 'Shop is down',
      source: 'https://shop.example/',
      severity: 'critical',
      timestamp: '2026-01-01T12:00:00.000Z',
      class: 'down',
      custom_details: {
        Target: 'https://shop.example/',
        Cause: 'Got status 503, expected 200-299',
        Since: '2026-01-01 11:58:30 UTC',
      },
    },
    links: [{ href: 'https://shop.example/', text: 'Target' }],
    client: 'Watchpost',
  })
})

it('makes one alert of one incident, which recovery resolves', async () => {
  const events = await sent(
    told('down'),
    told('repeat'),
    told('up'),
    told('down', { incident_id: 10 }),
  )
  const [down, repeat, up, next] = events
  expect(events.map(({ event_action }) => event_action)).toEqual([
    'trigger',
    'trigger',
    'resolve',
    'trigger',
  ])
  // The same key while the alert is open: PagerDuty adds it to the alert and pages nobody.
  expect([repeat?.dedup_key, up?.dedup_key]).toEqual([down?.dedup_key, down?.dedup_key])
  expect(next?.dedup_key).not.toBe(down?.dedup_key)
  expect(up).toEqual({
    routing_key,
    event_action: 'resolve',
    dedup_key: down?.dedup_key,
    client: 'Watchpost',
  })
})

it('resolves the alert whatever has ended the incident', async () => {
  const reasons = ['recovered', 'paused', 'reconfigured', 'deleted'] as const
  const [down, ...ends] = await sent(
    told('down'),
    ...reasons.map((closed_reason) => told('up', { incident: { closed_reason } })),
  )
  const resolve = { event_action: 'resolve', dedup_key: down?.dedup_key, client: 'Watchpost' }
  expect(ends).toEqual(reasons.map(() => ({ routing_key, ...resolve })))
})

it('acknowledges the alert with the incident', async () => {
  const [down, acknowledged] = await sent(told('down'), told('acknowledged'))
  expect(acknowledged).toEqual({
    routing_key,
    event_action: 'acknowledge',
    dedup_key: down?.dedup_key,
    client: 'Watchpost',
  })
})

it('makes an alert of its own of every piece of news, and the same one of a repeated attempt', async () => {
  const news = { incident: null }
  const [first, again, second] = await sent(
    told('ssl_expiring', { ...news, id: 1 }),
    told('ssl_expiring', { ...news, id: 1 }),
    told('ssl_expiring', { ...news, id: 2 }),
  )
  expect(first?.payload.severity).toBe('warning')
  expect(again?.dedup_key).toBe(first?.dedup_key)
  expect(second?.dedup_key).not.toBe(first?.dedup_key)
})

it('keeps to the limits of the Events API, whatever it is told', async () => {
  for (const event of await sent(...EVENTS, hostile(), hostile('of_another_kind'))) {
    expect(event.routing_key).toHaveLength(32)
    expect(event.dedup_key.length).toBeLessThanOrEqual(255)
    if (event.event_action !== 'trigger') continue
    const { summary, source, severity, timestamp } = event.payload
    expect(summary.length).toBeGreaterThan(0)
    expect(summary.length).toBeLessThanOrEqual(1024)
    expect(source.length).toBeGreaterThan(0)
    expect(['critical', 'error', 'warning', 'info']).toContain(severity)
    expect(new Date(timestamp).toISOString()).toBe(timestamp)
  }
})

describe('the settings', () => {
  it('refuse what is no integration key', async () => {
    const { problems } = rig(pagerdutyContact())
    for (const wrong of ['short', `${routing_key}0`, routing_key.replace('a', '/')]) {
      expect(Object.keys(await problems({ routing_key: wrong }))).toEqual(['routing_key'])
    }
  })

  it('choose the region, whose name stands in the address', async () => {
    const asked: string[] = []
    const kind = pagerdutyContact({
      transport: {
        send: ({ url }) => {
          asked.push(url)
          const end = { http_status: 202, error: null, retry_after: undefined, answer: null }
          return Promise.resolve({ ...end, duration_ms: 1, written: true })
        },
      },
    })
    const { attempt } = rig(kind)
    await attempt({ routing_key }, told('down'))
    await attempt({ routing_key, region: 'eu' }, told('down'))
    expect(asked).toEqual([
      'https://events.pagerduty.com/v2/enqueue',
      'https://events.eu.pagerduty.com/v2/enqueue',
    ])
  })
})
