/**
 * Long work of which an account has one at a time, such as changes of all its monitors. Others of the account wait in
 * their order; those of another account do not.
 *
 * @module
 */

export interface AccountTurns {
  run<T>(account_id: number, work: () => Promise<T>): Promise<T>
  /** How many of the account run or wait. */
  of(account_id: number): number
}

export function createAccountTurns(): AccountTurns {
  const queues = new Map<number, { readonly last: Promise<unknown>; readonly count: number }>()
  const countOf = (account_id: number): number => queues.get(account_id)?.count ?? 0
  return {
    of: countOf,
    async run(account_id, work) {
      const before = queues.get(account_id)?.last ?? Promise.resolve()
      const own = before.then(work)
      const last = own.catch(() => undefined)
      queues.set(account_id, { last, count: countOf(account_id) + 1 })
      try {
        return await own
      } finally {
        const queue = queues.get(account_id)
        if (queue === undefined || queue.count <= 1) queues.delete(account_id)
        else queues.set(account_id, { ...queue, count: queue.count - 1 })
      }
    },
  }
}
