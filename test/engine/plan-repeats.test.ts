/** Which repeats a change of settings starts while an incident is open. */
import { describe, expect, it } from 'vitest'
import type { Core } from '../../src/engine/core/core.ts'
import { planStartedRepeats } from '../../src/engine/rounds/plan-repeats.ts'
import type { CommonSettings, MachineState, NotificationRecord } from '../../src/model.ts'
import { memoryStore } from '../../src/store/memory.ts'
import {
  claim,
  commitOne,
  contact,
  firstAccount,
  incident,
  monitor,
  on,
  queue,
} from '../../src/testing/store-suite/case.ts'
import { NOON, cachedMonitor } from './cached-monitor.ts'

const MINUTE = 60_000

/** A monitor that is down, and an account with three contacts. */
async function outage() {
  const store = memoryStore()
  await store.open()
  await firstAccount(store)
  for (const name of ['ops', 'night', 'boss']) await store.contacts.create(contact({ name }))
  const record = await store.monitors.create(monitor())
  const { incident_id } = await commitOne(store, on(record, { open_incident: incident() }))
  const id = incident_id ?? 0
  const open = { id, started_at: 0, cause_code: 'timeout' }
  const core = { store } as unknown as Core
  return {
    ...{ store, record, open },
    async plan(
      before: Partial<CommonSettings>,
      after: Partial<CommonSettings>,
      state: Partial<MachineState> = {},
    ) {
      const base = { contact_ids: [1, 2], notify_repeat_min: 0, notify_repeat_max: 0, ...before }
      const machine = { state: 'down', incident: open, ...state } as const
      const cached = cachedMonitor({ id: record.id, common: base, machine })
      const common = { ...cached.record.common, ...after }
      return planStartedRepeats(core, cached, { common, at: NOON })
    },
    /** A row of the incident, as far as `status` says. */
    async told(
      status: NotificationRecord['status'],
      given: {
        readonly event?: string
        readonly repeat?: number
        readonly contact_id?: number
      } = {},
    ) {
      const event = given.event ?? 'down'
      const payload = JSON.stringify({
        event,
        of: given.contact_id ?? 1,
        repeat: given.repeat ?? 0,
      })
      const row = await queue(store, {
        ...{ monitor_id: record.id, incident_id: id, payload, ...given, event },
      })
      if (status === 'queued') return
      await claim(store, { now: NOON })
      if (status === 'sending') return
      const end = { attempts: 1, interruptions: 0, error: null, at: NOON } as const
      await store.notifications.finish({ id: row.id, claim: 1, status, ...end })
    },
  }
}

const repeatFor = (contact_id: number, repeat: number, incident_id: number) =>
  expect.objectContaining({
    ...{ contact_id, event: 'repeat', repeat, incident: incident_id, due_at: NOON + 30 * MINUTE },
  }) as unknown

const ON = { notify_repeat_min: 30 }

describe('repeats that are turned on', () => {
  it('begin for each contact of the monitor, with what it was told, or else the others', async () => {
    const { plan, told, open } = await outage()
    await told('sent')
    const planned = await plan({}, ON)
    expect(planned).toEqual([repeatFor(1, 1, open.id), repeatFor(2, 1, open.id)])
    expect(planned.map(({ payload }) => JSON.parse(payload) as unknown)).toEqual([
      { event: 'repeat', of: 1, repeat: { n: 1, max: 0 } },
      { event: 'repeat', of: 1, repeat: { n: 1, max: 0 } },
    ])
  })

  it('say the cause where nobody was told', async () => {
    const { plan } = await outage()
    const [first] = await plan({ contact_ids: [] }, { ...ON, contact_ids: [1] })
    expect(JSON.parse(first?.payload ?? '')).toMatchObject({
      ...{ event: 'repeat', repeat: { n: 1, max: 0 } },
      incident: { cause_code: incident().cause_code, cause_text: incident().cause_text },
    })
  })

  it.each(['sending', 'failed', 'sent'] as const)(
    'go on with the number of the one that is %s',
    async (status) => {
      const { plan, told, open } = await outage()
      await told(status, { event: 'repeat', repeat: 3 })
      expect(await plan({ contact_ids: [1] }, ON)).toEqual([repeatFor(1, 4, open.id)])
    },
  )

  it('follow what waits, and what was told last of the failure', async () => {
    const { plan, told, open } = await outage()
    await told('sent', { event: 'repeat', repeat: 2, contact_id: 2 })
    await told('sent', { event: 'acknowledged', contact_id: 2 })
    await told('sent', { event: 'up', contact_id: 2 })
    await told('queued')
    expect(await plan({}, ON)).toEqual([repeatFor(2, 3, open.id)])
    expect(await plan({}, { ...ON, notify_repeat_max: 2 })).toEqual([])
    expect(await plan({}, { ...ON, notify_repeat_max: 3 })).toEqual([repeatFor(2, 3, open.id)])
  })
})

describe('a contact that is added', () => {
  it('is reminded, and no other one', async () => {
    const { plan, told, open } = await outage()
    await told('sent')
    const before = { ...ON, contact_ids: [1] }
    expect(await plan(before, { contact_ids: [1, 2] })).toEqual([repeatFor(2, 1, open.id)])
  })

  it('is not reminded in a second chain where it was told before', async () => {
    const { plan, told } = await outage()
    await told('sent', { contact_id: 2 })
    expect(await plan({ ...ON, contact_ids: [1] }, { contact_ids: [1, 2] })).toEqual([])
  })
})

describe('none begin', () => {
  it.each<[string, Partial<CommonSettings>, Partial<CommonSettings>]>([
    ['they stay off', {}, {}],
    ['they stay off for a new contact', { contact_ids: [1] }, { contact_ids: [1, 2] }],
    ['they are turned off', ON, { notify_repeat_min: 0 }],
    ['their pause changes', ON, { notify_repeat_min: 10 }],
    ['a contact goes', ON, { contact_ids: [1] }],
  ])('where %s', async (_, before, after) => {
    const { plan } = await outage()
    expect(await plan(before, after)).toEqual([])
  })

  it.each<[string, Partial<MachineState>]>([
    ['is up', { incident: null, state: 'up' }],
    ['is in maintenance', { state: 'maintenance' }],
    ['is paused', { state: 'paused' }],
    [
      'has an incident that is gone',
      { incident: { id: 99, started_at: 0, cause_code: 'timeout' } },
    ],
  ])('where the monitor %s', async (_, state) => {
    const { plan } = await outage()
    expect(await plan({}, ON, state)).toEqual([])
  })

  it('where the incident is held back, or acknowledged', async () => {
    const { plan, open, store, record } = await outage()
    const suppression = { reason: 'dependency', by: 7, rounds: 0 } as const
    expect(await plan({}, ON, { incident: { ...open, suppression } })).toEqual([])
    const acknowledged = { id: open.id, acknowledged_at: NOON }
    await commitOne(store, on(record, { update_incident: acknowledged }))
    expect(await plan({}, ON)).toEqual([])
  })
})
