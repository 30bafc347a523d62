/**
 * Bounds the requests that wait for what may take minutes, such as the results of a check: each has a connection of the
 * server meanwhile, which is never closed to make room for another one.
 *
 * @module
 */

/** Of an account. */
const OF_ACCOUNT = 50
/** Of all accounts; far fewer than `limitServer` has connections, of which live updates take 500. */
const IN_ALL = 300
/** What each account may still have where those are taken. */
const OF_LATECOMER = 4

export interface WaitingRequests {
  /** Returns what ends the waiting; `undefined` where too many wait. */
  enter(account_id: number): (() => void) | undefined
}

export function createWaitingRequests(): WaitingRequests {
  const waiting = new Map<number, number>()
  let all = 0

  function change(account_id: number, by: 1 | -1): void {
    all += by
    const own = (waiting.get(account_id) ?? 0) + by
    if (own === 0) waiting.delete(account_id)
    else waiting.set(account_id, own)
  }

  return {
    enter(account_id) {
      const most = all < IN_ALL ? OF_ACCOUNT : OF_LATECOMER
      if ((waiting.get(account_id) ?? 0) >= most) return undefined
      change(account_id, 1)
      return () => change(account_id, -1)
    },
  }
}
