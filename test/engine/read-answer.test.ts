/** What an answer of a probe becomes: bounded, dated, or none. */
import { describe, expect, it } from 'vitest'
import { readAnswer } from '../../src/engine/rounds/read-answer.ts'
import type { CheckAnswer } from '../../src/probes/transport.ts'
import type { JsonObject } from '../../src/model.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 0, 10)
const at = (ms: number) => new Date(NOW + ms).toISOString()

const ORDER = { id: '7-1-0-1', monitor_id: 7, version: 1, round: NOW, location_id: 1 }
const OK = {
  verdict: 'ok',
  cause_code: null,
  cause_text: null,
  phase: null,
  started_at: at(-1000),
  duration_ms: 5,
  phases: { connect_ms: 5 },
  remote_ip: '192.0.2.1',
  details: { status: 200 },
}
const FAIL = { ...OK, verdict: 'fail', cause_code: 'timeout', cause_text: 'No answer', phase: 'x' }

const answer = (outcome: unknown, more: object = {}, lag_ms: unknown = 3) =>
  readAnswer({ order: ORDER, report: { outcome, ...more }, lag_ms }, NOW)
const outcomeOf = (change: object) => answer({ ...FAIL, ...change })?.report.outcome
const reportOf = (more: object): CheckAnswer['report'] | undefined => answer(OK, more)?.report

describe('an answer', () => {
  it('is taken as it is', () => {
    const data = { issuer: 'A' }
    const notices = [{ event: 'ssl_changed', key: 'k', data }]
    const more = { notices, memo: { etag: 'x' }, since: NOW - 5, late: true, begun: false }
    expect(answer(FAIL, more)).toEqual({
      order: ORDER,
      report: { outcome: FAIL, ...more },
      lag_ms: 3,
    })
    expect(answer(OK)).toStrictEqual({ order: ORDER, report: { outcome: OK }, lag_ms: 3 })
    expect(answer({ ...FAIL, verdict: 'unknown' })?.report.outcome.verdict).toBe('unknown')
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'ok'],
    ['a list', [{ order: ORDER, report: { outcome: OK } }]],
    ['without an order', { report: { outcome: OK }, lag_ms: 0 }],
    ['of no monitor', { order: { ...ORDER, monitor_id: '7' }, report: { outcome: OK } }],
    ['of half a monitor', { order: { ...ORDER, monitor_id: 7.5 }, report: { outcome: OK } }],
    ['without a report', { order: ORDER, lag_ms: 0 }],
    ['without an outcome', { order: ORDER, report: {} }],
  ])('that is %s is none', (_, value) => {
    expect(readAnswer(value, NOW)).toBeUndefined()
  })

  it.each<[string, object]>([
    ['no verdict', { verdict: undefined }],
    ['another verdict', { verdict: 'degraded' }],
    ['no cause', { cause_code: null }],
    ['a cause of 65 characters', { cause_code: 'a'.repeat(65) }],
    ['a cause with a space', { cause_code: 'time out' }],
    ['no time', { started_at: undefined }],
    ['no time that is one', { started_at: 'yesterday' }],
    ['no duration', { duration_ms: undefined }],
    ['a duration that is a text', { duration_ms: '5' }],
    ['a duration below zero', { duration_ms: -1 }],
    ['a duration of more than a day', { duration_ms: DAY + 1 }],
    ['a duration that is no number', { duration_ms: NaN }],
    ['a list of phases', { phases: [] }],
    ['a list of details', { details: [] }],
  ])('whose outcome has %s is none', (_, change) => {
    expect(outcomeOf(change)).toBeUndefined()
  })

  it('with a good verdict needs no cause', () => {
    expect(answer({ ...OK, cause_code: undefined })?.report.outcome.cause_code).toBeNull()
  })

  it.each<[number, number]>([
    [0, 0],
    [DAY, DAY],
  ])('may have taken %d ms', (duration_ms, seen) => {
    expect(outcomeOf({ duration_ms })?.duration_ms).toBe(seen)
  })

  it.each<[string, number, number]>([
    ['a day ago is dated so', -DAY, -DAY],
    ['in a day is dated so', DAY, DAY],
    ['more than a day ago has just ended', -DAY - 1, -5],
    ['in more than a day has just ended', DAY + 1, -5],
  ])('that started %s', (_, started, seen) => {
    expect(outcomeOf({ started_at: at(started) })?.started_at).toBe(at(seen))
  })

  it('with a lag that is none has none', () => {
    for (const lag_ms of [null, -1, DAY + 1, '3']) expect(answer(OK, {}, lag_ms)?.lag_ms).toBe(0)
    expect(answer(OK, {}, DAY)?.lag_ms).toBe(DAY)
  })
})

describe('the texts of an answer', () => {
  it('are cut, on one line, or none', () => {
    expect(outcomeOf({ cause_text: 'a\nb' })?.cause_text).toBe('a\\nb')
    expect(outcomeOf({ cause_text: 'x'.repeat(8001) })?.cause_text).toBe('x'.repeat(8000))
    expect(outcomeOf({ cause_text: 5 })?.cause_text).toBeNull()
    expect(outcomeOf({ remote_ip: '1'.repeat(65) })?.remote_ip).toBe('1'.repeat(64))
    expect(outcomeOf({ remote_ip: null })?.remote_ip).toBeNull()
    expect(outcomeOf({ phase: 'connect now' })?.phase).toBeNull()
  })

  it('of the phases are codes, with a duration each, and not more than 64', () => {
    const phases = { connect_ms: 5, 'a b': 1, tls_ms: -1, first_byte_ms: 'x', transfer_ms: 0 }
    expect(outcomeOf({ phases })?.phases).toEqual({ connect_ms: 5, transfer_ms: 0 })
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`p${n}`, n]))
    expect(Object.keys(outcomeOf({ phases: many })?.phases ?? {})).toHaveLength(64)
  })
})

describe('what has no bound of its own', () => {
  /** JSON of so many characters. */
  const sized = (chars: number): JsonObject => ({ a: 'x'.repeat(chars - '{"a":""}'.length) })
  const LARGEST = 128 * 1024

  it('is dropped above 128 KiB: details, a memo and the data of a notice', () => {
    const notice = (data: JsonObject) => ({ event: 'e', key: 'k', data })
    const fits = sized(LARGEST)
    expect(outcomeOf({ details: fits })?.details).toEqual(fits)
    expect(outcomeOf({ details: sized(LARGEST + 1) })?.details).toEqual({})
    expect(reportOf({ memo: fits })?.memo).toEqual(fits)
    expect(reportOf({ memo: sized(LARGEST + 1) })?.memo).toBeNull()
    expect(reportOf({ notices: [notice(fits)] })?.notices).toEqual([notice(fits)])
    expect(reportOf({ notices: [notice(sized(LARGEST + 1))] })?.notices).toEqual([])
  })

  it('are the data of notices: together 128 KiB', () => {
    const notices = Array.from({ length: 3 }, (_, n) => ({
      ...{ event: 'e', key: `${n}`, data: sized(LARGEST / 2) },
    }))
    expect(reportOf({ notices })?.notices).toEqual(notices.slice(0, 2))
  })

  it('is dropped where it is nested too deep to be written, however long it is', () => {
    const nested = (depth: number): JsonObject => (depth === 0 ? {} : { of: nested(depth - 1) })
    for (const beside of ['', 'x'.repeat(LARGEST / 2)]) {
      const deep = { beside, deep: nested(2000) }
      expect(outcomeOf({ details: deep })?.details).toEqual({})
      expect(reportOf({ memo: deep })?.memo).toBeNull()
      expect(reportOf({ notices: [{ event: 'e', key: 'k', data: deep }] })?.notices).toEqual([])
      const fits = { beside, deep: nested(100) }
      expect(outcomeOf({ details: fits })?.details).toEqual(fits)
    }
  })

  it('is left out where it is not of its kind', () => {
    for (const more of [{ notices: 'all' }, { since: 'now' }, { late: 'yes' }, { begun: 0 }])
      expect(reportOf(more)).toEqual({ outcome: OK })
    expect(reportOf({ since: Infinity, late: false, begun: true })).toEqual({ outcome: OK })
    for (const since of [0, -1e300, 1e300, NOW - DAY - 1, NOW + 1])
      expect(reportOf({ since })).toEqual({ outcome: OK })
    expect(reportOf({ since: String(NOW - 5) })).toEqual({ outcome: OK })
    for (const since of [NOW - DAY, NOW])
      expect(reportOf({ since })).toEqual({ outcome: OK, since })
    // Not every store has fractions of milliseconds.
    expect(reportOf({ since: NOW - 0.5 })).toEqual({ outcome: OK, since: NOW - 1 })
  })

  it('are notices: those with an event, a key of 1,000 characters and data, of the first hundred', () => {
    const notice = { event: 'e', key: 'k'.repeat(1000), data: {} }
    const wrong = [
      'text',
      { ...notice, event: 'a b' },
      { ...notice, key: 5 },
      { ...notice, key: 'k'.repeat(1001) },
      { ...notice, data: [] },
    ]
    expect(reportOf({ notices: [...wrong, notice] })?.notices).toEqual([notice])
    const many = Array.from({ length: 101 }, (_, n) => ({ ...notice, key: `${n}` }))
    expect(reportOf({ notices: many })?.notices).toEqual(many.slice(0, 100))
  })
})
