/**
 * Who may begin next: places shared by account, so that no account waits because of what another one does.
 * Knows nothing of checks and time.
 *
 * - `places` are shared. A free one goes to the account that holds the fewest; among equals to the one that
 *   has waited longest to be served.
 * - `reserve` more are only for accounts that hold none: an eighth of the places, at least one.
 * - Within an account, first come, first served, with at most `perLane` at once in each lane (a host). Lanes
 *   belong to their account: what hangs there keeps no other account from the same host.
 *
 * What runs is never interrupted. With `D` for the longest time that anything runs, and `N` for the accounts
 * that run or wait, an account that holds no place is served
 *
 * - at once, while at most `reserve` other accounts hold places, however many each of them holds or wants;
 * - else within `D * ceil(N / (places + reserve))`: it is passed over by each other account at most once.
 *
 * An account that wants more gets every shared place that comes free until it holds as many as any other that
 * wants more: of `N` of them, each holds `floor(places / N)` once what ran before has ended. Somebody with many
 * accounts counts as many.
 *
 * @module
 */

export interface Queued {
  readonly account_id: number
  readonly host: string
}

export interface FairQueueOptions<T> {
  /** Shared places. One account by itself may hold all of them. */
  readonly places: number
  /** Of one account in one lane at the same time. */
  readonly perLane: number
  /** Whether an item is to be left out when its turn comes; told once per item. Default: none is. */
  readonly isOver?: (item: T) => boolean
}

export interface FairQueue<T> {
  /** Items that wait. */
  readonly waiting: number
  /** Places held. */
  readonly held: number
  add(item: T): void
  /** Takes the next item that may begin, with its place; `undefined` where none may. */
  take(): T | undefined
  /** Gives back the place of an item that {@link FairQueue.take} gave out. */
  release(item: T): void
  /** Leaves out items that wait. */
  drop(unwanted: (item: T) => boolean): void
}

/** Places beside the shared ones, for accounts that hold none. */
export function reserveOf(places: number): number {
  return Math.max(1, Math.floor(places / 8))
}

interface Numbered<T> {
  readonly item: T
  /** Order of arrival. */
  readonly n: number
}

/** Those that run or have their turn in the lane, and those that wait for that. */
interface Lane<T> {
  busy: number
  readonly parked: Numbered<T>[]
}

interface Account<T> {
  readonly id: number
  held: number
  /** Items whose lane has room for them, by arrival: fresh ones, and those for which the lane has got room. */
  readonly ready: Numbered<T>[]
  readonly unparked: Numbered<T>[]
  readonly lanes: Map<string, Lane<T>>
}

export function createFairQueue<T extends Queued>(options: FairQueueOptions<T>): FairQueue<T> {
  const { places, perLane, isOver = () => false } = options
  const total = places + reserveOf(places)
  const accounts = new Map<number, Account<T>>()
  /** Accounts with something ready, by the number of places they hold; each set in the order of waiting. */
  const byHeld: Set<Account<T>>[] = []
  let [arrivals, waiting, held] = [0, 0, 0]

  function accountOf(id: number): Account<T> {
    const known = accounts.get(id)
    if (known !== undefined) return known
    const account: Account<T> = { id, held: 0, ready: [], unparked: [], lanes: new Map() }
    accounts.set(id, account)
    return account
  }

  /** Puts an account where it belongs after a change; at the end, unless it stands there already. */
  function place(account: Account<T>, heldBefore = account.held): void {
    if (heldBefore !== account.held) byHeld[heldBefore]?.delete(account)
    const level = (byHeld[account.held] ??= new Set())
    if (account.ready.length + account.unparked.length > 0) level.add(account)
    else level.delete(account)
    if (account.held === 0 && account.lanes.size === 0) accounts.delete(account.id)
  }

  function chosen(): Account<T> | undefined {
    if (held >= total) return undefined
    const levels = held < places ? byHeld.length : 1
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

  /** An item has left its lane: the next one in it is ready. */
  function leave(account: Account<T>, host: string): void {
    const lane = account.lanes.get(host)
    if (lane === undefined) return
    const next = lane.parked.shift()
    if (next !== undefined) account.unparked.push(next)
    else if (--lane.busy === 0) account.lanes.delete(host)
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
      const lane = account.lanes.get(item.host) ?? { busy: 0, parked: [] }
      account.lanes.set(item.host, lane)
      const numbered = { item, n: arrivals++ }
      waiting++
      if (lane.busy < perLane) {
        lane.busy++
        account.ready.push(numbered)
      } else lane.parked.push(numbered)
      place(account)
    },
    take() {
      for (let account = chosen(); account !== undefined; account = chosen()) {
        // What is over takes no place, and the account keeps its turn.
        for (let item = shift(account); item !== undefined; item = shift(account)) {
          if (!isOver(item)) {
            held++
            place(account, account.held++)
            return item
          }
          leave(account, item.host)
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
        for (const lane of account.lanes.values()) waiting -= sieve(lane.parked, keep).length
        const gone = [...sieve(account.ready, keep), ...sieve(account.unparked, keep)]
        waiting -= gone.length
        for (const { item } of gone) leave(account, item.host)
        place(account)
      }
    },
  }
}

/** Takes out what is not to be kept, and returns it. */
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
