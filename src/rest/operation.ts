/**
 * One operation of the API: its input, its responses and its OpenAPI description. One object contains both the
 * implementation and the documentation, so that they cannot diverge.
 *
 * @module
 */

import type { AccountScope, Engine } from '../engine/api/engine.ts'
import type { JsonObject, KeyScope } from '../model.ts'
import type { InTurn } from '../access/turns.ts'
import type { WaitingRequests } from '../access/waiting-requests.ts'
import type { Identity } from './auth.ts'
import type { Reply } from './envelope.ts'
import type { Schema } from './openapi/schemas.ts'
import { readQuery } from './query.ts'
import type { Query, QueryTable } from './query.ts'
import type { RatePolicy } from './rate-limit.ts'
import type { Params } from './router.ts'

/** What the host provides to operations. */
export interface Host {
  readonly balance: (account_id: number) => Promise<Balance> | Balance
  /** `null` if requests are not counted. */
  readonly rate: RatePolicy | null
  /** Those that hold a connection for long. */
  readonly waiting: WaitingRequests
  /** Makes lists that have no pages, one at a time: those of many requests would be in memory together. */
  readonly listInTurn: InTurn
  /** Prefix of the paths in `Location`, `''` at the root. */
  readonly base_path: string
}

export interface Balance {
  /** A decimal number as a string, since money does not fit a float. `null` if the host has no balances. */
  readonly amount: string | null
  /** ISO 4217. */
  readonly currency?: string
  readonly unlimited?: boolean
  /** ISO 8601 UTC. */
  readonly updated_at?: string
}

/** One request to an operation. */
export interface Call {
  readonly engine: Engine
  /** The engine's services for the account of the request. */
  readonly scope: AccountScope
  readonly identity: Identity
  /** For work that takes long: rejects once the request would no longer be admitted. */
  readonly admitted: () => Promise<Identity>
  readonly host: Host
  readonly request: Request
  readonly url: URL
  readonly params: Params
  /** `:id` of the path; 0 if the path has none. */
  readonly id: number
  /** `{}` if none was sent. */
  readonly body: JsonObject
}

/** The OpenAPI description. */
interface Description {
  readonly summary: string
  /** Details beyond the summary. */
  readonly description?: string
  /** What the key must grant; `null`: any key may ask. */
  readonly scope: KeyScope | null
  /** Group in the documentation. */
  readonly tag: string
  /** The body: a schema by name, or `none` for an action without fields. If absent, no body is read. */
  readonly body?:
    | 'MonitorCreate'
    | 'MonitorUpdate'
    | 'MonitorBulk'
    | 'MaintenanceCreate'
    | 'MaintenanceUpdate'
    | 'PublicPageCreate'
    | 'PublicPageUpdate'
    | 'StatusReportCreate'
    | 'StatusReportUpdate'
    | 'ReportUpdateCreate'
    | 'ContactCreate'
    | 'ContactUpdate'
    | 'none'
  /** Status of success, and the content beside `ok`. */
  readonly answers: Readonly<Record<number, Readonly<Record<string, Schema>>>>
  /** Error statuses beyond those of every operation. */
  readonly refusals?: readonly number[]
  /** Has `ETag` and the conditional headers. */
  readonly versioned?: true
  /** Supports `Idempotency-Key`. */
  readonly repeatable?: true
  /**
   * Mostly waits, for checks, deliveries, other actions or a function of the host: not one of the few that an account
   * has at work.
   */
  readonly waits?: true
}

export interface Operation extends Description {
  readonly query: QueryTable
  run(call: Call): Promise<Reply>
}

/** @throws ValidationError from `run` for an invalid parameter */
export function operation<const Q extends QueryTable = Record<never, never>>(
  definition: Description & {
    readonly query?: Q
    run(call: Call, query: Query<Q>): Promise<Reply>
  },
): Operation {
  const table = definition.query ?? ({} as Q)
  return {
    ...definition,
    query: table,
    run: async (call) => definition.run(call, readQuery(table, call.url.searchParams)),
  }
}
