/**
 * The shared state of one check's registry queries, and the limits of each query.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import { waitFor } from '../../net/timing/stop.ts'
import type { CheckContext } from '../checker.ts'
import type { Queues, QueuedQuery } from './queues.ts'
import type { Answer, Source } from './registration.ts'

/** Reserved before the deadline, which would count as a failure of the name. */
const SPARE_MS = 250

/** Maximum time of one query. */
const QUERY_MS = 10_000

/** Pause after a rate-limit answer of a registry that names no duration. */
const HOLD_MS = 5 * 60_000

export interface Asking {
  readonly ctx: CheckContext
  readonly queues: Queues
  /** Every query of this check, for its details. */
  readonly attempts: JsonObject[]
}

export interface Query {
  readonly source: Source
  /** `host` or `host:port`; queries to the same server share its queue. */
  readonly server: string
  /** Throws if there is no answer; the text of a `CheckFailure` is shown. */
  readonly ask: () => Promise<Asked>
}

export interface Asked {
  readonly answer: Answer
  /** How long the server asks not to be queried. */
  readonly hold_ms?: number
  /** Replaces the answer in the list of attempts. */
  readonly note?: string
}

/**
 * Milliseconds available for a query: not all that is left, so that another server can be queried.
 */
export function allowance({ ctx }: Pick<Asking, 'ctx'>, share = 1): number {
  return Math.min(QUERY_MS, Math.max(0, ctx.remaining() - SPARE_MS) * share)
}

/**
 * At most half of the remaining time is spent waiting in the queue, so that time for the query
 * remains.
 */
export function queuedQuery(ctx: CheckContext): QueuedQuery {
  const wait_ms = Math.max(0, ctx.remaining() - SPARE_MS) / 2
  const { account_id, clock, signal } = ctx
  return { account_id, clock, signal, wait_ms }
}

/**
 * Runs one query in its queue. Rejects only at the end of the check: any other failure means a
 * missing answer.
 */
export async function askInTurn(asking: Asking, query: Query, share: number): Promise<Answer> {
  const { ctx, queues, attempts } = asking
  const key = `${query.source} ${query.server}`
  const queued = await queues.run(key, queuedQuery(ctx), () => guarded(asking, query, share))
  if (queued.state === 'done' && isLimit(queued.value.answer)) {
    queues.hold(key, queued.value.hold_ms ?? HOLD_MS, ctx.clock)
  }
  const answer = queued.state === 'done' ? queued.value.answer : untimely(query, queued)
  const note = queued.state === 'done' ? queued.value.note : undefined
  const result = note ?? (answer.state === 'unanswered' ? answer.cause_code : answer.state)
  attempts.push({ source: query.source, server: query.server, result })
  return answer
}

/** Whether the answer is final; otherwise another server of the registry, or WHOIS, is queried. */
export function isFinal(answer: Answer): boolean {
  if (answer.state !== 'unanswered') return true
  return answer.cause_code === 'probe_rate_limited' || answer.cause_code === 'probe_overloaded'
}

/**
 * The result of `work`, or a failure if it takes longer than `ms`; the check closes what it has
 * opened.
 */
export async function within<T>(ctx: CheckContext, ms: number, work: () => Promise<T>): Promise<T> {
  const running = work()
  running.catch(() => undefined)
  return waitFor<T>(ctx.signal, ({ resolve, reject }) => {
    const late = new CheckFailure('timeout', `No complete answer within ${Math.round(ms)} ms`)
    const timer = ctx.clock.timer(ms, () => reject(late))
    running.then(resolve, reject)
    return () => timer.cancel()
  })
}

async function guarded(
  asking: Asking,
  { source, server, ask }: Query,
  share: number,
): Promise<Asked> {
  const { ctx } = asking
  try {
    return await within(ctx, allowance(asking, share), ask)
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof CheckFailure)) throw error
    const failing = error.code === 'too_long' ? 'unparsed' : 'unreachable'
    const cause_code = `probe_${source}_${failing}` as const
    const cause_text = `${server} gave no usable answer: ${error.message}`
    return { answer: { state: 'unanswered', cause_code, cause_text } }
  }
}

function isLimit(answer: Answer): boolean {
  return answer.state === 'unanswered' && answer.cause_code === 'probe_rate_limited'
}

function untimely(
  { server }: Query,
  result: { readonly state: 'held'; readonly held_ms: number } | { readonly state: 'busy' },
): Answer {
  if (result.state === 'busy') {
    const cause_text = `Too many checks were waiting for their turn at ${server}`
    return { state: 'unanswered', cause_code: 'probe_overloaded', cause_text }
  }
  const seconds = Math.ceil(result.held_ms / 1000)
  const cause_text = `${server} limits the rate and is not asked for another ${seconds} s`
  return { state: 'unanswered', cause_code: 'probe_rate_limited', cause_text }
}
