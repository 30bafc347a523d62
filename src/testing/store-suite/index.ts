/**
 * Proves that a store keeps the contract of `Store`, whatever it is made of. Free of any test framework:
 *
 * ```ts
 * for (const { name, run } of storeSuite(async () => myStore(emptyPlace()))) test(name, run)
 * ```
 *
 * @module
 */

import { strict as assert } from 'node:assert'
import type { FullStore, Store } from '../../store/store.ts'
import { accountCases, emptyCases, keyCases, locationCases } from './accounts.ts'
import { accountLifeCases, quotaCases, removedAccountCases } from './account-life.ts'
import { accountRemovalCases, interruptedRemovalCases } from './account-removal.ts'
import {
  auditCases,
  auditKeyCases,
  auditMaintenanceCases,
  auditQuotaCases,
  auditRemovalCases,
  pruneAuditCases,
} from './audit.ts'
import { firstAccount, offers } from './case.ts'
import type { Case, Part } from './case.ts'
import { claimCases } from './claim.ts'
import { clockCases, redatedCases } from './clock.ts'
import { commitCases } from './commit.ts'
import { contactCases } from './contacts.ts'
import { finishCases } from './finish.ts'
import { availabilityCases, dailyCases, hourlyCases, resultCases } from './history.ts'
import { incidentCases } from './incidents.ts'
import { maintenanceCases, maintenanceNewsCases, removedMaintenanceCases } from './maintenance.ts'
import { monitorCases } from './monitors.ts'
import { notifyCases } from './notify.ts'
import {
  publicPageCases,
  removedPublicPageCases,
  restartedPublicPageCases,
  statusReportCases,
} from './public-pages.ts'
import {
  pruneAvailabilityCases,
  pruneCases,
  pruneDailyCases,
  pruneHourlyCases,
  pruneIdempotencyCases,
  pruneKeyCases,
} from './prune.ts'
import { metaCases, idempotencyResponseCases } from './idempotency.ts'
import { removalRestartCases, restartCases } from './restart.ts'
import { sharedCases, sharedQuotaCases, sharedRemovalCases } from './shared.ts'
import {
  newsCases,
  removalNewsCases,
  requestCases,
  shardCases,
  idempotencyLockCases,
} from './shared-parts.ts'
import type { SharedCase } from './shared-parts.ts'

export interface StoreTest {
  /** A sentence about a behaviour of the store. */
  readonly name: string
  /** Rejects with an `AssertionError` if the store does not comply. */
  run(): Promise<void>
}

/** An optional member of `Store`. */
export type StorePart = Part

export interface StoreSuiteOptions<S extends Store = Store> {
  /** Reopens the data of the closed store; the result is not open yet. Without it the cases on restarts are left out. */
  readonly reopen?: ((closed: S) => Promise<Store>) | undefined
  /** A further store on the data of the open one, not open yet. Without it the cases on sharing are left out. */
  readonly beside?: ((opened: S) => Promise<Store>) | undefined
  /**
   * The members that the store lacks. One test for each replaces the cases that need it: its name says how many are
   * left out, and it fails if the store has the member after all.
   */
  readonly without?: readonly StorePart[] | undefined
}

/** Cases, and the optional members that they need. */
type Section = readonly [Readonly<Record<string, Case>>, ...needs: Part[]]

/** `make` returns an empty store that is not open yet; each test opens one and closes it. */
export function storeSuite<S extends Store>(
  make: () => Promise<S>,
  { reopen, beside, without = [] }: StoreSuiteOptions<S> = {},
): readonly StoreTest[] {
  const sections = [
    ...ALONE,
    ...(reopen === undefined ? [] : restarting(reopen as Another)),
    ...(beside === undefined ? [] : sharing(beside as Another)),
  ]
  const isOffered = ([, ...needs]: Section): boolean =>
    needs.every((part) => !without.includes(part))
  const leftOut = sections.filter((section) => !isOffered(section))
  const testOf = (run: Case) => () => runWith(make as () => Promise<FullStore>, run)
  return [
    ...Object.entries(emptyCases).map(([name, run]) => ({ name, run: testOf(run) })),
    ...sections
      .filter(isOffered)
      .flatMap(([cases, ...needs]) =>
        Object.entries(cases).map(([name, run]) => ({ name, run: testOf(needing(needs, run)) })),
      ),
    ...without.map((part) => ({
      name: `offers no ${part}: ${countNeeding(leftOut, part)} cases are left out`,
      run: testOf((store) => {
        assert.ok(!offers(store, part), `the store offers ${part}: test it without \`without\``)
        return Promise.resolve()
      }),
    })),
  ]
}

type Another = (store: FullStore) => Promise<FullStore>

const ALONE: readonly Section[] = [
  [accountCases],
  [keyCases, 'keys'],
  [locationCases],
  [accountLifeCases],
  [removedAccountCases, 'accounts.remove'],
  [quotaCases, 'accounts.use'],
  [accountRemovalCases, 'accounts.remove'],
  [interruptedRemovalCases, 'accounts.remove', 'prune'],
  [contactCases],
  [maintenanceCases, 'maintenance'],
  [removedMaintenanceCases, 'maintenance', 'accounts.remove'],
  [publicPageCases, 'publicPages'],
  [statusReportCases, 'statusReports'],
  [removedPublicPageCases, 'publicPages', 'accounts.remove'],
  [monitorCases],
  [commitCases],
  [incidentCases],
  [notifyCases],
  [resultCases],
  [availabilityCases, 'availability'],
  [dailyCases, 'daily'],
  [hourlyCases, 'hourly'],
  [auditCases, 'auditLog'],
  [auditQuotaCases, 'auditLog', 'accounts.use'],
  [auditKeyCases, 'auditLog', 'keys'],
  [auditMaintenanceCases, 'auditLog', 'maintenance'],
  [auditRemovalCases, 'auditLog', 'accounts.remove'],
  [claimCases],
  [clockCases, 'clockSet'],
  [redatedCases],
  [finishCases],
  [idempotencyResponseCases, 'idempotencyResponses'],
  [metaCases],
  [pruneCases, 'prune'],
  [pruneDailyCases, 'prune', 'daily'],
  [pruneHourlyCases, 'prune', 'hourly'],
  [pruneAvailabilityCases, 'prune', 'availability'],
  [pruneAuditCases, 'prune', 'auditLog'],
  [pruneKeyCases, 'prune', 'keys'],
  [pruneIdempotencyCases, 'prune', 'idempotencyResponses'],
]

function restarting(reopen: Another): Section[] {
  return [
    [restartCases(reopen)],
    [removalRestartCases(reopen), 'accounts.remove'],
    [restartedPublicPageCases(reopen), 'publicPages', 'statusReports'],
  ]
}

function sharing(beside: Another): Section[] {
  const withOthers =
    (run: SharedCase): Case =>
    async (store) => {
      const others: FullStore[] = []
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
  const section = (cases: Readonly<Record<string, SharedCase>>, ...needs: Part[]): Section => {
    const alone = Object.entries(cases).map(([name, run]) => [name, withOthers(run)])
    return [Object.fromEntries(alone) as Record<string, Case>, ...needs]
  }
  return [
    section(sharedCases),
    section(sharedQuotaCases, 'accounts.use'),
    section(sharedRemovalCases, 'accounts.remove'),
    section(shardCases(), 'shards'),
    section(newsCases(), 'changes'),
    section(maintenanceNewsCases(), 'changes', 'maintenance'),
    section(removalNewsCases(), 'changes', 'accounts.remove'),
    section(requestCases(), 'requests'),
    section(idempotencyLockCases(), 'idempotencyLocks'),
  ]
}

function countNeeding(sections: readonly Section[], part: Part): number {
  const needing = sections.filter(([, ...needs]) => needs.includes(part))
  return needing.reduce((sum, [cases]) => sum + Object.keys(cases).length, 0)
}

/** Runs the case on a store with its first account. */
function needing(needs: readonly Part[], run: Case): Case {
  return async (store) => {
    for (const part of needs)
      assert.ok(offers(store, part), `the store offers no ${part}: name it in \`without\``)
    await firstAccount(store)
    await run(store)
  }
}

async function runWith(make: () => Promise<FullStore>, run: Case): Promise<void> {
  const store = await make()
  await store.open()
  try {
    await run(store)
  } finally {
    await store.close()
  }
}
