/**
 * A fair queue: slots shared among accounts, so that no account is delayed by the load of another. It knows nothing
 * of the work and of time.
 *
 * - `slots` are shared. A free one goes to the account that has the fewest; among equals to the one that has waited
 *   longest.
 * - `reserve` more are only for accounts that have none: an eighth of the slots, at least one.
 * - Within an account the order is first in, first out, with at most `perHost` at once for each host. Each account has
 *   a queue of its own for a host: checks that hang there delay no other account at the same host.
 *
 * Running items are never interrupted. With `D` for the longest run time of an item, and `N` for the accounts that run
 * or wait, an account without a slot is served
 *
 * - at once, while at most `reserve` other accounts have slots, however many each of them has or requests;
 * - else within `D * ceil(N / (slots + reserve))`: each other account precedes it at most once.
 *
 * An account that requests more gets every shared slot that becomes free until it has as many as any other that
 * requests more: of `N` of them, each has `floor(slots / N)` once earlier items have ended. An operator of several
 * accounts counts once for each.
 *
 * @module
 */

export interface Queued {
  readonly account_id: number
  readonly host: string
}

export interface FairQueueOptions<T> {
  /** Shared slots. A single account may use all of them. */
  readonly slots: number
  /** Maximum number of running items of one account for one host. */
  readonly perHost: number
  /** Whether an item is dropped when its turn comes; called once per item. Default: none is. */
  readonly isOver?: (item: T) => boolean
  /** Whether `take` returns nothing for now; asked after each dropped item. Default: it drops as many as there are. */
  readonly isEnough?: () => boolean
}

export interface FairQueue<T> {
  /** The number of waiting items. */
  readonly waiting: number
  /** The number of slots in use. */
  readonly held: number
  add(item: T): void
  /** Takes the next item that may start, with its slot; `undefined` if none may. */
  take(): T | undefined
  /** Releases the slot of an item that {@link FairQueue.take} returned. */
  release(item: T): void
  /** Drops waiting items. */
  drop(unwanted: (item: T) => boolean): void
}

/** Slots in addition to the shared ones, for accounts without a slot. */
export function reserveOf(slots: number): number {
  return Math.max(1, Math.floor(slots / 8))
}

interface Numbered<T> {
  readonly item: T
  /** Order of arrival. */
  readonly n: number
}

/** The items that run or may start at one host, and those that wait. */
interface HostQueue<T> {
  busy: number
  readonly parked: Numbered<T>[]
}

interface Account<T> {
  readonly id: number
  held: number
  /** Items that their host admits, by arrival. */
  readonly ready: Numbered<T>[]
  readonly unparked: Numbered<T>[]
  readonly hosts: Map<string, HostQueue<T>>
}

export function createFairQueue<T extends Queued>(options: FairQueueOptions<T>): FairQueue<T> {
  const { slots, perHost, isOver = () => false, isEnough = () => false } = options
  const total = slots + reserveOf(slots)
  const accounts = new Map<number, Account<T>>()
  /** Accounts with ready items, by the number of their slots; each set ordered by waiting time. */
  const byHeld: Set<Account<T>>[] = []
  let [arrivals, waiting, held] = [0, 0, 0]

  function accountOf(id: number): Account<T> {
    const known = accounts.get(id)
    if (known !== undefined) return known
    const account: Account<T> = { id, held: 0, ready: [], unparked: [], hosts: new Map() }
    accounts.set(id, account)
    return account
  }

  /** Moves an account to its set after a change; to the end, unless it is in that set already. */
  function place(account: Account<T>, heldBefore = account.held): void {
    if (heldBefore !== account.held) byHeld[heldBefore]?.delete(account)
    const level = (byHeld[account.held] ??= new Set())
    if (account.ready.length + account.unparked.length > 0) level.add(account)
    else level.delete(account)
    if (account.held === 0 && account.hosts.size === 0) accounts.delete(account.id)
  }

  function chosen(): Account<T> | undefined {
    if (held >= total) return undefined
    const levels = held < slots ? byHeld.length : 1
    for (let level = 0; level < levels; level++) {
      const [first] = byHeld[level] ?? []
      if (first !== undefined) return first
    }
    return undefined
  }

  function shift({ ready, unparked }: Account<T>): T | undefined {
    const [fresh, old] = [ready[0], unparked[0]]
    const next = old === undefined || (fresh !== undefined && fresh.n < old.n) ? ready : unparked
    const first = next.shift()
    if (first !== undefined) waiting--
    return first?.item
  }

  /** An item has left its host: the next one there becomes ready. */
  function leave(account: Account<T>, host: string): void {
    const queue = account.hosts.get(host)
    if (queue === undefined) return
    const next = queue.parked.shift()
    if (next !== undefined) account.unparked.push(next)
    else if (--queue.busy === 0) account.hosts.delete(host)
  }

  return {
    get waiting() {
      return waiting
    },
    get held() {
      return held
    },
    add(item) {
      const account = accountOf(item.account_id)
      const queue = account.hosts.get(item.host) ?? { busy: 0, parked: [] }
      account.hosts.set(item.host, queue)
      const numbered = { item, n: arrivals++ }
      waiting++
      if (queue.busy < perHost) {
        queue.busy++
        account.ready.push(numbered)
      } else queue.parked.push(numbered)
      place(account)
    },
    take() {
      for (let account = chosen(); account !== undefined; account = chosen()) {
        // An expired item takes no slot, and the account keeps its turn.
        for (let item = shift(account); item !== undefined; item = shift(account)) {
          if (!isOver(item)) {
            held++
            place(account, account.held++)
            return item
          }
          leave(account, item.host)
          if (isEnough()) {
            place(account)
            return undefined
          }
        }
        place(account)
      }
      return undefined
    },
    release({ account_id, host }) {
      const account = accountOf(account_id)
      held--
      leave(account, host)
      place(account, account.held--)
    },
    drop(unwanted) {
      for (const account of [...accounts.values()]) {
        const keep = ({ item }: Numbered<T>): boolean => !unwanted(item)
        for (const queue of account.hosts.values()) waiting -= sieve(queue.parked, keep).length
        const gone = [...sieve(account.ready, keep), ...sieve(account.unparked, keep)]
        waiting -= gone.length
        for (const { item } of gone) leave(account, item.host)
        place(account)
      }
    },
  }
}

/** Removes and returns the items that `keep` rejects. */
function sieve<E>(list: E[], keep: (each: E) => boolean): E[] {
  const gone: E[] = []
  let kept = 0
  for (const each of list) {
    if (keep(each)) list[kept++] = each
    else gone.push(each)
  }
  list.length = kept
  return gone
}
