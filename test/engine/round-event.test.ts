/** What the reports of a round say together. */
import { describe, expect, it } from 'vitest'
import { missingReport, roundEvent } from '../../src/engine/rounds/round-event.ts'
import type { Outcome } from '../../src/model.ts'
import { cachedMonitor, NOON, reported } from './cached-monitor.ts'
import type { Given } from './cached-monitor.ts'

const failure = (cause_code: string | null, cause_text: string | null = `It is ${cause_code}`) =>
  ({ verdict: 'fail', cause_code, cause_text }) satisfies Partial<Outcome>
const unknown = (cause_code: string) =>
  ({ verdict: 'unknown', cause_code }) satisfies Partial<Outcome>

/** The event of a round with one outcome for each location, from 1 on. */
const eventOf = (outcomes: readonly Partial<Outcome>[], given: Given = {}) =>
  roundEvent(
    cachedMonitor(given),
    outcomes.map((each, n) => reported(n + 1, each)),
    NOON,
  )
const two = { common: { confirm_locations: 2 } }

describe('a round', () => {
  it('is decided by as many locations as must agree', () => {
    const mixed = [failure('timeout'), {}, {}]
    expect(eventOf(mixed)).toMatchObject({ kind: 'round', at: NOON, verdict: 'fail' })
    expect(eventOf(mixed, two)).toMatchObject({ kind: 'round', at: NOON, verdict: 'ok' })
    expect(eventOf([failure('timeout'), failure('timeout'), {}], two)).toMatchObject({
      verdict: 'fail',
      locations_failed: [1, 2],
    })
    const single: Given = { ...two, checker: { common: { singleLocation: true } } }
    expect(eventOf(mixed, single)).toMatchObject({ verdict: 'fail' })
  })

  it('is late where every good location says so', () => {
    const late = reported(1, {}, { report: { late: true } })
    expect(roundEvent(cachedMonitor(), [late], NOON).verdict).toBe('late')
    expect(roundEvent(cachedMonitor(), [late, reported(2)], NOON).verdict).toBe('ok')
  })

  it.each<[string, Partial<Outcome>, object]>([
    ['did not report', unknown('probe_no_report'), { 2: 1 }],
    ['had no network', unknown('probe_offline'), { 2: 1 }],
    ['could not measure', unknown('probe_resolver_broken'), {}],
    ['failed with the same word', failure('probe_offline'), {}],
    ['was good', {}, {}],
  ])('counts the rounds in which a location was silent: one that %s', (_, second, silent) => {
    const event = eventOf([{}, second])
    expect([event.silent, event.reduced]).toEqual([silent, false])
  })

  it('leaves out a location that was silent for more than three rounds', () => {
    const outcomes = [failure('timeout'), unknown('probe_no_report')]
    const before = (rounds: number): Given => ({ ...two, machine: { silent: { 2: rounds } } })
    expect(eventOf(outcomes, before(2))).toMatchObject({
      verdict: 'inconclusive',
      silent: { 2: 3 },
      reduced: false,
    })
    expect(eventOf(outcomes, before(3))).toMatchObject({
      verdict: 'fail',
      silent: { 2: 4 },
      reduced: true,
    })
  })

  it('without a report says nothing', () => {
    expect(eventOf([])).toMatchObject({ verdict: 'inconclusive', last_check_ended_at: null })
    const report = missingReport(NOON)
    expect(report).toMatchObject({
      outcome: {
        verdict: 'unknown',
        cause_code: 'probe_no_report',
        cause_text: 'The location did not report in time',
        started_at: '2026-01-01T12:00:00.000Z',
      },
      begun: false,
    })
    const reports = [{ location_id: 1, report, lag_ms: 0 }]
    expect(roundEvent(cachedMonitor(), reports, NOON)).toMatchObject({
      verdict: 'inconclusive',
      silent: { 1: 1 },
    })
  })
})

describe('the cause of a failing round', () => {
  const causeOf = (...outcomes: readonly Partial<Outcome>[]) => {
    const event = eventOf(outcomes)
    return event.verdict === 'fail' ? event.cause : undefined
  }

  it('is the one that most locations name, with the text of the first of them', () => {
    const [refused, other] = [
      failure('connect_refused', 'at 2'),
      failure('connect_refused', 'at 3'),
    ]
    expect(causeOf(failure('timeout'), refused, other)).toEqual({
      cause_code: 'connect_refused',
      cause_text: 'at 2',
    })
  })

  it('is the first of as many; good locations have none', () => {
    expect(causeOf({}, failure('timeout'), failure('connect_refused'))).toMatchObject({
      cause_code: 'timeout',
    })
    const pairs = [failure('a'), failure('b'), failure('b'), failure('a')]
    expect(causeOf(...pairs)).toMatchObject({ cause_code: 'a' })
  })

  it('is an internal error where a failure has none', () => {
    expect(causeOf(failure(null, null))).toEqual({
      cause_code: 'internal_error',
      cause_text: 'The check failed',
    })
    expect(causeOf(failure(null, null), failure(null, null), failure('a'))).toMatchObject({
      cause_code: 'internal_error',
    })
    expect(causeOf(failure('a'), failure(null, null), failure(null, null))).toMatchObject({
      cause_code: 'internal_error',
    })
  })

  it('is as old as the first failing location says', () => {
    const since = NOON - 5
    const reports = [
      reported(1, {}, { report: { since: 1 } }),
      reported(2, failure('late'), { report: { since } }),
      reported(3, failure('late'), { report: { since: 2 } }),
    ]
    expect(roundEvent(cachedMonitor(), reports, NOON)).toMatchObject({ since })
    expect(eventOf([failure('late')])).toMatchObject({ since: undefined })
  })
})

describe('the end of the last check of a round', () => {
  const iso = (ms: number) => new Date(NOON + ms).toISOString()
  const check = (started_at: string, duration_ms: number, begun?: false) =>
    reported(1, { started_at, duration_ms }, { report: begun === undefined ? {} : { begun } })
  const endOf = (...reports: ReturnType<typeof check>[]) =>
    roundEvent(cachedMonitor(), reports, NOON).last_check_ended_at

  it('is the latest of those that were begun, in whole milliseconds', () => {
    expect(endOf(check(iso(0), 80.4), check(iso(-1000), 90))).toBe(NOON + 80)
    expect(endOf(check(iso(0), 80), check(iso(-1000), 5000))).toBe(NOON + 4000)
    expect(endOf(check(iso(0), 80), check(iso(9000), 0, false))).toBe(NOON + 80)
    expect(endOf(check(iso(0), 80, false))).toBeNull()
  })

  it('is not known of a type that is told of its checks, nor left out of a failing round', () => {
    const push = { checker: { push: {} as never } }
    expect(eventOf([{}], push)).not.toHaveProperty('last_check_ended_at')
    expect(eventOf([failure('late')], push)).not.toHaveProperty('last_check_ended_at')
    expect(eventOf([failure('timeout')])).toMatchObject({ last_check_ended_at: NOON + 80 })
  })
})

describe('a threshold that a good round crosses', () => {
  const warning = { cause_code: 'warn_above', cause_text: 'slow' }

  it('is said where as many locations warn as must agree on a failure', () => {
    const warned = [reported(1, {}, { warning }), reported(2)]
    expect(roundEvent(cachedMonitor(), warned, NOON)).toMatchObject({ warned: warning })
    const event = roundEvent(cachedMonitor(two), warned, NOON)
    expect(event).toMatchObject({ verdict: 'ok' })
    expect(event).not.toHaveProperty('warned')
  })

  it('is not said in a failing round', () => {
    const event = roundEvent(
      cachedMonitor(),
      [reported(1, {}, { warning }), reported(2, failure('timeout'))],
      NOON,
    )
    expect(event).not.toHaveProperty('warned')
  })
})
