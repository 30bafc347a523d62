/**
 * The tables of a table store, and a transaction on them with the types of their rows.
 *
 * @module
 */

import type {
  AccountRecord,
  AttemptRecord,
  AuditRecord,
  AvailabilityChange,
  ContactRecord,
  DailyStats,
  HourlyStats,
  IncidentRecord,
  KeyRecord,
  LocationRecord,
  LocationState,
  MaintenanceRecord,
  MonitorRecord,
  NewAuditRecord,
  NotificationRecord,
  PublicPageRecord,
  ResultRecord,
  StatusReportRecord,
} from '../../model.ts'
import { NotFoundError } from '../../errors.ts'
import { copy } from '../memory/copy.ts'
import type { IdempotencyResponse } from '../store.ts'

/** A plain JSON object; a positive whole number identifies it within its table. */
export interface TableRow {
  readonly id: number
  readonly [column: string]: unknown
}

/** The tables, and the columns by which rows are found: an index on each of them keeps a store quick. */
export const TABLES = {
  accounts: ['external_id', 'removed'],
  attempts: ['notification_id'],
  availability: ['monitor_id'],
  contacts: ['account_id'],
  daily: ['monitor_id', 'day'],
  hourly: ['monitor_id', 'hour'],
  incidents: ['account_id', 'monitor_id'],
  keys: ['account_id', 'hash'],
  /** The last id given out, of each table. */
  last_ids: ['name'],
  location_states: ['monitor_id', 'location_id'],
  locations: ['name'],
  maintenance: ['account_id'],
  meta: ['name'],
  monitors: ['account_id', 'token_hash'],
  notifications: ['account_id', 'monitor_id', 'incident_id', 'contact_id', 'status'],
  idempotency_responses: ['account_id', 'key'],
  results: ['monitor_id'],
  audit_log: ['account_id', 'resource_id'],
  public_pages: ['account_id', 'slug'],
  status_reports: ['account_id'],
} as const

export type TableName = keyof typeof TABLES

export interface TableQuery {
  /** Rows that have all of these values; every row of the table where it is empty. */
  readonly where: Readonly<Record<string, string | number | boolean | null>>
  /** Lowest id first, or highest. */
  readonly order: 'asc' | 'desc'
  /** Only rows behind this id, in the direction of `order`. */
  readonly after_id?: number
  readonly limit: number
}

/** What is read includes what the same transaction has written. */
export interface TableTransaction {
  get(table: TableName, id: number): Promise<TableRow | undefined>
  find(table: TableName, query: TableQuery): Promise<readonly TableRow[]>
  /** A new row, or a new version of the one with this id. */
  put(table: TableName, row: TableRow): Promise<void>
  remove(table: TableName, id: number): Promise<void>
}

type WithId<T> = T & { readonly id: number }

interface Rows {
  accounts: AccountRecord & { readonly removed: boolean }
  attempts: WithId<AttemptRecord>
  availability: WithId<AvailabilityChange>
  contacts: ContactRecord
  daily: WithId<DailyStats>
  hourly: WithId<HourlyStats>
  incidents: IncidentRecord
  keys: KeyRecord
  last_ids: { readonly id: number; readonly name: string; readonly last: number }
  location_states: WithId<LocationState>
  locations: LocationRecord
  maintenance: MaintenanceRecord
  meta: { readonly id: number; readonly name: string; readonly value: string }
  monitors: MonitorRecord
  notifications: NotificationRecord
  idempotency_responses: WithId<IdempotencyResponse> & {
    readonly account_id: number
    readonly key: string
  }
  results: ResultRecord
  audit_log: AuditRecord
  public_pages: PublicPageRecord & { readonly slug: string }
  status_reports: StatusReportRecord
}

export type Row<N extends TableName> = Rows[N]
type Where<N extends TableName> = Partial<Pick<Rows[N], keyof Rows[N] & (typeof TABLES)[N][number]>>
interface Order {
  readonly order?: TableQuery['order'] | undefined
  readonly after_id?: number | undefined
}

/** Rows that `find` is asked for at once. */
const STEP = 500

export interface Records {
  get<N extends TableName>(name: N, id: number): Promise<Row<N> | undefined>
  /** The first one, lowest id first. */
  first<N extends TableName>(name: N, where: Where<N>): Promise<Row<N> | undefined>
  /** All of them, lowest id first. */
  all<N extends TableName>(name: N, where: Where<N>): Promise<Row<N>[]>
  /** The first `limit` of those that fit; no more are read than that takes. */
  some<N extends TableName>(
    name: N,
    where: Where<N>,
    among: Order & { readonly limit: number; readonly fits?: (row: Row<N>) => boolean },
  ): Promise<Row<N>[]>
  insert<N extends TableName>(name: N, row: Omit<Row<N>, 'id'>): Promise<Row<N>>
  put<N extends TableName>(name: N, row: Row<N>): Promise<void>
  remove(name: TableName, id: number): Promise<void>
  /** Whether the account is there, for everybody. */
  isThere(account_id: number): Promise<boolean>
  /** @throws NotFoundError */
  requireAccount(owned: { readonly account_id: number }): Promise<void>
  /** Stores what happened to the row, if anybody wants it recorded. */
  audit(
    audit: NewAuditRecord | undefined,
    row: { readonly id: number; readonly account_id: number },
  ): Promise<void>
}

export function recordsOf(t: TableTransaction): Records {
  async function nextId(name: TableName): Promise<number> {
    const id = Object.keys(TABLES).indexOf(name) + 1
    const known = (await t.get('last_ids', id)) as Row<'last_ids'> | undefined
    const last = (known?.last ?? 0) + 1
    await t.put('last_ids', { id, name, last })
    return last
  }
  const records: Records = {
    get: async (name, id) => copy((await t.get(name, id)) as never),
    first: async (name, where) => (await records.some(name, where, { limit: 1 }))[0],
    all: (name, where) => records.some(name, where, { limit: Infinity }),
    async some(name, where, { limit, fits = () => true, order = 'asc', after_id }) {
      const found: Row<typeof name>[] = []
      let after = after_id
      while (found.length < limit) {
        const behind = after === undefined ? {} : { after_id: after }
        const query = { where: where as TableQuery['where'], order, ...behind, limit: STEP }
        const step = copy(await t.find(name, query)) as unknown as Row<typeof name>[]
        for (const row of step) if (found.length < limit && fits(row)) found.push(row)
        if (step.length < STEP) break
        after = step.at(-1)?.id
      }
      return found
    },
    async insert(name, row) {
      const made = { ...copy(row), id: await nextId(name) } as Row<typeof name>
      await records.put(name, made)
      return made
    },
    put: (name, row) => t.put(name, copy(row) as unknown as TableRow),
    remove: (name, id) => t.remove(name, id),
    isThere: async (id) => (await records.get('accounts', id))?.removed === false,
    async requireAccount({ account_id }) {
      if (!(await records.isThere(account_id))) throw new NotFoundError('account')
    },
    async audit(audit, { id: resource_id, account_id }) {
      if (audit !== undefined)
        await records.insert('audit_log', { ...audit, account_id, resource_id })
    },
  }
  return records
}

/** A group of the contract whose functions each run in a transaction. */
export type Calls<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (records: Records, ...args: Args) => Promise<Result>
    : never
}
