/**
 * What a test and its engine in another process say to each other.
 *
 * @module
 */

import type { JsonObject } from '../../../src/model.ts'

export interface EngineChildOptions {
  /** Of the SQLite store. */
  readonly file: string
  readonly driver?: string
  /** Ports of 127.0.0.1 on which it listens before its engine starts. */
  readonly listen?: readonly number[]
  /** Whether it runs a name server at 127.0.0.1:53. */
  readonly names?: boolean
  /** More options of `createEngine`, as far as JSON can carry them. */
  readonly engine?: JsonObject
}

export type NameServerMood = 'well' | 'silent' | 'servfail' | 'slow' | 'wrong-id'

export type Order =
  /** A call of the REST API. */
  | {
      readonly do: 'call'
      readonly method: string
      readonly path: string
      readonly body?: unknown
    }
  | { readonly do: 'contact'; readonly input: JsonObject }
  | { readonly do: 'resend'; readonly notification_id: number }
  /** A target of its own, on 127.0.0.1; port 0 takes any. */
  | { readonly do: 'listen' | 'unlisten'; readonly port: number }
  /** How its own name server behaves from now on; see `names`. */
  | { readonly do: 'names'; readonly mood: NameServerMood }
  /** A line for the shell, in the namespaces of the child. */
  | { readonly do: 'shell'; readonly line: string }
  /** Takes every port that one can connect from, by connections to this one. */
  | { readonly do: 'connect'; readonly port: number }
  /** `hold`: opens every file that it may. `release`: gives back files and ports. `stat`: how long the file system takes for an answer, ms, without the waits for a CPU. */
  | { readonly do: 'hold' | 'release' | 'stat' | 'health' | 'stop' }

export type Command = Order & { readonly id: number }

/** One line of the child. */
export interface Said {
  readonly kind:
    | 'ready'
    | 'log'
    | 'answer'
    | 'round'
    | 'state'
    | 'down'
    | 'up'
    | 'notification'
    | 'location'
    | 'error'
  /** Its own wall clock, of events. */
  readonly at?: number
  readonly [more: string]: unknown
}
