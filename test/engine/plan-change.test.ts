/** What one event of a monitor changes, whom it notifies, and what it cancels. */
import { describe, expect, it } from 'vitest'
import type { CachedMonitor } from '../../src/engine/monitors/cached-monitor.ts'
import { applyChange } from '../../src/engine/monitors/cached-monitor.ts'
import { planChange } from '../../src/engine/rounds/plan-change.ts'
import type { MachineInput } from '../../src/engine/rounds/plan-change.ts'
import type { MachineEvent } from '../../src/incident/transition.ts'
import { initialState } from '../../src/incident/state.ts'
import type { JsonObject, MachineState } from '../../src/model.ts'
import { contact, monitor } from '../../src/testing/store-suite/case.ts'
import { cachedMonitor, NOON, reported } from './cached-monitor.ts'
import type { Given } from './cached-monitor.ts'
import { outboxRig } from './outbox-rig.ts'

const MINUTE = 60_000
const cause = { cause_code: 'timeout', cause_text: 'No answer in time' }
const other = { cause_code: 'refused', cause_text: 'Nobody listens' }
const at = (minutes: number): number => NOON + minutes * MINUTE

type Round = Partial<Extract<MachineEvent, { kind: 'round' }>>

const good = (minutes: number): MachineInput => ({
  event: { kind: 'round', verdict: 'ok', at: at(minutes) },
  reports: [reported(1)],
})
const bad = (minutes: number, of: Round & { cause?: typeof cause } = {}): MachineInput => ({
  event: { kind: 'round', verdict: 'fail', at: at(minutes), cause, locations_failed: [1], ...of },
  reports: [reported(1, { verdict: 'fail', ...cause, ...of.cause })],
})
type UserEvent = 'pause' | 'resume' | 'reconfigure' | 'remove' | 'maintenance_start'
const user = (kind: UserEvent, minutes: number) => ({
  event: { kind, at: at(minutes) },
})

/** A monitor in the store with one contact, down at its first failing round; a parent as the test says. */
async function monitored({ parent, ...given }: Given & { parent?: Partial<MachineState> } = {}) {
  const { core, store, clock } = await outboxRig()
  await store.contacts.create(contact({ all_monitors: true }))
  const depends_on = parent === undefined ? [] : [77]
  const common = { fail_threshold: 1, depends_on, ...given.common }
  const seen = cachedMonitor({ ...given, common })
  const { id } = await store.monitors.create({ ...monitor(), ...seen.record })
  let cached: CachedMonitor = { ...seen, record: { ...seen.record, id, revision: 1 } }
  let said = parent
  const get = (): Promise<CachedMonitor> => {
    const machine = { ...initialState(NOON), last_round_at: at(1440), ...said }
    return Promise.resolve(cachedMonitor({ id: 77, machine }))
  }
  const plan = (input: MachineInput) => planChange({ core, monitorCache: { get } }, cached, input)
  return {
    ...{ store, plan, clock },
    machine: () => cached.record.machine,
    parentIs: (machine: Partial<MachineState>) => void (said = machine),
    /** As if `flap_detection` were turned off. */
    ignore() {
      const common = { ...cached.record.common, flap_detection: false }
      cached = { ...cached, record: { ...cached.record, common } }
    },
    /** Plans, stores, and goes on with what is stored. */
    async step(input: MachineInput) {
      const planned = await plan(input)
      if (planned === null) throw new Error('nothing changes')
      const [committed] = await store.commit([planned.change])
      if (committed?.ok !== true) throw new Error('refused')
      cached = applyChange(core, cached, { change: planned.change, committed })
      return { ...planned, ...planned.change, committed }
    },
    /** As a user does, who changes nothing else. */
    async acknowledge(minutes: number) {
      const { id: monitor_id, revision } = cached.record
      const update_incident = { id: 1, acknowledged_at: at(minutes) }
      const change = { monitor_id, revision, at: at(minutes), update_incident }
      const [committed] = await store.commit([change])
      if (committed?.ok !== true) throw new Error('refused')
      cached = applyChange(core, cached, { change, committed })
    },
    incident: async () => (await store.incidents.list({ account_id: 1, limit: 1 })).at(0),
    /** Events and statuses of all notifications, oldest first. */
    async told() {
      const rows = await store.notifications.list({ account_id: 1, limit: 99 })
      return rows.map(({ event, status }) => `${event} ${status}`).toReversed()
    },
  }
}

describe('a round', () => {
  it('is stored with its results; the first good one makes the monitor up', async () => {
    const { step } = await monitored()
    const change = await step(good(1))
    expect(change).toMatchObject({
      ...{ at: at(1), machine: { state: 'up', availability: 'up', last_round_at: at(1) } },
      availability: [{ at: at(1), availability: 'up' }],
      results: [{ location_id: 1, round: at(1), verdict: 'ok' }],
      locations: [{ location_id: 1, consecutive_fails: 0 }],
      daily: [{ ok: 1 }],
      ...{ notify: [], fresh: [] },
    })
    for (const name of ['hourly', 'open_incident', 'update_incident', 'cancel'])
      expect(change).not.toHaveProperty(name)
  })

  it('of the next hour completes the totals of the last one', async () => {
    const { step } = await monitored()
    await step(good(58))
    expect(await step(good(59))).not.toHaveProperty('hourly')
    const { hourly, machine } = await step(good(60))
    expect(hourly).toMatchObject([{ hour: NOON, location_id: 1, ok: 2 }])
    expect(machine?.hour?.hour).toBe(at(60))
  })

  it('that comes after a pause is stored with its results, and changes nothing else', async () => {
    const { step, machine } = await monitored()
    await step(good(1))
    await step(user('pause', 2))
    const before = machine()
    const late = await step(good(2))
    expect(late.results).toHaveLength(1)
    expect({ ...late.machine, hour: undefined }).toEqual({ ...before, hour: undefined })
  })

  it('after more than two intervals without one leaves the time between unknown', async () => {
    const { step } = await monitored()
    await step(good(1))
    await step(good(3))
    const { availability } = await step(good(6))
    expect(availability).toEqual([
      { at: at(4), availability: 'unknown' },
      { at: at(6), availability: 'up' },
    ])
  })

  it('of a push type may be as late as it wants', async () => {
    const { step } = await monitored({ checker: { push: {} as never } })
    await step(good(1))
    expect((await step(good(600))).availability).toEqual([])
  })
})

describe('an event that changes nothing', () => {
  it('has no change', async () => {
    const { step, plan } = await monitored()
    expect(await plan(user('resume', 1))).toBeNull()
    await step(user('pause', 1))
    expect(await plan(user('pause', 2))).toBeNull()
  })

  it('is not one that begins the checks anew', async () => {
    const { step } = await monitored()
    const { machine } = await step(user('reconfigure', 1))
    expect(machine).toMatchObject({ state: 'pending', since: at(1) })
  })
})

describe('a failure', () => {
  it('opens an incident once it is confirmed, and notifies of it', async () => {
    const { step, incident, told } = await monitored({ common: { fail_threshold: 2 } })
    expect(await step(bad(1))).toMatchObject({ machine: { state: 'confirming' }, notify: [] })
    const { notify, open_incident, availability } = await step(bad(2))
    expect(availability).toEqual([{ at: at(1), availability: 'down' }])
    expect(open_incident).toEqual({
      ...{ started_at: at(1), detected_at: at(2), ...cause, locations_failed: [1] },
      ...{ causes: [{ at: at(1), ...cause }], suppressed_by: null },
    })
    expect(notify).toMatchObject([{ contact_id: 1, event: 'down', incident: 'opened' }])
    expect(await incident()).toMatchObject({ ended_at: null, suppressed_by: null })
    expect(await told()).toEqual(['down queued'])
  })

  it('that goes on is not opened again; a new cause is added', async () => {
    const { step, incident, told } = await monitored()
    await step(bad(1))
    const same = await step(bad(2))
    expect([same.notify, same.update_incident]).toEqual([[], undefined])
    expect(same).not.toHaveProperty('cancel')
    const { update_incident, notify } = await step(bad(3, { cause: other, locations_failed: [2] }))
    const causes = [
      { at: at(1), ...cause },
      { at: at(3), ...other },
    ]
    expect(update_incident).toEqual({ id: 1, causes, locations_failed: [2], suppressed_by: null })
    expect(notify).toEqual([])
    expect(await incident()).toMatchObject({ causes, cause_code: 'timeout' })
    expect(await told()).toEqual(['down queued'])
  })

  it('keeps its latest fifty causes', async () => {
    const { step, incident } = await monitored()
    for (let n = 1; n <= 52; n++) await step(bad(n, { cause: n % 2 === 0 ? other : cause }))
    const { causes = [] } = (await incident()) ?? {}
    expect([causes.length, causes[0]?.at, causes[49]?.at]).toEqual([50, at(3), at(52)])
  })

  it('ends with the first good round; what is planned later is cancelled', async () => {
    const { step, incident, told } = await monitored({
      common: { contact_ids: [1], contact_delay: { '1': 10 } },
    })
    await step(bad(1))
    const { update_incident, cancel } = await step(good(2))
    expect(update_incident).toEqual({ id: 1, ended_at: at(2), closed_reason: 'recovered' })
    expect(cancel).toEqual({ scope: 'later', incident_id: 1, reason: 'recovered' })
    expect(await incident()).toMatchObject({ ended_at: at(2) })
    expect(await told()).toEqual(['down cancelled'])
  })

  it('ends where the threshold of recovery says, and its end is told to whom it was told', async () => {
    const { step, told } = await monitored({ common: { recover_threshold: 2 } })
    await step(bad(1))
    expect(await step(good(2))).toMatchObject({ machine: { state: 'recovering' }, notify: [] })
    await step(good(3))
    expect(await told()).toEqual(['down queued', 'up queued'])
  })
})

describe('an event of a user', () => {
  it.each([
    ['pause', 'paused', { scope: 'later', incident_id: 1, reason: 'paused' }],
    ['remove', 'deleted', { scope: 'all', reason: 'monitor_deleted' }],
  ] as const)('%s ends the incident', async (kind, closed_reason, cancel) => {
    const { step } = await monitored()
    await step(bad(1))
    const change = await step(user(kind, 2))
    expect(change.update_incident).toEqual({ id: 1, ended_at: at(2), closed_reason })
    expect(change.cancel).toEqual(cancel)
  })

  it('that begins maintenance leaves it open, and cancels what is planned later', async () => {
    const { step, incident, machine } = await monitored()
    await step(bad(1))
    const change = await step(user('maintenance_start', 2))
    expect(machine().incident?.suppression).toMatchObject({ reason: 'maintenance', by: null })
    expect(machine().hour?.hour).toBe(NOON)
    expect(change.cancel).toEqual({ scope: 'later', incident_id: 1, reason: 'maintenance' })
    expect(await incident()).toMatchObject({ ended_at: null })
  })

  it('that begins maintenance without an incident cancels nothing', async () => {
    const { step } = await monitored()
    await step(good(1))
    expect(await step(user('maintenance_start', 2))).not.toHaveProperty('cancel')
  })
})

describe('a failure whose parent fails', () => {
  const down = { state: 'down', incident: { id: 5, started_at: NOON, cause_code: 'x' } } as const
  const up = { state: 'up' } as const

  it('is an incident that names it, and nobody is told', async () => {
    const { step, incident, told, machine } = await monitored({ parent: down })
    const { open_incident } = await step(bad(1))
    expect(open_incident).toMatchObject({ suppressed_by: 77 })
    expect(machine().incident?.suppression).toMatchObject({ reason: 'dependency', by: 77 })
    expect(await incident()).toMatchObject({ suppressed_by: 77 })
    // A round that decides nothing leaves it as it is.
    const event = { kind: 'round', verdict: 'inconclusive', at: at(2) } as const
    expect(
      await step({ event, reports: [reported(1, { verdict: 'unknown' })] }),
    ).not.toHaveProperty('update_incident')
    expect(await step(bad(3))).not.toHaveProperty('update_incident')
    expect(machine().incident?.suppression).toMatchObject({ by: 77 })
    expect(await told()).toEqual([])
  })

  it('is told once the parent works and it still fails', async () => {
    const { step, incident, told, machine, parentIs } = await monitored({ parent: down })
    await step(bad(1))
    parentIs(up)
    // Only a round that fails says so.
    const event = { kind: 'round', verdict: 'inconclusive', at: at(2) } as const
    await step({ event, reports: [reported(1, { verdict: 'unknown' })] })
    expect(machine().incident?.suppression).toMatchObject({ by: 77 })
    const { update_incident, notify } = await step(bad(2))
    expect(update_incident).toEqual({ id: 1, suppressed_by: null })
    expect(notify).toMatchObject([{ event: 'down', incident: 1 }])
    expect(machine().incident).not.toHaveProperty('suppression')
    expect(await incident()).toMatchObject({ suppressed_by: null })
    // Once.
    await step(bad(3))
    expect(await told()).toEqual(['down queued'])
  })

  it('stays untold while it recovers', async () => {
    const common = { recover_threshold: 2 }
    const { step, told, machine, parentIs } = await monitored({ parent: down, common })
    await step(bad(1))
    parentIs(up)
    expect(await step(good(2))).not.toHaveProperty('update_incident')
    expect(machine()).toMatchObject({ state: 'recovering', incident: { suppression: { by: 77 } } })
    expect(await told()).toEqual([])
  })

  it('is told with a new cause as well', async () => {
    const { step, told, parentIs } = await monitored({ parent: down })
    await step(bad(1))
    parentIs(up)
    const { update_incident } = await step(bad(2, { cause: other }))
    expect(update_incident).toMatchObject({ id: 1, suppressed_by: null, causes: [cause, other] })
    expect(await told()).toEqual(['down queued'])
  })

  it('is told to nobody where somebody has acknowledged it meanwhile', async () => {
    const { step, told, acknowledge, parentIs } = await monitored({ parent: down })
    await step(bad(1))
    await acknowledge(1)
    parentIs(up)
    const { notify, update_incident } = await step(bad(2))
    expect([notify, update_incident]).toEqual([[], { id: 1, suppressed_by: null }])
    expect(await told()).toEqual([])
  })

  it('that was told already is not held back later', async () => {
    const { step, told, machine, parentIs } = await monitored({ parent: up })
    await step(bad(1))
    parentIs(down)
    await step(bad(2))
    expect(machine().incident).not.toHaveProperty('suppression')
    expect(await told()).toEqual(['down queued'])
  })

  it('ends untold where it ends before that', async () => {
    const { step, told, incident } = await monitored({ parent: down })
    await step(bad(1))
    await step(good(2))
    expect(await told()).toEqual([])
    expect(await incident()).toMatchObject({ ended_at: at(2), suppressed_by: 77 })
  })
})

describe('an incident that the store does not find', () => {
  it('is neither told nor in the way', async () => {
    const { step, store, told } = await monitored()
    await step(bad(1))
    Object.assign(store.incidents, { get: () => Promise.resolve(undefined) })
    const { update_incident } = await step(bad(2, { cause: other }))
    expect(update_incident?.causes).toEqual([{ at: at(2), ...other }])
    expect((await step(good(3))).notify).toEqual([])
    expect(await told()).toEqual(['down queued'])
  })

  it('is not told after its suppression either', async () => {
    const down = { state: 'down', incident: { id: 5, started_at: NOON, cause_code: 'x' } } as const
    const { step, store, told, parentIs } = await monitored({ parent: down })
    await step(bad(1))
    Object.assign(store.incidents, { get: () => Promise.resolve(undefined) })
    parentIs({ state: 'up' })
    await step(bad(2))
    expect(await told()).toEqual([])
  })
})

describe('notices', () => {
  const notice = (key: string, data: JsonObject = {}) => ({ event: 'changed', key, data })

  it('are sent once, by their keys', async () => {
    const { step, told, machine } = await monitored()
    const { fresh } = await step({ ...good(1), notices: [notice('a'), notice('b', { n: 1 })] })
    expect(fresh).toEqual([notice('a'), notice('b', { n: 1 })])
    expect((await step({ ...good(2), notices: [notice('a')] })).fresh).toEqual([])
    expect(machine().sent_notice_keys).toHaveLength(2)
    expect(await told()).toEqual(['changed queued', 'changed queued'])
  })

  it.each(['pause', 'maintenance_start'] as const)('are none after %s', async (kind) => {
    const { step, machine } = await monitored()
    await step(user(kind, 1))
    const { fresh, notify } = await step({ ...good(2), notices: [notice('a')] })
    expect([fresh, notify, machine().sent_notice_keys]).toEqual([[], [], []])
  })

  it('say that a monitor is degraded, and that it is not any more', async () => {
    const { step, told, store } = await monitored()
    await store.contacts.update(1, 1, { events: ['degraded', 'restored'] })
    const warned = { kind: 'round', verdict: 'ok', warned: cause } as const
    const first = await step({ event: { ...warned, at: at(1) }, reports: [reported(1)] })
    const second = await step(good(2))
    const events = [first, second].flatMap(({ fresh = [] }) => fresh).map(({ event }) => event)
    expect(events).toEqual(['degraded', 'restored'])
    expect(await told()).toEqual(['degraded queued', 'restored queued'])
  })
})

describe('flapping', () => {
  const flapping = { common: { flap_detection: true } }

  /** Up and down by turns, from the first minute on. */
  async function alternate(given: Given = flapping, rounds = 20) {
    const all = await monitored(given)
    const events: (readonly [number, JsonObject])[] = []
    for (let n = 1; n <= rounds; n++) {
      const { fresh = [] } = await all.step(n % 2 === 0 ? bad(n) : good(n))
      for (const { data } of fresh) events.push([n, data])
    }
    return { ...all, events }
  }

  it('is one event where it starts, and one where it ends', async () => {
    const { events, step, machine } = await alternate()
    expect(events).toEqual([
      [7, { flapping: true, change_percent: expect.any(Number) as number, state: 'up' }],
    ])
    expect(Number(events[0]?.[1]['change_percent'])).toBeGreaterThanOrEqual(30)
    const ends: unknown[] = []
    for (let n = 21; n <= 60; n++) {
      const { fresh = [] } = await step(good(n))
      for (const { event, key, data } of fresh) ends.push([event, key, data['flapping']])
    }
    expect(ends).toHaveLength(1)
    expect(ends).toEqual([['flapping', expect.any(String), false]])
    expect(machine().flapping).toBe(false)
  })

  it('is not looked for unless the monitor asks for it', async () => {
    const { events, machine } = await alternate({})
    expect([events, machine().recent]).toEqual([[], undefined])
  })

  it('ends with the next round once it is no longer looked for, and holds no outage back', async () => {
    const { step, machine, ignore } = await alternate()
    expect(machine().flapping).toBe(true)
    await step(bad(21))
    ignore()
    const { fresh, notify } = await step(bad(22))
    expect(fresh).toMatchObject([{ event: 'flapping', data: { flapping: false } }])
    expect(notify?.map(({ event }) => event).toSorted()).toEqual(['down', 'flapping'])
    expect(machine()).not.toHaveProperty('recent')
    expect(machine()).not.toHaveProperty('flapping')
  })

  it('does not count rounds that decide nothing, and none in maintenance', async () => {
    const { step, machine } = await monitored(flapping)
    await step(good(1))
    const event = { kind: 'round', verdict: 'inconclusive', at: at(2) } as const
    await step({ event, reports: [reported(1, { verdict: 'unknown' })] })
    expect(machine().recent).toBe('0')
    for (const kind of ['maintenance_start', 'pause'] as const) {
      await step(user(kind, 3))
      await step(good(4))
      expect(machine().recent).toBeUndefined()
    }
    await step(user('resume', 5))
    expect(machine().recent).toBeUndefined()
  })
})
