/** Places for checks: who has one, and for how long an account may wait for one. */
import type { Ledger } from '../ledger.ts'
import { SECOND } from '../time.ts'
import type { Entry, EntryOf, Stamp } from '../tape.ts'
import { invariant, when } from './invariant.ts'

/** Checks of one account at the same time against one host. */
const PER_HOST = 2

export const FAIRNESS_INVARIANTS = [
  invariant(
    'An account without a place has one at once, while no more others than the reserve have any, and else after the longest check for each round of turns: whatever others do.',
    (ledger) =>
      complaintsOf(ledger)
        .map(({ waited }) => waited)
        .filter(isThere),
  ),
  invariant(
    'No place goes to an account that has more of them than another one that waits.',
    (ledger) =>
      complaintsOf(ledger)
        .map(({ overtaken }) => overtaken)
        .filter(isThere),
  ),
  invariant('An account never has more monitors than its quota.', function* (ledger) {
    for (const { account_id, monitors, n } of ledger.all('quota')) {
      const own = [...ledger.monitors.values()].filter(
        ({ record }) => record.account_id === account_id,
      )
      const changes = own
        .flatMap(({ created, removed }) => [
          { by: 1, ...created },
          ...(removed ? [{ by: -1, ...removed }] : []),
        ])
        .toSorted((a, b) => a.n - b.n)
      let count = 0
      for (const change of changes) {
        count += change.by
        if (change.n > n && change.by > 0 && count > monitors)
          yield `account ${account_id} has ${count} of ${monitors} monitors at ${when(change)}`
      }
    }
  }),
]

interface Complaint {
  readonly waited?: string
  readonly overtaken?: string
}

function isThere(complaint: string | undefined): complaint is string {
  return complaint !== undefined
}

interface Tenant {
  readonly id: number
  /** Hosts of its orders, by their position: those under way, and those that wait. */
  readonly running: Map<number, string>
  readonly waiting: Map<number, string>
  /** What ended at one moment. Its place is free a moment later. */
  ended: readonly string[]
  ended_at: number
  /** Since when it waits and has no place, and how many others had some meanwhile, at most. */
  since: number | undefined
  others: number
}

/** The places of one process. */
interface Pool {
  readonly tenants: Map<number, Tenant>
  frozen: boolean
  /** The longest time that a check may take. */
  longest: number
}

const known = new WeakMap<Ledger, readonly Complaint[]>()

function complaintsOf(ledger: Ledger): readonly Complaint[] {
  const complaints = known.get(ledger) ?? [...replay(ledger)]
  known.set(ledger, complaints)
  return complaints
}

function* replay({ entries, plan, all }: Ledger): Iterable<Complaint> {
  const { places } = plan
  const reserve = Math.max(1, Math.floor(places / 8))
  const orders = new Map(all('order').map((order) => [order.n, order]))
  const pools = new Map<number, Pool>()

  function tenantOf(pool: Pool, id: number): Tenant {
    const tenant = pool.tenants.get(id) ?? {
      ...{ id, running: new Map(), waiting: new Map(), ended: [], ended_at: 0 },
      ...{ since: undefined, others: 0 },
    }
    pool.tenants.set(id, tenant)
    return tenant
  }

  /** Places that it has, or had at this moment. */
  function held(tenant: Tenant, at: number): number {
    return tenant.running.size + (tenant.ended_at === at ? tenant.ended.length : 0)
  }

  function countOthers(pool: Pool, at: number): void {
    for (const tenant of pool.tenants.values()) {
      if (tenant.since === undefined) continue
      let others = 0
      for (const other of pool.tenants.values())
        if (other !== tenant && held(other, at) > 0) others++
      tenant.others = Math.max(tenant.others, others)
    }
  }

  /** It has a place by now, wants none any more, or nobody can give one; else its waiting begins or goes on. */
  function* settle(pool: Pool, tenant: Tenant, { at }: Pick<Stamp, 'at'>): Iterable<Complaint> {
    const waits = tenant.waiting.size > 0 && tenant.running.size === 0 && !pool.frozen
    if (waits && tenant.since === undefined) [tenant.since, tenant.others] = [at, 0]
    countOthers(pool, at)
    if (waits || tenant.since === undefined) return
    const turns = Math.ceil(plan.tenants / (places + reserve))
    const bound = tenant.others <= reserve ? 0 : (pool.longest + SECOND) * turns
    const waited = at - tenant.since
    tenant.since = undefined
    if (waited > bound)
      yield {
        waited: `account ${tenant.id} waited ${waited / 1000} s until ${when({ at })}, while ${tenant.others} others had places; ${bound / 1000} s are allowed`,
      }
  }

  function* begin(pool: Pool, entry: EntryOf<'begun'>): Iterable<Complaint> {
    const order = orders.get(entry.order)
    if (order === undefined) return
    const tenant = tenantOf(pool, order.account_id)
    const { size } = tenant.running
    for (const other of pool.tenants.values())
      if (other !== tenant && held(other, entry.at) < size && isReady(other, entry.at))
        yield {
          overtaken: `account ${tenant.id} had ${size} places and got one at ${when(entry)}, account ${other.id} waited with ${other.running.size}`,
        }
    tenant.waiting.delete(order.n)
    tenant.running.set(order.n, order.host)
    yield* settle(pool, tenant, entry)
  }

  /** One of its orders would not exceed the limit of its host. */
  function isReady(tenant: Tenant, at: number): boolean {
    if (tenant.waiting.size === 0) return false
    const busy = [...tenant.running.values(), ...(tenant.ended_at === at ? tenant.ended : [])]
    for (const host of tenant.waiting.values())
      if (busy.filter((each) => each === host).length < PER_HOST) return true
    return false
  }

  function* end(pool: Pool, entry: EntryOf<'look'>): Iterable<Complaint> {
    const order = orders.get(entry.order)
    if (order === undefined) return
    const tenant = tenantOf(pool, order.account_id)
    tenant.running.delete(order.n)
    tenant.ended = [...(tenant.ended_at === entry.at ? tenant.ended : []), order.host]
    tenant.ended_at = entry.at
    yield* settle(pool, tenant, entry)
  }

  function* join(pool: Pool, order: EntryOf<'order'>): Iterable<Complaint> {
    if (!order.queued) return
    pool.longest = Math.max(pool.longest, order.timeout_ms)
    const tenant = tenantOf(pool, order.account_id)
    tenant.waiting.set(order.n, order.host)
    yield* settle(pool, tenant, order)
  }

  function* drop(pool: Pool, entry: EntryOf<'dropped'>): Iterable<Complaint> {
    for (const n of entry.orders) {
      const order = orders.get(n)
      const tenant = order === undefined ? undefined : tenantOf(pool, order.account_id)
      if (tenant?.waiting.delete(n) === true) yield* settle(pool, tenant, entry)
    }
  }

  /** While a process stands still, nobody gets a place. */
  function* freeze(pool: Pool, frozen: boolean, entry: Entry): Iterable<Complaint> {
    pool.frozen = frozen
    for (const tenant of pool.tenants.values()) yield* settle(pool, tenant, entry)
  }

  for (const entry of entries) {
    if (entry.kind === 'begins')
      pools.set(entry.life, { tenants: new Map(), frozen: false, longest: 0 })
    if (!('life' in entry)) continue
    const pool = pools.get(entry.life)
    if (pool === undefined) continue
    if (entry.kind === 'order') yield* join(pool, entry)
    else if (entry.kind === 'begun') yield* begin(pool, entry)
    else if (entry.kind === 'look') yield* end(pool, entry)
    else if (entry.kind === 'dropped') yield* drop(pool, entry)
    else if (entry.kind === 'freezes' || entry.kind === 'thaws')
      yield* freeze(pool, entry.kind === 'freezes', entry)
    else if (entry.kind === 'dies' || entry.kind === 'stopping') {
      yield* freeze(pool, true, entry)
      pools.delete(entry.life)
    }
  }
}
