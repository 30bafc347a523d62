/**
 * What the services of the engine share.
 *
 * @module
 */

import type { ProbeHost } from '../../probes/transport.ts'
import type { AccountCache } from './account-cache.ts'
import type { Core } from '../core/core.ts'
import type { Outbox } from '../delivery/outbox.ts'
import type { AccountWindows } from '../monitors/account-windows.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import type { Lane } from '../../net/resolve/lane.ts'
import type { Page } from '../api/views.ts'
import type { CommittedChanges } from '../monitors/committed.ts'
import type { PushMonitors } from '../rounds/push.ts'
import type { Rounds } from '../rounds/rounds.ts'
import type { MonitorSchedule } from '../scheduling/monitor-schedule.ts'
import type { Staleness } from '../scheduling/staleness.ts'

export interface Parts {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly accountWindows: AccountWindows
  readonly committed: CommittedChanges
  readonly schedule: MonitorSchedule
  readonly rounds: Rounds
  readonly push: PushMonitors
  readonly staleness: Pick<Staleness, 'isStale'>
  readonly outbox: Outbox
  /** Runs one check in this process. */
  readonly run: ProbeHost['run']
  /** Running tests of settings that are not stored, by account. */
  readonly testing: Map<number, number>
  /** Passwords of public pages, one at a time, the accounts in turn: each takes a thread for long. */
  readonly hashing: Lane
  /** Opens the store on first use. */
  ready(): Promise<void>
  running(): boolean
  readonly accounts: AccountCache
  /** Who makes the changes; `null` where nobody is named. */
  readonly actor: string | null
}

/** The same for one account, which must exist, on behalf of an actor. */
export function partsOf(
  parts: Parts,
  account_id: number,
  actor: string | null = parts.actor,
): Parts {
  const { accounts, ready } = parts
  return {
    ...parts,
    actor,
    async ready() {
      await ready()
      await accounts.require(account_id)
    },
  }
}

interface PageFilter {
  readonly limit?: number
  readonly after?: number
}

interface PageQuery {
  readonly account_id: number
  readonly limit: number
  readonly before_id?: number
}

/** What a store is asked for one page, newest first: one item more than `limit` tells whether there is a next one. */
export function pageQuery<F extends PageFilter>(
  account_id: number,
  { limit = 50, after, ...filter }: F,
): { readonly query: Omit<F, keyof PageFilter> & PageQuery; readonly limit: number } {
  const before = after === undefined ? {} : { before_id: after }
  return { query: { account_id, ...filter, limit: limit + 1, ...before }, limit }
}

/** A page from a list that was read with one item more than `limit`. */
export function pageOf<T extends { readonly id: number }>(
  items: readonly T[],
  limit: number,
): Page<T> {
  const shown = items.slice(0, limit)
  return { items: shown, next: items.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
