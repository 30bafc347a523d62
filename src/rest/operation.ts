/**
 * One operation of the API: what it is called with, what it answers, how OpenAPI describes it. The
 * same object does the work and is the documentation, so that they cannot part.
 *
 * @module
 */

import type { AccountScope, Engine } from '../engine/api/engine.ts'
import type { JsonObject } from '../model.ts'
import type { Identity } from './auth.ts'
import type { Reply } from './envelope.ts'
import type { Schema } from './openapi/schemas.ts'
import { readQuery } from './query.ts'
import type { Query, QueryTable } from './query.ts'
import type { RatePolicy } from './rate-limit.ts'
import type { Params } from './router.ts'

/** What the host supplies and operations use. */
export interface Host {
  readonly balance: (account_id: number) => Promise<Balance> | Balance
  /** `null` where requests are not counted. */
  readonly rate: RatePolicy | null
  /** Prefix of the paths in `Location`, `''` at the root. */
  readonly base_path: string
}

export interface Balance {
  /** A decimal number as text: money does not fit a float. `null` where the host keeps no accounts of it. */
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
  /** The engine's groups for the account that asks. */
  readonly scope: AccountScope
  readonly identity: Identity
  readonly host: Host
  readonly request: Request
  readonly url: URL
  readonly params: Params
  /** `:id` of the path; 0 where the path has none. */
  readonly id: number
  /** `{}` where none was sent. */
  readonly body: JsonObject
}

/** What OpenAPI is told. */
interface Description {
  readonly summary: string
  /** Details beyond the summary. */
  readonly description?: string
  /** Group in the documentation. */
  readonly tag: string
  /** The body: a schema by name, or `none` for an action, which takes no fields. Left out, no body is read. */
  readonly body?: 'MonitorCreate' | 'MonitorUpdate' | 'none'
  /** Status of success to what stands beside `ok`. */
  readonly answers: Readonly<Record<number, Readonly<Record<string, Schema>>>>
  /** Statuses of refusal beyond those that every operation has. */
  readonly refusals?: readonly number[]
  /** `ETag` and the conditional headers. */
  readonly versioned?: true
  /** Heeds `Idempotency-Key`. */
  readonly repeatable?: true
}

export interface Operation extends Description {
  readonly query: QueryTable
  run(call: Call): Promise<Reply>
}

/** @throws ValidationError from `run` for a bad parameter */
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
