/**
 * Proves that a store keeps the contract of `Store`, whatever it is made of. Free of any test framework:
 *
 * ```ts
 * for (const { name, run } of storeSuite(async () => myStore(emptyPlace()))) test(name, run)
 * ```
 *
 * @module
 */

import type { Store } from '../../store/store.ts'
import { accountCases, emptyCases } from './accounts.ts'
import { accountLifeCases } from './account-life.ts'
import { accountRemovalCases } from './account-removal.ts'
import { firstAccount } from './case.ts'
import type { Case } from './case.ts'
import { claimCases } from './claim.ts'
import { clockCases } from './clock.ts'
import { commitCases } from './commit.ts'
import { contactCases } from './contacts.ts'
import { finishCases } from './finish.ts'
import { historyCases } from './history.ts'
import { incidentCases } from './incidents.ts'
import { monitorCases } from './monitors.ts'
import { notifyCases } from './notify.ts'
import { pruneCases } from './prune.ts'
import { replyCases } from './replies.ts'
import { restartCases } from './restart.ts'
import { sharedCases } from './shared.ts'
import type { SharedCase } from './shared-parts.ts'

export interface StoreTest {
  /** A sentence about what a store does. */
  readonly name: string
  /** Rejects with an `AssertionError` where it does not. */
  run(): Promise<void>
}

export interface StoreSuiteOptions {
  /** A store on what the closed one has left, not open yet. Without it the cases on restarting are left out. */
  readonly reopen?: ((closed: Store) => Promise<Store>) | undefined
  /** Another store on what the open one has, not open yet. Without it the cases on sharing are left out. */
  readonly beside?: ((opened: Store) => Promise<Store>) | undefined
}

/** `make` hands out a store that is empty and not open yet; each test opens one of its own and closes it. */
export function storeSuite(
  make: () => Promise<Store>,
  { reopen, beside }: StoreSuiteOptions = {},
): readonly StoreTest[] {
  const cases: Readonly<Record<string, Case>> = {
    ...accountCases,
    ...accountLifeCases,
    ...accountRemovalCases,
    ...contactCases,
    ...monitorCases,
    ...commitCases,
    ...incidentCases,
    ...notifyCases,
    ...historyCases,
    ...claimCases,
    ...clockCases,
    ...finishCases,
    ...replyCases,
    ...pruneCases,
    ...(reopen === undefined ? {} : restartCases(reopen)),
    ...(beside === undefined ? {} : sharedWith(beside)),
  }
  const testOf = (run: Case) => () => runWith(make, run)
  const withFirst =
    (run: Case): Case =>
    async (store) => {
      await firstAccount(store)
      await run(store)
    }
  return [
    ...Object.entries(emptyCases).map(([name, run]) => ({ name, run: testOf(run) })),
    ...Object.entries(cases).map(([name, run]) => ({ name, run: testOf(withFirst(run)) })),
  ]
}

function sharedWith(beside: (opened: Store) => Promise<Store>): Record<string, Case> {
  const withOthers =
    (run: SharedCase): Case =>
    async (store) => {
      const others: Store[] = []
      try {
        await run(store, async () => {
          const other = await beside(store)
          others.push(other)
          await other.open()
          return other
        })
      } finally {
        await Promise.all(others.map((other) => other.close()))
      }
    }
  const entries = Object.entries(sharedCases)
  return Object.fromEntries(entries.map(([name, run]) => [name, withOthers(run)]))
}

async function runWith(make: () => Promise<Store>, run: Case): Promise<void> {
  const store = await make()
  await store.open()
  try {
    await run(store)
  } finally {
    await store.close()
  }
}
