/**
 * The quotas of an account: its own, otherwise those of the engine's options, otherwise unlimited.
 *
 * @module
 */

import { ConflictError, NotFoundError } from '../../errors.ts'
import type { AccountQuotas, AccountRecord, CommonSettings } from '../../model.ts'
import type { Allowance } from '../../store/store.ts'
import type { Core } from '../core/core.ts'
import { MAX_WINDOWS } from '../monitors/account-windows.ts'
import type { MonitorType } from '../registry/registry.ts'

/** Quotas that have a limit even if nobody sets one. */
type AlwaysLimited = 'maintenance_windows' | 'public_pages' | 'status_reports'

/** All quotas resolved; `null` is unlimited. */
export type ResolvedQuotas = {
  readonly [Q in keyof AccountQuotas]-?: Q extends AlwaysLimited ? number : number | null
}

const COUNT = { min: 0, max: 1e9 } as const

/** Each page takes an address that no other account can have. */
const DEFAULT_PAGES = 20
export const MAX_PAGES = 1000
const DEFAULT_REPORTS = 500
const MAX_REPORTS = 1000

/** The bounds of quotas. All are integers except the checks per minute. */
const QUOTA_BOUNDS: Readonly<
  Record<keyof AccountQuotas, { readonly min: number; readonly max: number }>
> = {
  monitors: COUNT,
  contacts: COUNT,
  min_interval_sec: { min: 1, max: 86_400 },
  checks_per_min: COUNT,
  maintenance_windows: { min: 0, max: MAX_WINDOWS },
  public_pages: { min: 0, max: MAX_PAGES },
  status_reports: { min: 0, max: MAX_REPORTS },
}

/** Problems of quotas as a caller wrote them, by name. */
export function quotaProblems(quotas: object): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const [name, value] of Object.entries(quotas) as [string, unknown][]) {
    if (!Object.hasOwn(QUOTA_BOUNDS, name)) problems[`quotas.${name}`] = 'unknown_field'
    else if (
      value !== undefined &&
      value !== null &&
      !isQuota(name as keyof AccountQuotas, value)
    ) {
      const { min, max } = QUOTA_BOUNDS[name as keyof AccountQuotas]
      problems[`quotas.${name}`] = `out_of_range: ${min}..${max}, or null for no limit`
    }
  }
  return problems
}

function isQuota(name: keyof AccountQuotas, value: unknown): boolean {
  const { min, max } = QUOTA_BOUNDS[name]
  if (typeof value !== 'number' || !(value >= min && value <= max)) return false
  return name === 'checks_per_min' || Number.isInteger(value)
}

export function resolvedQuotas(
  core: Core,
  { quotas }: Pick<AccountRecord, 'quotas'>,
): ResolvedQuotas {
  const of = (name: keyof AccountQuotas): number | null => {
    const own = quotas[name]
    return own === undefined ? (core.quotas[name] ?? null) : own
  }
  return {
    monitors: of('monitors'),
    contacts: of('contacts'),
    min_interval_sec: of('min_interval_sec'),
    checks_per_min: of('checks_per_min'),
    maintenance_windows: of('maintenance_windows') ?? MAX_WINDOWS,
    public_pages: of('public_pages') ?? DEFAULT_PAGES,
    status_reports: of('status_reports') ?? DEFAULT_REPORTS,
  }
}

/** As stored. @throws NotFoundError */
export async function quotasOf(core: Core, account_id: number): Promise<ResolvedQuotas> {
  return resolvedQuotas(core, await accountOf(core, account_id))
}

/** As stored. @throws NotFoundError */
export async function accountOf(core: Core, account_id: number): Promise<AccountRecord> {
  const account = await core.store.accounts.get(account_id)
  if (account === undefined) throw new NotFoundError('account')
  return account
}

/** The quotas that the store enforces. */
export function allowanceOf({ monitors, contacts, checks_per_min }: ResolvedQuotas): Allowance {
  return {
    ...(monitors === null ? {} : { monitors }),
    ...(contacts === null ? {} : { contacts }),
    ...(checks_per_min === null ? {} : { checks_per_min }),
  }
}

type Timed = Pick<CommonSettings, 'interval_sec'>

/** Whether the interval is shorter than allowed; push types have no checks. */
export function isTooShort(
  { min_interval_sec }: ResolvedQuotas,
  type: MonitorType,
  { interval_sec }: Timed,
): boolean {
  return (
    type.checker.push === undefined && min_interval_sec !== null && interval_sec < min_interval_sec
  )
}

/** For a monitor that resumes with a stored interval. @throws ConflictError `quota` */
export function requireInterval(quotas: ResolvedQuotas, type: MonitorType, common: Timed): void {
  if (!isTooShort(quotas, type, common)) return
  throw new ConflictError(
    'quota',
    `The shortest interval of the account is ${quotas.min_interval_sec} s; lengthen the monitor's first`,
  )
}
