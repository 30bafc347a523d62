/**
 * What the services of the engine share.
 *
 * @module
 */

import type { ProbeHost } from '../../probes/transport.ts'
import type { AccountCache } from './account-cache.ts'
import type { DayTotals } from './day-totals.ts'
import type { PastDays } from './past-days.ts'
import type { AccountTurns } from '../core/account-turns.ts'
import type { Core } from '../core/core.ts'
import type { Outbox } from '../delivery/outbox.ts'
import type { AccountWindows } from '../monitors/account-windows.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import type { Semaphore } from '../../net/resolve/semaphore.ts'
import type { ChangeBus } from '../monitors/change-bus.ts'
import type { PushMonitors } from '../rounds/push.ts'
import type { Rounds } from '../rounds/rounds.ts'
import type { MonitorSchedule } from '../scheduling/monitor-schedule.ts'
import type { Staleness } from '../scheduling/staleness.ts'

export interface ServiceContext {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly accountWindows: AccountWindows
  readonly changeBus: ChangeBus
  readonly schedule: MonitorSchedule
  readonly rounds: Rounds
  readonly push: PushMonitors
  readonly staleness: Pick<Staleness, 'isStale'>
  readonly outbox: Outbox
  /** Runs one check in this process. */
  readonly run: ProbeHost['run']
  /** Running tests of settings that are not stored, by account. */
  readonly runningTests: Map<number, number>
  /** Hashes passwords of public pages one at a time, accounts in turn: each occupies a thread for long. */
  readonly hashing: Semaphore
  /** Actions on many monitors, of which an account has one at a time. */
  readonly bulkTurns: AccountTurns
  /** Changes of what monitors wait for, one at a time in an account: two at once could close a circle. */
  readonly graphTurns: AccountTurns
  /** Yields to other work before a check that somebody asks for: each sends an order to every location. */
  nextCheck(this: void): Promise<void>
  /** Opens the store on first use. */
  ready(): Promise<void>
  running(): boolean
  readonly accounts: AccountCache
  readonly dayTotals: DayTotals
  readonly pastDays: PastDays
  /** The same without checks and incidents, which public pages do not show. */
  readonly pastAvailability: PastDays
  /** Who makes the changes; `null` where nobody is named. */
  readonly actor: string | null
}

/** The same for one account, which must exist, on behalf of an actor. */
export function accountContext(
  context: ServiceContext,
  account_id: number,
  actor: string | null = context.actor,
): ServiceContext {
  const { accounts, ready } = context
  return {
    ...context,
    actor,
    async ready() {
      await ready()
      await accounts.require(account_id)
    },
  }
}
