/**
 * What the engine does for its own doors (REST, the page, the metrics) and for nobody else: it counts requests and
 * keeps answers. It stands on the engine under a symbol, so that the public type is free of it.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'

/** Of the registry: the ES modules and the CommonJS modules of one process mean the same. */
export const REQUEST_SERVICES = Symbol.for('watchpost.request-services')

/** Who is counted: an API key, or whoever else, under a name of its own. */
export type Requester = { readonly key_id: number } | { readonly identity: string }

/** Counts requests, one window for all doors: REST, the page, the metrics. */
export interface RequestCounter {
  /**
   * Admits at most `limit` in any `window_ms`. API keys are counted by their ids, over all processes on a shared
   * store; whoever else, by a name that tells it from all others, in this process.
   */
  admit(request: {
    readonly by: Requester
    readonly window_ms: number
    readonly limit: number
  }): Promise<{
    readonly admitted: boolean
    readonly remaining: number
    /** Until a place in the window becomes free, at the latest; of a refused one, until the next would be admitted. */
    readonly reset_ms: number
  }>
}

/** whose turn it is to make a request that may be repeated, over all processes. */
export interface RequestTurns {
  /** Resolves to what ends the turn, which lapses after two minutes; `undefined` while another process has it. */
  take(account_id: number, key: string): Promise<(() => Promise<void>) | undefined>
}

export interface KeptReply {
  readonly request_hash: string
  readonly status: number
  readonly body: string
}

/** Kept answers for requests that may be repeated. */
export interface KeptReplies {
  get(account_id: number, key: string): Promise<KeptReply | undefined>
  put(account_id: number, key: string, reply: KeptReply): Promise<void>
}

export interface RequestServices {
  readonly requests: RequestCounter
  /** Absent where the store is this process's alone. */
  readonly turns?: RequestTurns
  readonly replies: KeptReplies
}

/** @throws ConfigurationError for what `createEngine` did not make */
export function requestServicesOf(engine: object): RequestServices {
  const services = (engine as { readonly [REQUEST_SERVICES]?: RequestServices })[REQUEST_SERVICES]
  if (services !== undefined) return services
  throw new ConfigurationError('An engine is expected, as createEngine returns it')
}
