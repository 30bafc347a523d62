/** Which thresholds of `warn` the checks of a round cross. */
import { describe, expect, it } from 'vitest'
import type { GoodCheck } from '../../src/engine/rounds/baselines.ts'
import { roundWarning, withWarnings } from '../../src/engine/rounds/warnings.ts'
import type { Usual } from '../../src/incident/warn.ts'
import type { Degraded, Outcome, Warn } from '../../src/model.ts'
import { cachedMonitor, NOON, reported } from './cached-monitor.ts'
import type { Given } from './cached-monitor.ts'

const band = { low: 50, high: 100 }
const details = { low_ms: 50, high_ms: 100 }
const compared = { value: 80, band, weeks: 4, details }
const asked: unknown[] = []

/** What one good check says, where its response time compares so with what is usual. */
function warnedBy(warn: Warn, outcome: Partial<Outcome>, usual?: Usual, given: Given = {}) {
  asked.length = 0
  const baselines = {
    judge: (_: unknown, location_id: number, { tick, outcome }: GoodCheck) => {
      asked.push([location_id, tick, outcome.verdict])
      return usual ?? { place: 'unclear' as const }
    },
    stop: () => Promise.resolve(),
  }
  const cached = cachedMonitor({ ...given, common: { warn } })
  const reports = [reported(3, outcome)]
  const [first] = withWarnings(cached, reports, { baselines, tick: NOON })
  return { ...first, isSame: first === reports[0], details: first?.report.outcome.details }
}
const slow = { response: { above: 50 } } as const

describe('a good check', () => {
  it('beyond a threshold has a warning, which its result shows with its figures', () => {
    const { warning, details, unclear } = warnedBy(slow, { details: { status: 200 } })
    const said = { cause_code: 'warn_above', cause_text: 'response is 80 ms, more than 50 ms' }
    expect(warning).toEqual(said)
    expect(details).toEqual({
      status: 200,
      warning: { ...said, figure: 'response', value: 80, above: 50 },
    })
    expect(unclear).toBeUndefined()
  })

  it('within its thresholds is left as it is, and so is one without any', () => {
    expect(warnedBy({ response: { above: 80 } }, {}).isSame).toBe(true)
    expect(warnedBy({}, {}).isSame).toBe(true)
    expect(asked).toEqual([])
  })

  it.each([['fail'], ['unknown']] as const)('is not one of verdict %s', (verdict) => {
    expect(warnedBy({ ...slow, load: 'baseline' }, { verdict }).isSame).toBe(true)
    expect(asked).toEqual([])
  })

  it.each<[string, Outcome['details'], boolean]>([
    ['a number', { load: 7 }, true],
    ['a text', { load: '7' }, false],
    ['no number', { load: NaN }, false],
    ['without end', { load: Infinity }, false],
    ['absent', {}, false],
  ])('has a figure that is %s', (_, details, warns) => {
    expect(warnedBy({ load: { above: 5 } }, { details }).warning !== undefined).toBe(warns)
  })

  it('has no figure of a name that every object knows', () => {
    expect(warnedBy({ constructor: { above: 0 } }, {}).warning).toBeUndefined()
  })
})

describe('a response time beyond what is usual', () => {
  const warn: Warn = { response: 'baseline' }
  const degraded = (cause_code: string): Given => ({
    machine: { degraded: { since: NOON, cause_code, cause_text: '' } satisfies Degraded },
  })

  it('is a warning, whose result shows what is usual', () => {
    const { warning, details: shown } = warnedBy(warn, {}, { place: 'beyond', ...compared })
    expect(asked).toEqual([[3, NOON, 'ok']])
    expect(warning?.cause_code).toBe('warn_baseline')
    expect(shown).toMatchObject({ baseline: details, warning: { figure: 'response', weeks: 4 } })
  })

  it.each<[string, Usual, string, boolean]>([
    ['near', { place: 'near', ...compared }, 'warn_baseline', true],
    ['unknown', { place: 'unclear' }, 'warn_baseline', true],
    ['within', { place: 'within', ...compared }, 'warn_baseline', false],
    ['being learned', { place: 'learning', details: {} }, 'warn_baseline', false],
    [
      'near, and another threshold was crossed',
      { place: 'near', ...compared },
      'warn_above',
      false,
    ],
  ])('does not end while it is %s', (_, usual, cause, isUnclear) => {
    const said = warnedBy(warn, {}, usual, degraded(cause))
    expect(said.warning).toBeUndefined()
    expect(said.unclear === true).toBe(isUnclear)
  })

  it('says nothing once another threshold has taken its place', () => {
    const said = warnedBy({ response: { above: 500 } }, {}, undefined, degraded('warn_baseline'))
    expect([said.warning, said.unclear]).toEqual([undefined, undefined])
  })

  it('that does not warn says so alone, with what is usual', () => {
    expect(warnedBy(warn, {}, { place: 'near', ...compared })).toMatchObject({
      details: { baseline: details },
    })
    expect(warnedBy(warn, {}, { place: 'near', ...compared }).unclear).toBeUndefined()
    expect(warnedBy(warn, {}, { place: 'unclear' }).isSame).toBe(true)
  })
})

describe('a round', () => {
  const warning = (cause_code: string) => ({ warning: { cause_code, cause_text: '' } })
  const first = reported(1, {}, warning('a'))
  const second = reported(2, {}, warning('b'))
  const unclear = reported(3, {}, { unclear: true })
  const failed = reported(4, { verdict: 'fail' }, warning('c'))
  const good = reported(5)
  const unmeasured = reported(6, { verdict: 'unknown' })

  it.each<[string, ReturnType<typeof reported>[], number, object]>([
    ['without a warning says nothing', [good, good], 1, {}],
    ['names the cause of the first location', [good, second, first], 1, { warned: second.warning }],
    ['of which too few warn says nothing', [first, good, good], 2, {}],
    ['of which enough warn warns', [first, second, good], 2, { warned: first.warning }],
    ['without a warning says nothing, whatever was not measured', [good, unmeasured], 1, {}],
    ['may be unclear', [unclear], 1, { warned: 'unclear' }],
    ['is unclear where one location is', [unclear, good], 1, { warned: 'unclear' }],
    ['is not unclear where enough are good', [unclear, good, good], 2, {}],
    ['is unclear where too few are clear', [first, unclear, good], 2, { warned: 'unclear' }],
    [
      'is unclear where others failed',
      [first, reported(2, { verdict: 'fail' }), good],
      2,
      { warned: 'unclear' },
    ],
    [
      'of unclear locations and a failing one is unclear',
      [unclear, failed],
      2,
      { warned: 'unclear' },
    ],
  ])('%s', (_, reports, confirm_locations, said) => {
    expect(roundWarning(reports, confirm_locations)).toEqual(said)
  })
})
