/** A failing round in the turn in which a window of planned work opens. */
import { describe, expect, it } from 'vitest'
import { createAccountWindows } from '../../src/engine/monitors/account-windows.ts'
import { planRound } from '../../src/engine/rounds/plan-round.ts'
import type { MachineEvent } from '../../src/incident/transition.ts'
import type { MachineState, MaintenanceWindow, MonitorState } from '../../src/model.ts'
import { cachedMonitor, NOON, reported } from './cached-monitor.ts'
import { outboxRig } from './outbox-rig.ts'

const MINUTE = 60_000
const OPEN = NOON + 30 * MINUTE
const CLOSE = NOON + 60 * MINUTE
const iso = (at: number): string => new Date(at).toISOString()
const window: MaintenanceWindow = { start: iso(OPEN), end: iso(CLOSE), skip_checks: false }

const failing: MachineEvent = {
  ...{ kind: 'round', verdict: 'fail', at: CLOSE - 5, locations_failed: [1] },
  cause: { cause_code: 'timeout', cause_text: 'No answer in time' },
}
const working: MachineEvent = { kind: 'round', verdict: 'ok', at: CLOSE - 5 }

interface Given {
  readonly at: number
  readonly event?: MachineEvent
  /** Of the account, instead of the monitor itself. */
  readonly ofAccount?: boolean
  readonly machine?: Partial<MachineState>
  /** The state when the round began; default: as it is. */
  readonly begunIn?: MonitorState
}

/** The change of a round that ends at this time, of a monitor that a window covers. */
async function planned(given: Given) {
  const { at, event = failing, ofAccount = false, machine = {} } = given
  const { core, store, clock } = await outboxRig()
  if (ofAccount) {
    const covers = { monitor_ids: [], tags: [], all_monitors: true }
    const settings = { name: 'Move', window, ...covers }
    await store.maintenance.create({ account_id: 1, settings, created_at: 0, updated_at: 0 }, 9)
  }
  const accountWindows = createAccountWindows(core)
  await accountWindows.start()
  clock.jump(at - NOON)
  const common = { fail_threshold: 1, maintenance: ofAccount ? [] : [window] }
  const cached = cachedMonitor({ common, machine })
  const monitorCache = { get: () => Promise.resolve(cached) }
  const expiring = { event: 'expiring', key: 'expiring 7', data: { days: 7 } }
  const round = { event, reports: [reported(1)], notices: [expiring] }
  const plan = await planRound({ core, monitorCache, accountWindows }, cached, round, given.begunIn)
  return plan?.change
}

describe.each([
  ['of the monitor', false],
  ['of its account', true],
])('a window %s', (_, ofAccount) => {
  it('that is open begins with a failing round, which opens no incident', async () => {
    for (const at of [OPEN, CLOSE - 1]) {
      const change = await planned({ at, ofAccount })
      const machine = { state: 'maintenance', incident: null, last_round_at: CLOSE - 5 }
      expect(change).toMatchObject({ machine, results: [{ round: CLOSE - 5 }] })
      expect(change).not.toHaveProperty('open_incident')
      // What the round noticed does not count as told: a later round tells it.
      expect(change?.machine?.sent_notice_keys).toEqual([])
    }
  })

  it('that is not open, or not any more, changes nothing', async () => {
    for (const at of [OPEN - 1, CLOSE]) {
      const change = await planned({ at, ofAccount })
      expect(change).toMatchObject({ machine: { state: 'down' } })
      expect(change).toHaveProperty('open_incident')
    }
  })

  it('leaves a good round as it is', async () => {
    const change = await planned({ at: OPEN, ofAccount, event: working })
    expect(change).toMatchObject({ machine: { state: 'up' } })
    expect(change?.machine?.sent_notice_keys).toHaveLength(1)
  })

  it('leaves other events as they are', async () => {
    const change = await planned({ at: OPEN, ofAccount, event: { kind: 'pause', at: OPEN } })
    expect(change).toMatchObject({ machine: { state: 'paused' } })
  })

  it('that has closed before the round is complete leaves its verdict out', async () => {
    for (const event of [failing, working]) {
      const machine = { state: 'pending', since: CLOSE, known_since: CLOSE } as const
      const change = await planned({ at: CLOSE, ofAccount, event, machine, begunIn: 'maintenance' })
      const last_round_at = CLOSE - 5
      expect(change).toMatchObject({
        machine: { ...machine, fails: 0, oks: 0, incident: null, last_round_at },
        results: [{ round: CLOSE - 5 }],
        availability: [],
      })
      expect(change).not.toHaveProperty('open_incident')
      expect(change?.machine?.sent_notice_keys).toEqual([])
    }
  })

  it.each(['paused', 'maintenance'] as const)(
    'does not begin again where the monitor is %s',
    async (state) => {
      const change = await planned({ at: OPEN, ofAccount, machine: { state, since: 5 } })
      expect(change).toMatchObject({ machine: { state, since: 5 } })
      // After a pause the round does not count.
      const last_round_at = state === 'paused' ? null : CLOSE - 5
      expect(change?.machine?.last_round_at).toBe(last_round_at)
    },
  )
})
