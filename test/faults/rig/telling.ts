/**
 * The rig's end of an engine that has much to tell, and the books of what arrived.
 *
 * @module
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { JsonObject } from '../../../src/model.ts'
import type { Counts } from './counting.ts'
import type { Sample } from './plan.ts'
import type { Database, Tables } from './tables.ts'

export interface TellingPlan {
  /** Of the SQLite store. */
  readonly file: string
  /** PostgreSQL instead of it. */
  readonly database?: Database
  readonly contacts: readonly JsonObject[]
  readonly monitors: number
  readonly changes_per_sec: number
  readonly seconds: number
  /** Every contact is told so much later. Nothing is waited for then. */
  readonly delay_min: number
  /** How far its clock is ahead. */
  readonly ahead_ms: number
  readonly measure_ms: number
}

export type Told =
  | { readonly kind: 'started'; readonly at: number }
  | { readonly kind: 'committed'; readonly at: number; readonly ids: readonly number[] }
  | {
      readonly kind: 'changed'
      readonly changes: number
      /** Changes that had to wait for earlier ones. */
      readonly late: number
      readonly took_ms: number
    }
  | ({ readonly kind: 'measured' } & Sample)
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'stopped'; readonly cpu_ms: number }

/** Runs it to its end. `node_options`: for a profile. @throws where it does not end in order */
export async function runTelling(
  program: string,
  plan: TellingPlan,
  node_options: readonly string[] = [],
): Promise<readonly Told[]> {
  const child = fork(program, [JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [...node_options],
  })
  const told: Told[] = []
  const lines = createInterface({ input: child.stdout! })
  lines.on('line', (line) => told.push(JSON.parse(line) as Told))
  const [[code]] = (await Promise.all([once(child, 'close'), once(lines, 'close')])) as [
    [unknown],
    unknown,
  ]
  if (code !== 0) throw new Error(`The engine ended with ${String(code)}`)
  return told
}

/** What must not be: lost, doubled, unsigned, out of order, or not `sent` in the store. */
export async function problemsOf(
  tables: Tables,
  { arrivals, unverified, out_of_order }: Counts,
  expected: number,
): Promise<string[]> {
  const [rows = []] = await tables.read(['SELECT id, status, attempts FROM notifications'])
  const times = new Map(arrivals.map(([id, at]) => [id, at.length]))
  const numbers: Readonly<Record<string, number>> = {
    'rows more or fewer than were committed': Math.abs(rows.length - expected),
    'rows that are not sent': rows.filter(({ status }) => status !== 'sent').length,
    'rows that never arrived': rows.filter(({ id }) => !times.has(Number(id))).length,
    'rows that arrived more than once': [...times.values()].filter((n) => n > 1).length,
    'requests whose signature is wrong': unverified,
    'requests out of order': out_of_order,
  }
  return Object.entries(numbers).flatMap(([what, n]) => (n > 0 ? [`${n} ${what}`] : []))
}

/** From the commit of each row to its first request, ms. */
export function lagsOf(told: readonly Told[], { arrivals }: Counts): readonly number[] {
  const first = new Map(arrivals.map(([id, at]) => [id, at[0] ?? NaN]))
  return told.flatMap((line) =>
    line.kind === 'committed' ? line.ids.map((id) => (first.get(id) ?? Infinity) - line.at) : [],
  )
}
