/** The form of a stored monitor, each part of it on both sides of its edge. */
import { describe, expect, it } from 'vitest'
import { initialState } from '../../src/incident/state.ts'
import type { LocationState, MonitorRecord } from '../../src/model.ts'
import { LAST_MS } from '../../src/model/time.ts'
import { isOutcomeFit, unfitPart } from '../../src/store/monitor-form.ts'
import { monitor, outcome } from '../../src/testing/store-suite/case.ts'

interface Values {
  readonly fit: readonly unknown[]
  readonly unfit: readonly unknown[]
}

const text: Values = { fit: ['', 'x'], unfit: [5, null, undefined] }
const number: Values = { fit: [0, -1.5], unfit: ['1', NaN, Infinity, null, undefined] }
const id: Values = { fit: [1, 2 ** 53 - 1], unfit: [1.5, '1', 2 ** 53, null, undefined] }
const time: Values = {
  fit: [0, LAST_MS, -LAST_MS],
  unfit: ['1', LAST_MS + 2, -LAST_MS - 2, NaN, null, undefined],
}
const object: Values = { fit: [{}], unfit: [null, 5, [], undefined] }
const listOf = ({ fit, unfit }: Values): Values => ({
  fit: [[], fit],
  unfit: [5, null, undefined, ...unfit.map((each) => [...fit, each])],
})
const optional = ({ fit, unfit }: Values): Values => ({
  fit: [...fit, undefined],
  unfit: unfit.filter((each) => each !== undefined),
})
const orNull = ({ fit, unfit }: Values): Values => ({
  fit: [...fit, null],
  unfit: unfit.filter((each) => each !== null),
})
const years = 315_360_000

const RECORD: Readonly<Record<string, Values>> = {
  ...{ id, account_id: id, type: text, target: text, version: id, revision: id },
  ...{ created_at: time, updated_at: time },
}
const COMMON: Readonly<Record<string, Values>> = {
  ...{ name: text, tags: listOf(text), location_ids: listOf(id), contact_ids: listOf(id) },
  interval_sec: { fit: [1, years], unfit: [0, 0.5, years + 1, '60', 1e300, null, undefined] },
  timeout_ms: {
    fit: [0.1, years * 1000],
    unfit: [0, -1, years * 1000 + 1, '5', null, undefined],
  },
  ...{ confirm_locations: number, fail_threshold: number, recover_threshold: number },
  ...{ notify_repeat_min: number, notify_repeat_max: number, contact_delay: object },
  ...{ maintenance: optional(listOf(object)), depends_on: optional(listOf(id)) },
  ...{ metadata: optional(object), warn: optional(object) },
}
const MACHINE: Readonly<Record<string, Values>> = {
  ...{ since: time, known_since: time, availability: text, sent_notice_keys: listOf(text) },
  ...{ fails: number, oks: number, inconclusive: number },
  ...{ first_fail_at: orNull(time), first_ok_at: orNull(time), last_round_at: orNull(time) },
  ...{ last_check_ended_at: optional(time), checked_since: optional(time) },
  ...{ silent: optional(object), hour: optional(object) },
  incident: {
    fit: [null, { id: 1, started_at: 0 }],
    unfit: [
      ...[5, {}, { id: 1 }, { started_at: 0 }, undefined],
      ...[
        { id: 1.5, started_at: 0 },
        { id: 1, started_at: '0' },
      ],
    ],
  },
  degraded: { fit: [undefined, { since: 0 }], unfit: [null, 5, {}, { since: '0' }] },
}

const numbers = { id: 1, version: 1, revision: 1, created_at: 0, updated_at: 0 }
const record = { ...numbers, ...monitor(), machine: initialState(0) } as unknown as MonitorRecord
const PARTS = [
  ['', RECORD, (part: object) => ({ ...record, ...part })],
  ['common.', COMMON, (part: object) => ({ ...record, common: { ...record.common, ...part } })],
  ['machine.', MACHINE, (part: object) => ({ ...record, machine: { ...record.machine, ...part } })],
] as const

describe('a stored monitor', () => {
  it('has the form that the engine writes', () => {
    expect(unfitPart(record)).toBeUndefined()
  })

  const cases = PARTS.flatMap(([of, form, changed]) =>
    Object.entries(form).map(([name, values]) => [of + name, { name, values, changed }] as const),
  )
  it.each(cases)('is told by its part %s', (part, { name, values, changed }) => {
    for (const value of values.fit)
      expect(unfitPart(changed({ [name]: value })), String(value)).toBeUndefined()
    for (const value of values.unfit)
      expect(unfitPart(changed({ [name]: value })), String(value)).toBe(part)
  })
})

it('the last outcome of a location has a time, a duration, phases and details', () => {
  const last = outcome({})
  const fits = (change: object) =>
    isOutcomeFit({ consecutive_fails: 0, last, ...change } as LocationState)
  expect([fits({}), fits({ last: null })]).toEqual([true, true])
  expect([fits({ consecutive_fails: '0' }), fits({ consecutive_fails: NaN, last: null })]).toEqual([
    false,
    false,
  ])
  for (const part of ['started_at', 'duration_ms', 'phases', 'details'])
    for (const value of [undefined, 'x']) {
      expect(fits({ last: { ...last, [part]: value } }), part).toBe(false)
    }
})
