/** What is stored of a round: results, states of locations, totals of the day and of the hour. */
import { describe, expect, it } from 'vitest'
import { roundHours, roundRecords } from '../../src/engine/rounds/round-records.ts'
import { bucketOf } from '../../src/incident/latency.ts'
import type { Outcome } from '../../src/model.ts'
import { cachedMonitor, NOON, reported } from './cached-monitor.ts'
import type { Given } from './cached-monitor.ts'

const FAIL = { verdict: 'fail', cause_code: 'timeout' } as const
const UNKNOWN = { verdict: 'unknown', cause_code: 'probe_offline' } as const
const ROUND = NOON - 250

const recordsOf = (outcome: Partial<Outcome>, given?: Given) =>
  roundRecords(cachedMonitor(given), [reported(1, outcome)], ROUND)
const hourOf = (outcome: Partial<Outcome>, given?: Given) =>
  roundHours(cachedMonitor(given), [reported(1, outcome)], ROUND).hour?.locations['1']

const state = (change: object = {}) => ({
  ...{ monitor_id: 9, location_id: 1, last: null, consecutive_fails: 2, memo: { etag: 'a' } },
  ...change,
})

describe('the records of a round', () => {
  it('are a result of each location, by the time its check started', () => {
    const reports = [reported(1, { duration_ms: 5 }), reported(2, FAIL, { lag_ms: 40 })]
    const { results } = roundRecords(cachedMonitor(), reports, ROUND)
    expect(results).toEqual([
      { ...reports[0]?.report.outcome, location_id: 1, round: ROUND, started_at: NOON, lag_ms: 0 },
      { ...reports[1]?.report.outcome, location_id: 2, round: ROUND, started_at: NOON, lag_ms: 40 },
    ])
  })

  it('are none without a report', () => {
    expect(roundRecords(cachedMonitor(), [], ROUND)).toEqual({})
    expect(roundHours(cachedMonitor(), [], ROUND)).toEqual({ hour: undefined, finished: [] })
  })

  it.each<[string, Partial<Outcome>, number]>([
    ['a failure adds one', FAIL, 3],
    ['a success ends them', {}, 0],
    ['what could not be measured leaves them', UNKNOWN, 2],
  ])('count the failures in a row of each location: %s', (_, outcome, consecutive_fails) => {
    const locations = [state()]
    expect(recordsOf(outcome, { locations }).locations).toMatchObject([{ consecutive_fails }])
    expect(recordsOf(FAIL).locations).toMatchObject([{ monitor_id: 9, consecutive_fails: 1 }])
  })

  it('keep the memo of a location until its check gives another', () => {
    const locations = [state()]
    const memoOf = (report: object) =>
      roundRecords(cachedMonitor({ locations }), [reported(1, {}, { report })], ROUND)
        .locations?.[0]?.memo
    expect(memoOf({})).toEqual({ etag: 'a' })
    expect(memoOf({ memo: { etag: 'b' } })).toEqual({ etag: 'b' })
    expect(recordsOf({}).locations).toMatchObject([{ memo: null, last: { verdict: 'ok' } }])
  })
})

describe('the totals of a round', () => {
  const counted = (outcome: Partial<Outcome>) => {
    const { ok, fail, unknown } = recordsOf(outcome).daily?.[0] ?? {}
    const hour = hourOf(outcome)
    expect([hour?.ok, hour?.fail, hour?.unknown]).toEqual([ok, fail, unknown])
    return [ok, fail, unknown]
  }

  it('count its verdict', () => {
    expect(counted({})).toEqual([1, 0, 0])
    expect(counted(FAIL)).toEqual([0, 1, 0])
    expect(counted(UNKNOWN)).toEqual([0, 0, 1])
  })

  it('are of the day and the hour in which it was due', () => {
    const midnight = Date.UTC(2026, 0, 2)
    const reports = [reported(1)]
    const daysOf = (round: number) =>
      roundRecords(cachedMonitor(), reports, round).daily?.map(({ day }) => day)
    expect(daysOf(midnight - 1)).toEqual(['2026-01-01'])
    expect(daysOf(midnight)).toEqual(['2026-01-02'])
    expect(roundHours(cachedMonitor(), reports, midnight - 1).hour?.hour).toBe(midnight - 3_600_000)
  })

  it('add to the hour so far, and return the one before', () => {
    const hour = roundHours(cachedMonitor(), [reported(1)], ROUND).hour
    const later = cachedMonitor({ machine: { hour: hour! } })
    expect(roundHours(later, [reported(1, FAIL)], ROUND + 1).hour?.locations['1']).toMatchObject({
      ok: 1,
      fail: 1,
    })
    expect(roundHours(later, [reported(1)], NOON).finished).toMatchObject([
      { location_id: 1, ok: 1 },
    ])
  })

  it('have the response time of a good check, in the hour rounded as it is shown', () => {
    const ms = 80.1234
    const [day] = recordsOf({ duration_ms: ms }).daily ?? []
    expect(day).toMatchObject({ ok_ms: ms, latency: { [bucketOf(ms)]: 1 } })
    expect(hourOf({ duration_ms: ms })).toMatchObject({
      ...{ ok_ms: 80.1, min_ms: 80.1, max_ms: 80.1 },
      latency: [bucketOf(ms), 1],
    })
  })

  it.each<[string, Partial<Outcome>, Given]>([
    ['a failure', FAIL, {}],
    ['what could not be measured', UNKNOWN, {}],
    ['a type without one', {}, { checker: { push: {} as never } }],
  ])('have none of %s', (_, outcome, given) => {
    const [day] = recordsOf(outcome, given).daily ?? []
    expect([day?.ok_ms, day?.latency]).toEqual([0, {}])
    expect(hourOf(outcome, given)).toMatchObject({
      ...{ ok_ms: 0, min_ms: null, max_ms: null },
      latency: [],
    })
  })

  it('have the phases of a good check, and the figures that are charted, of any check', () => {
    const checker = { charts: [{ title: 'T', figures: { load: 'Load' } }] } as never
    const phases = { connect_ms: 3 }
    const details = { load: 7, other: 5 }
    expect(hourOf({ phases, details }, { checker })).toMatchObject({
      phases,
      figures: { load: [1, 7, 7, 7] },
    })
    expect(hourOf({ ...FAIL, phases, details }, { checker })).toMatchObject({
      phases: {},
      figures: { load: [1, 7, 7, 7] },
    })
    for (const load of ['7', null, undefined])
      expect(hourOf({ details: { load } }, { checker })?.figures).toEqual({})
    expect(hourOf({ details: { load: Infinity } }, { checker })?.figures).toEqual({})
  })

  it('count a crossed threshold', () => {
    const warning = { cause_code: 'warn_above', cause_text: 'slow' }
    const { hour } = roundHours(cachedMonitor(), [reported(1, {}, { warning })], ROUND)
    expect(hour?.locations['1']?.degraded).toBe(1)
    expect(hourOf({})?.degraded).toBe(0)
  })
})
