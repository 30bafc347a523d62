/**
 * Claims due rows, up to the free capacity, and sleeps until more are due. An attempt that waits for a slow receiver
 * does not count against the capacity.
 *
 * @module
 */

import type { Timer } from '../../clock.ts'
import { isTransient } from '../../errors.ts'
import type { EpochMs, NotificationRecord } from '../../model.ts'
import type { Claim } from '../../store/store.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { AttemptsUnderWay } from './attempts-under-way.ts'
import type { ContactHosts } from './contact-hosts.ts'
import { groupsOf, hasWaited, joinsGroup, LARGEST_GROUP } from './grouping.ts'
import { createHeldDigests } from './held-digests.ts'

/** Longer than any attempt; afterwards another process may claim the row. */
const LEASE_MS = 30_000
/**
 * Latest start of an attempt after its claim: a later one might outlast the lease, and another process would send
 * it too.
 */
const LATEST_START_MS = 15_000
/**
 * An attempt that has waited this long uses a socket but no CPU: it stops counting against the capacity, since
 * otherwise a few receivers that hang would delay all others.
 */
const SLOW_AFTER_MS = 100
/** Attempts that end within this time are followed by one claim. */
const GATHER_MS = 5
/** Maximum number of running attempts of one account as a multiple of `deliveries`, including waiting ones. */
const WAITING_FACTOR = 20
/** The maximum of all accounts: those of one may hang for ten seconds each, and leave an eighth more for the others. */
const WAITING_FACTOR_OF_ALL = WAITING_FACTOR * 1.125
/** Rows of all accounts, since a message has up to fifty: the digests of one account leave a fifth for the others. */
const ROWS_FACTOR = WAITING_FACTOR_OF_ALL * 4
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 30_000
const POLL_MS = 5_000
/** The same on a store that this engine owns: rows only appear by its own commits, unless one failed. */
const POLL_ALONE_MS = 60_000

/** The limits of `EngineLimits` for deliveries. */
export interface DeliveryLimits {
  /** Concurrent attempts. Those that have waited for 100 ms do not count. */
  readonly deliveries?: number | undefined
  readonly deliveriesPerContact?: number | undefined
  /** Concurrent attempts of one account to one host. */
  readonly deliveriesPerHost?: number | undefined
}

export interface ClaimingOptions {
  readonly core: Core
  readonly limits: DeliveryLimits
  readonly hosts: Pick<ContactHosts, 'byContact' | 'grouped' | 'update'>
  readonly underWay: AttemptsUnderWay
  /** Attempts claimed rows as one, and records it. Must not start after `latest_start`, in monotonic ms; a failure is logged. */
  readonly attempt: (rows: readonly NotificationRecord[], latest_start: number) => Promise<void>
}

export interface Claiming {
  /** Starts claiming with the next `wake`. */
  start(): void
  /** Stops claiming. */
  stop(): void
  /** Rows may be due. */
  wake(this: void): void
}

export function createClaiming({
  core,
  limits: { deliveries = 50, deliveriesPerContact = 5, deliveriesPerHost = 10 },
  hosts,
  underWay,
  attempt,
}: ClaimingOptions): Claiming {
  const { clock, store } = core
  const digests = createHeldDigests(core, LEASE_MS, (id) => underWay.claimOf(id) !== 0)
  let running = false
  let claiming = false
  let claimAgain = false
  let timer: Timer | undefined
  /** Claims after attempts that have just ended. */
  let gathering: Timer | undefined
  let failures = 0

  /** One claim at a time; a request during a claim is served afterwards. */
  async function claim(): Promise<void> {
    claimAgain = true
    if (claiming) return
    claiming = true
    while (claimAgain) {
      claimAgain = false
      await claimAll().then(
        () => (failures = 0),
        (err: unknown) => {
          logError(core, err, 'the outbox could not be read')
          sleepFor(Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures++))
        },
      )
    }
    claiming = false
  }

  async function claimAll(): Promise<void> {
    for (let limit = freeCapacity(); running && limit > 0; limit = freeCapacity()) {
      const now = clock.now()
      const lease_until = now + LEASE_MS
      const latest_start = clock.monotonic() + LATEST_START_MS
      const rows = await store.notifications.claim({
        now,
        lease_until,
        limit,
        per_contact: deliveriesPerContact,
        per_account: WAITING_FACTOR * deliveries,
        hosts: { of: hosts.byContact, limit: deliveriesPerHost },
      })
      await learnWindows(rows, lease_until)
      const rest = await restOfGroups(rows, { now, lease_until })
      const all = await digests.giveBack([...rows, ...rest], now)
      for (const group of groupsOf(all, hosts.grouped)) begin(group, latest_start)
      if (all.length > 0) clock.timer(SLOW_AFTER_MS, () => freeSlots(all), { background: true })
      if (rows.length < limit) return sleepUntilDue()
    }
  }

  /** Another process may have given its window to a contact whose rows have waited, or were tried. */
  async function learnWindows(
    rows: readonly NotificationRecord[],
    lease_until: EpochMs,
  ): Promise<void> {
    if (!store.shared) return
    const unsure = rows.filter((row) => hasWaited(row) && !hosts.grouped.has(row.contact_id))
    const learn = async (contact_id: number): Promise<void> => {
      try {
        const contact = await store.contacts.get(contact_id)
        if (contact !== undefined) hosts.update(contact)
      } catch (err) {
        logError(core, err, 'a contact could not be read')
        if (isTransient(err)) digests.hold(contact_id, lease_until)
      }
    }
    await Promise.all([...new Set(unsure.map(({ contact_id }) => contact_id))].map(learn))
  }

  /**
   * The other rows of contacts that group their notifications: one message is one concurrent delivery, however many
   * rows it has. They are claimed as of the same time as `rows`, by which a group is recognized.
   */
  async function restOfGroups(
    rows: readonly NotificationRecord[],
    lease: Pick<Claim, 'now' | 'lease_until'>,
  ): Promise<NotificationRecord[]> {
    const contacts = new Set(
      rows.filter((row) => joinsGroup(row, hosts.grouped)).map(({ contact_id }) => contact_id),
    )
    const found: NotificationRecord[] = []
    for (const contact_id of contacts) {
      const wanted = { ...lease, limit: LARGEST_GROUP, contact_id }
      try {
        found.push(...(await store.notifications.claim({ ...wanted, per_contact: LARGEST_GROUP })))
      } catch (err) {
        logError(core, err, 'the outbox could not be read')
        if (isTransient(err)) digests.hold(contact_id, lease.lease_until)
      }
    }
    return found
  }

  function freeCapacity(): number {
    const { size, busySize, rows } = underWay
    const left = Math.ceil(WAITING_FACTOR_OF_ALL * deliveries) - size
    return Math.min(deliveries - busySize, left, Math.ceil(ROWS_FACTOR * deliveries) - rows)
  }

  /** Once for all attempts that started together: one claim fills the capacity that they free. */
  function freeSlots(rows: readonly NotificationRecord[]): void {
    const wanted = freeCapacity() <= 0
    underWay.markSlow(rows)
    if (wanted) void claim()
  }

  function begin(group: readonly NotificationRecord[], latest_start: number): void {
    // A row whose attempt still runs only has a new claim.
    const idle = group.filter(({ id }) => underWay.claimOf(id) === 0)
    let attempted: Promise<void> | undefined
    const attemptOnce = (): Promise<void> =>
      (attempted ??= attempt(idle, latest_start)
        .catch((err: unknown) =>
          logError(core, err, 'a notification could not be recorded; it will be sent again'),
        )
        .finally(claimSoon))
    for (const row of group) underWay.begin(row, attemptOnce, row !== idle[0])
  }

  /** Attempts that end at about the same time are followed by one claim. */
  function claimSoon(): void {
    gathering ??= clock.timer(GATHER_MS, () => {
      gathering = undefined
      void claim()
    })
  }

  async function sleepUntilDue(): Promise<void> {
    const due_at = await store.notifications.nextDue()
    // Due rows that were not claimed wait for running attempts, whose ends trigger a claim.
    const wait_ms = due_at === null ? Infinity : Math.max(RETRY_MIN_MS, due_at - clock.now())
    // Polling finds rows of an engine that ended before sending them, and rows of a commit whose result was lost.
    sleepFor(Math.min(wait_ms, store.shared ? POLL_MS : POLL_ALONE_MS))
  }

  function sleepFor(ms: number): void {
    timer?.cancel()
    timer = running ? clock.timer(ms, () => void claim()) : undefined
  }

  return {
    start: () => void (running = true),
    stop() {
      running = false
      timer?.cancel()
      gathering?.cancel()
    },
    wake: () => void claim(),
  }
}
