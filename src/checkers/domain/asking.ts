/**
 * What one check brings along to ask registries, and the rules that every query of it keeps.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import { waitFor } from '../../net/timing/wait.ts'
import type { CheckContext } from '../checker.ts'
import type { Queues, Turn } from './queues.ts'
import type { Answer, Source } from './registration.ts'

/** Kept back from the deadline: running into it would be a failure of the name. */
const SPARE_MS = 250

/** The longest that one query may take. */
const QUERY_MS = 10_000

/** A registry that says "too often" without saying for how long. */
const HOLD_MS = 5 * 60_000

export interface Asking {
  readonly ctx: CheckContext
  readonly queues: Queues
  /** Every query of this check, for its details. */
  readonly attempts: JsonObject[]
}

export interface Query {
  readonly source: Source
  /** `host` or `host:port`; whoever shares it shares the queue. */
  readonly server: string
  /** Throws what prevented an answer; the text of a `CheckFailure` is told. */
  readonly ask: () => Promise<Asked>
}

export interface Asked {
  readonly answer: Answer
  /** How long the server wants to be left alone. */
  readonly hold_ms?: number
  /** What stands for the answer in the list of attempts. */
  readonly note?: string
}

/** Milliseconds that a query may take: not all that is left, so that another server can be asked. */
export function allowance({ ctx }: Pick<Asking, 'ctx'>, share = 1): number {
  return Math.min(QUERY_MS, Math.max(0, ctx.remaining() - SPARE_MS) * share)
}

/** At most half of what is left is spent on waiting: a turn without time to ask is none. */
export function turnOf(ctx: CheckContext): Turn {
  const wait_ms = Math.max(0, ctx.remaining() - SPARE_MS) / 2
  const { account_id, clock, signal } = ctx
  return { account_id, clock, signal, wait_ms }
}

/**
 * One query in its turn. Never rejects but for the end of the check: whatever else goes wrong between us
 * and a registry is an answer that is missing.
 */
export async function askInTurn(asking: Asking, query: Query, share: number): Promise<Answer> {
  const { ctx, queues, attempts } = asking
  const key = `${query.source} ${query.server}`
  const turned = await queues.run(key, turnOf(ctx), () => guarded(asking, query, share))
  if (turned.state === 'done' && isLimit(turned.value.answer)) {
    queues.hold(key, turned.value.hold_ms ?? HOLD_MS, ctx.clock)
  }
  const answer = turned.state === 'done' ? turned.value.answer : untimely(query, turned)
  const note = turned.state === 'done' ? turned.value.note : undefined
  const result = note ?? (answer.state === 'unanswered' ? answer.cause_code : answer.state)
  attempts.push({ source: query.source, server: query.server, result })
  return answer
}

/** Whether another server of the same registry, or WHOIS, could know better. */
export function isFinal(answer: Answer): boolean {
  if (answer.state !== 'unanswered') return true
  return answer.cause_code === 'probe_rate_limited' || answer.cause_code === 'probe_overloaded'
}

/** `work`, or a failure when it takes longer than `ms`; what it has opened is closed with the check. */
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
  turned: { readonly state: 'held'; readonly held_ms: number } | { readonly state: 'busy' },
): Answer {
  if (turned.state === 'busy') {
    const cause_text = `Too many checks were waiting for their turn at ${server}`
    return { state: 'unanswered', cause_code: 'probe_overloaded', cause_text }
  }
  const seconds = Math.ceil(turned.held_ms / 1000)
  const cause_text = `${server} limits the rate and is not asked for another ${seconds} s`
  return { state: 'unanswered', cause_code: 'probe_rate_limited', cause_text }
}
