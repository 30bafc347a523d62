/**
 * Claims what is due, as much as there is room for, and rests until there is more. An attempt that waits for
 * a slow receiver leaves its place to another.
 *
 * @module
 */

import type { Timer } from '../../clock.ts'
import type { NotificationRecord } from '../../model.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { AttemptsUnderWay } from './attempts-under-way.ts'
import type { ContactHosts } from './contact-hosts.ts'

/** Longer than any attempt lasts; after it another process may take the row over. */
const LEASE_MS = 30_000
/** An attempt that begins later after its claim might outlive it, and be made a second time by another process. */
const BEGIN_MS = 15_000
/**
 * An attempt that has waited for this long costs a socket and no work: it leaves its place to another, or
 * a few receivers that hang would keep everybody else waiting.
 */
const SLOW_AFTER_MS = 100
/** What ends within this time is followed by one claim. */
const GATHER_MS = 5
/** Most attempts under way, in times of `deliveries`, those that wait included. */
const CROWD = 20
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 30_000
const POLL_MS = 5_000
/** The same on a store of our own: nothing turns up there unless the store failed. */
const POLL_ALONE_MS = 60_000

/** Those of `EngineLimits` that concern deliveries. */
export interface DeliveryLimits {
  /** Attempts at the same time. Those that have waited for 100 ms leave their place to others. */
  readonly deliveries?: number | undefined
  readonly deliveriesPerContact?: number | undefined
  /** Attempts of one account at the same time to one host. */
  readonly deliveriesPerHost?: number | undefined
}

export interface ClaimingOptions {
  readonly core: Core
  readonly limits: DeliveryLimits
  readonly hosts: Pick<ContactHosts, 'byContact'>
  readonly underWay: AttemptsUnderWay
  /** Makes the attempt of a claimed row. It may not begin after `latest`, in monotonic ms; a failure is logged. */
  readonly deliver: (row: NotificationRecord, latest: number) => Promise<void>
}

export interface Claiming {
  /** Claims from the next `wake` on. */
  start(): void
  /** Claims nothing more. */
  stop(): void
  /** Something may be due. */
  wake(this: void): void
}

export function createClaiming({
  core,
  limits: { deliveries = 50, deliveriesPerContact = 5, deliveriesPerHost = 10 },
  hosts,
  underWay,
  deliver,
}: ClaimingOptions): Claiming {
  const { clock, store } = core
  let running = false
  let claiming = false
  let again = false
  let timer: Timer | undefined
  let soon: Timer | undefined
  let failures = 0

  /** One claim at a time; who asks for another meanwhile gets it afterwards. */
  async function claim(): Promise<void> {
    again = true
    if (claiming) return
    claiming = true
    while (again) {
      again = false
      await claimAll().then(
        () => (failures = 0),
        (err: unknown) => {
          logError(core, err, 'the outbox could not be read')
          rest(Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures++))
        },
      )
    }
    claiming = false
  }

  async function claimAll(): Promise<void> {
    for (let limit = room(); running && limit > 0; limit = room()) {
      const now = clock.now()
      const latest = clock.monotonic() + BEGIN_MS
      const rows = await store.notifications.claim({
        now,
        lease_until: now + LEASE_MS,
        limit,
        per_contact: deliveriesPerContact,
        hosts: { of: hosts.byContact, limit: deliveriesPerHost },
      })
      for (const row of rows) begin(row, latest)
      if (rows.length > 0) clock.timer(SLOW_AFTER_MS, () => leavePlaces(rows), { background: true })
      if (rows.length < limit) return restUntilDue()
    }
  }

  function room(): number {
    return Math.min(deliveries - underWay.busy, CROWD * deliveries - underWay.size)
  }

  /** All that were begun together at once, so that one claim serves the places they leave. */
  function leavePlaces(rows: readonly NotificationRecord[]): void {
    const wanted = room() <= 0
    underWay.areSlow(rows)
    if (wanted) void claim()
  }

  function begin(row: NotificationRecord, latest: number): void {
    underWay.begin(row, () =>
      deliver(row, latest)
        .catch((err: unknown) =>
          logError(core, err, 'a notification could not be recorded; it will be sent again'),
        )
        .finally(claimSoon),
    )
  }

  /** Attempts that end at about the same time are followed by one claim, not by one each. */
  function claimSoon(): void {
    soon ??= clock.timer(GATHER_MS, () => {
      soon = undefined
      void claim()
    })
  }

  async function restUntilDue(): Promise<void> {
    const due_at = await store.notifications.nextDue()
    // Rows that are due and were not claimed wait for others under way, whose end is followed by a claim.
    const wait_ms = due_at === null ? Infinity : Math.max(RETRY_MIN_MS, due_at - clock.now())
    // What another engine queued and did not live to send is found by looking; and what was queued by a
    // commit of ours whose answer was lost.
    rest(Math.min(wait_ms, store.shared ? POLL_MS : POLL_ALONE_MS))
  }

  function rest(ms: number): void {
    timer?.cancel()
    timer = running ? clock.timer(ms, () => void claim()) : undefined
  }

  return {
    start: () => void (running = true),
    stop() {
      running = false
      timer?.cancel()
      soon?.cancel()
    },
    wake: () => void claim(),
  }
}
