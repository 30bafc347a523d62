/** Whom a step of a monitor notifies, of what and when. */
import { describe, expect, it } from 'vitest'
import {
  planAcknowledged,
  planDown,
  planNotices,
  planReleased,
  planSoft,
  planUp,
} from '../../src/engine/rounds/plan-notifications.ts'
import type { NotificationContext } from '../../src/engine/rounds/plan-notifications.ts'
import { isSoft, softData, softNotices } from '../../src/engine/rounds/soft-notices.ts'
import type { CommonSettings, IncidentRecord, JsonObject } from '../../src/model.ts'
import { machine, monitor } from '../../src/testing/store-suite/case.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
const MINUTE = 60_000
const cause = { cause_code: 'timeout', cause_text: 'No answer in time' }
const shown = { id: 9, name: 'Shop', type: 'http' }

interface Situation {
  readonly common?: Partial<CommonSettings>
  readonly downEvent?: string
  readonly metadataInPayloads?: boolean
  readonly reduced_quorum?: boolean
  readonly verdicts?: readonly ('ok' | 'fail')[]
}

function situation({
  common = {},
  downEvent,
  metadataInPayloads = false,
  reduced_quorum,
  verdicts = ['ok', 'fail'],
}: Situation = {}): NotificationContext {
  const { common: usual, ...rest } = monitor({ metadata: { team: 'shop' } })
  const record = { ...rest, id: 9, common: { ...usual, ...common } }
  return {
    core: { metadataInPayloads },
    cached: { record, type: { checker: { downEvent } } },
    machine: machine(reduced_quorum === undefined ? {} : { reduced_quorum }),
    contacts: [
      { id: 3, events: ['degraded'] },
      { id: 4, events: [] },
      { id: 5, events: ['restored'] },
    ],
    reports: verdicts.map((verdict, n) => ({
      location_id: n + 1,
      report: {
        outcome: {
          verdict,
          cause_code: verdict === 'ok' ? null : 'timeout',
          cause_text: verdict === 'ok' ? null : `at ${n + 1}`,
          phase: 'connect',
          details: { at: n + 1 },
        },
      },
    })),
    at: NOON + 5 * MINUTE,
  } as unknown as NotificationContext
}
const opened = {
  kind: 'open_incident' as const,
  started_at: NOON,
  detected_at: NOON + MINUTE,
  cause,
  locations_failed: [2],
} as Parameters<typeof planDown>[1]
const incident = {
  id: 77,
  started_at: NOON,
  detected_at: NOON + MINUTE,
  ...cause,
} as unknown as IncidentRecord
const bodyOf = (row: { readonly payload: string } | undefined) =>
  JSON.parse(row?.payload ?? '{}') as JsonObject

describe('the first notification of an incident', () => {
  it('goes to every contact, dated from the detection by its delay', () => {
    const rows = planDown(situation(), opened)
    expect(rows.map(({ payload: _, ...row }) => row)).toEqual(
      [3, 4, 5].map((contact_id) => ({
        contact_id,
        event: 'down',
        // The delay of contact 3 is 5 minutes.
        due_at: NOON + (contact_id === 3 ? 6 : 1) * MINUTE,
        repeat: 0,
        incident: 'opened',
      })),
    )
    expect(new Set(rows.map(({ payload }) => payload)).size).toBe(1)
  })

  it('says what each location saw, and how the first that failed did', () => {
    const [row] = planDown(situation({ verdicts: ['ok', 'fail', 'fail'] }), opened)
    expect(bodyOf(row)).toEqual({
      event: 'down',
      monitor: { ...shown, target: situation().cached.record.target },
      incident: { started_at: '2026-01-01T12:00:00.000Z', ...cause },
      locations: [
        { location_id: 1, verdict: 'ok', cause_code: null, cause_text: null },
        { location_id: 2, verdict: 'fail', cause_code: 'timeout', cause_text: 'at 2' },
        { location_id: 3, verdict: 'fail', cause_code: 'timeout', cause_text: 'at 3' },
      ],
      locations_failed: [2],
      phase: 'connect',
      details: { at: 2 },
    })
  })

  it('says so where fewer locations than asked for have decided', () => {
    expect(bodyOf(planDown(situation({ reduced_quorum: true }), opened)[0])).toMatchObject({
      reduced_quorum: true,
    })
    for (const none of [{}, { reduced_quorum: false }])
      expect(bodyOf(planDown(situation(none), opened)[0])).not.toHaveProperty('reduced_quorum')
  })

  it('has no phase where no location has failed by itself', () => {
    const body = bodyOf(planDown(situation({ verdicts: ['ok'] }), opened)[0])
    expect(body).not.toHaveProperty('phase')
    expect(body).not.toHaveProperty('details')
  })

  it('has the event of the type, and the metadata where these are asked for', () => {
    const [row] = planDown(
      situation({ downEvent: 'blacklisted', metadataInPayloads: true }),
      opened,
    )
    expect(row?.event).toBe('blacklisted')
    expect(bodyOf(row)).toMatchObject({
      event: 'blacklisted',
      monitor: { metadata: { team: 'shop' } },
    })
    expect(bodyOf(planDown(situation(), opened)[0])['monitor']).not.toHaveProperty('metadata')
  })
})

describe('an incident that is held back no more', () => {
  const failure = { verdict: 'fail', cause, locations_failed: [2] } as unknown as Parameters<
    typeof planReleased
  >[2]
  const released = (given: Situation = {}, of = incident) =>
    planReleased(situation(given), of, failure)

  it('is told to whoever was not told, at once or when the delay is over', () => {
    const rows = released()
    expect(rows.map(({ payload: _, ...row }) => row)).toEqual(
      [3, 4, 5].map((contact_id) => ({
        contact_id,
        event: 'down',
        due_at: NOON + (contact_id === 3 ? 6 : 5) * MINUTE,
        repeat: 0,
        incident: 77,
        only_if_not_notified: true,
      })),
    )
    expect(bodyOf(rows[0])).toMatchObject({ event: 'down', incident: cause, locations_failed: [2] })
  })

  it('is repeated to whoever was told, before that, where it is to be repeated', () => {
    const rows = released({ common: { notify_repeat_min: 10, notify_repeat_max: 4 } })
    expect(rows.slice(3).map(({ event }) => event)).toEqual(['down', 'down', 'down'])
    const repeats = rows.slice(0, 3)
    expect(repeats.map(({ payload: _, ...row }) => row)).toEqual(
      [3, 4, 5].map((contact_id) => ({
        contact_id,
        event: 'repeat',
        due_at: NOON + 15 * MINUTE,
        repeat: 1,
        incident: 77,
        only_if_notified: true,
      })),
    )
    expect(bodyOf(repeats[0])).toMatchObject({ event: 'repeat', repeat: { n: 1, max: 4 } })
  })
})

describe('what follows the first notification', () => {
  const row = { due_at: NOON + 5 * MINUTE, repeat: 0, incident: 77, only_if_notified: true }
  const ended = {
    kind: 'close_incident' as const,
    ended_at: NOON + 90_000,
    reason: 'recovered',
  } as Parameters<typeof planUp>[2]

  it('is the end, for whoever was told of the beginning', () => {
    const rows = planUp(situation(), incident, ended)
    expect(rows.map(({ payload: _, ...each }) => each)).toEqual(
      [3, 4, 5].map((contact_id) => ({ ...row, contact_id, event: 'up' })),
    )
    expect(bodyOf(rows[0])).toEqual({
      event: 'up',
      monitor: { ...shown, target: situation().cached.record.target },
      incident: {
        started_at: '2026-01-01T12:00:00.000Z',
        ...cause,
        ended_at: '2026-01-01T12:01:30.000Z',
        duration_sec: 90,
        closed_reason: 'recovered',
      },
    })
  })

  it('is nothing where the end is not to be told', () => {
    const silent = situation({ common: { notify_recovery: false } })
    expect(planUp(silent, incident, ended)).toEqual([])
  })

  it('is that somebody has taken it on', () => {
    const rows = planAcknowledged(situation(), incident)
    expect(rows.map(({ payload: _, ...each }) => each)).toEqual(
      [3, 4, 5].map((contact_id) => ({ ...row, contact_id, event: 'acknowledged' })),
    )
    expect(bodyOf(rows[0])['incident']).toEqual({
      started_at: '2026-01-01T12:00:00.000Z',
      ...cause,
      acknowledged_at: '2026-01-01T12:05:00.000Z',
    })
  })
})

describe('what belongs to no incident', () => {
  const notices = [
    { event: 'degraded', data: { degraded: { a: 1 } } },
    { event: 'restored', data: { degraded: { b: 2 } } },
  ]
  const row = { due_at: NOON + 5 * MINUTE, repeat: 0, incident: null }

  it('goes to every contact', () => {
    const rows = planNotices(situation(), notices)
    expect(rows.map(({ payload: _, ...each }) => each)).toEqual(
      notices.flatMap(({ event }) =>
        [3, 4, 5].map((contact_id) => ({ ...row, contact_id, event })),
      ),
    )
    expect(bodyOf(rows[0])).toEqual({
      event: 'degraded',
      monitor: { ...shown, target: situation().cached.record.target },
      incident: null,
      degraded: { a: 1 },
    })
  })

  it('goes to those who asked for it where it is a soft event', () => {
    const rows = planSoft(situation(), notices)
    expect(rows.map(({ contact_id, event }) => [contact_id, event])).toEqual([
      [3, 'degraded'],
      [5, 'restored'],
    ])
  })
})

describe('soft events', () => {
  const degraded = { since: NOON, cause_code: 'warn_above', cause_text: '912 ms' }

  it('say since when and why, and at the end for how long', () => {
    const effects = [
      { kind: 'open_incident' },
      { kind: 'degraded', since: NOON, cause },
      { kind: 'restored', degraded, ended_at: NOON + 90_000, reason: 'recovered' },
    ] as unknown as Parameters<typeof softNotices>[0]
    expect(softNotices(effects)).toEqual([
      {
        event: 'degraded',
        key: '',
        data: { degraded: { since: '2026-01-01T12:00:00.000Z', ...cause } },
      },
      {
        event: 'restored',
        key: '',
        data: {
          degraded: {
            ...degraded,
            since: '2026-01-01T12:00:00.000Z',
            ended_at: '2026-01-01T12:01:30.000Z',
            duration_sec: 90,
            closed_reason: 'recovered',
          },
        },
      },
    ])
  })

  it('have data that a listener reads as it is', () => {
    const data = { degraded: { cause_code: 'warn_above' } }
    expect(softData(data)).toBe(data)
  })

  it('are two', () => {
    expect(['degraded', 'restored', 'down', ''].map(isSoft)).toEqual([true, true, false, false])
  })
})
