/**
 * The quotas of the account, compared with what it would have after an import.
 *
 * @module
 */

import { quotaError } from '../../store/store.ts'
import { MOST_WINDOWS } from '../monitors/account-windows.ts'
import { PAGES, REPORTS } from '../services/quotas.ts'
import type { ResolvedQuotas } from '../services/quotas.ts'

const LIMITED = [
  'monitors',
  'contacts',
  'maintenance_windows',
  'public_pages',
  'status_reports',
  'checks_per_min',
] as const

/** Limits of an account without a quota: none of these is unlimited. */
const DEFAULTS: Partial<Record<(typeof LIMITED)[number], number>> = {
  maintenance_windows: MOST_WINDOWS,
  public_pages: PAGES,
  status_reports: REPORTS,
}

/** @throws ConflictError `quota` */
export function requireQuotas(
  quotas: ResolvedQuotas,
  use: Readonly<Record<(typeof LIMITED)[number], number>>,
): void {
  for (const what of LIMITED) {
    const limit = quotas[what] ?? DEFAULTS[what] ?? null
    if (limit !== null && use[what] > limit) throw quotaError(what, limit)
  }
}
