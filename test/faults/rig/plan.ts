/**
 * What the rig and its engine in another process say to each other.
 *
 * @module
 */

import type { JsonObject } from '../../../src/model.ts'
import type { Pace } from './fast-clock.ts'
import type { Database } from './tables.ts'

/** Where an engine can be told to kill itself. */
export const POINTS = [
  'after_commit',
  'after_claim',
  'after_socket_write',
  'after_answer',
  'before_record',
  'after_record',
] as const

export type Point = (typeof POINTS)[number]

export interface EnginePlan {
  /** Of the SQLite store. */
  readonly file: string
  /** PostgreSQL instead of it. */
  readonly database?: Database
  readonly pace: Pace
  /** Made at the first start, when the store has none. */
  readonly contacts: readonly JsonObject[]
  readonly monitors: readonly JsonObject[]
  /** The n-th time, counted from 1, that it gets there. */
  readonly die?: { readonly at: Point; readonly nth: number }
  readonly limits?: JsonObject
  readonly anchors?: readonly string[]
  /** Says `measured` this often, real time. Default: never. */
  readonly measure_ms?: number
}

/** What a process takes. The heap is what a full collection leaves of it. */
export interface Sample {
  /** Real wall time, epoch ms. */
  readonly at: number
  readonly rss_mib: number
  readonly heap_mib: number
  /** File descriptors. */
  readonly files: number
  /** Timers of the engine that are set. */
  readonly timers: number
}

/** `rest`: nothing is checked any more; what is open is closed, what is due is still told. */
export type Order = { readonly do: 'depth' | 'rest' | 'stop' }

/** One line of the engine's stdout. It is written at once: a process that dies has said what it had to say. */
export type Said =
  | { readonly kind: 'ready'; readonly at: number }
  /** An incident was committed, or its end. */
  | { readonly kind: 'down' | 'up'; readonly incident_id: number; readonly monitor_id: number }
  | { readonly kind: 'notification'; readonly id: number; readonly status: string }
  /** Rows were claimed; `again` of them had been under way in a process that died. Real wall time. */
  | {
      readonly kind: 'claimed'
      readonly at: number
      readonly ids: number[]
      readonly again: number[]
    }
  | { readonly kind: 'dies'; readonly at: Point }
  | { readonly kind: 'depth'; readonly depth: number; readonly open: number }
  | ({ readonly kind: 'measured' } & Sample)
  | { readonly kind: 'error'; readonly message: string }
