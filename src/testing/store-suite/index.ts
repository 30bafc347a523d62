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
import { accountCases } from './accounts.ts'
import type { Case } from './case.ts'
import { claimCases } from './claim.ts'
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

export interface StoreTest {
  /** A sentence about what a store does. */
  readonly name: string
  /** Rejects with an `AssertionError` where it does not. */
  run(): Promise<void>
}

export interface StoreSuiteOptions {
  /** A store on what the closed one has left, not open yet. Without it the cases on restarting are left out. */
  readonly reopen?: (closed: Store) => Promise<Store>
}

/** `make` hands out a store that is empty and not open yet; each test opens one of its own and closes it. */
export function storeSuite(
  make: () => Promise<Store>,
  { reopen }: StoreSuiteOptions = {},
): readonly StoreTest[] {
  const cases: Readonly<Record<string, Case>> = {
    ...accountCases,
    ...contactCases,
    ...monitorCases,
    ...commitCases,
    ...incidentCases,
    ...notifyCases,
    ...historyCases,
    ...claimCases,
    ...finishCases,
    ...replyCases,
    ...pruneCases,
    ...(reopen === undefined ? {} : restartCases(reopen)),
  }
  return Object.entries(cases).map(([name, run]) => ({ name, run: () => runWith(make, run) }))
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
