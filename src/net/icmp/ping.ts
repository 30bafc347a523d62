/**
 * `net.ping`: echo requests to the addresses of a host, until one of them answers or the time is
 * up.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { CheckFailure } from '../failure.ts'
import type { Attempt, Net, PingRequest, PingResult } from '../net.ts'
import type { Address } from '../connection/endpoint.ts'
import type { Trace } from '../timing/trace.ts'
import type { PingBackend, PingOrder, PingReport } from './backend.ts'

/** As for connections: maximum addresses tried, and how long each but the last may stay silent. */
const MAX_ADDRESSES = 4
const FIRST_REPLY_MS = 3000

export interface PingSession {
  readonly backend: PingBackend
  readonly clock: Pick<Clock, 'monotonic'>
  readonly signal: AbortSignal
  /** Milliseconds until the deadline of the check. */
  readonly deadlineIn: () => number
  readonly trace: Trace
  readonly resolve: Net['resolve']
}

/** The pings of one check: its signal ends them, and the check waits until they have ended. */
export interface OwnedPings {
  readonly ping: Net['ping']
  /** Resolves when no ping is running. */
  gone(): Promise<void>
}

export function ownPings(session: PingSession): OwnedPings {
  const underWay = new Set<Promise<unknown>>()
  const { backend } = session
  const order = (details: PingOrder): Promise<PingReport> => {
    const running = backend.ping(details)
    underWay.add(running)
    const over = (): void => void underWay.delete(running)
    running.then(over, over)
    return running
  }
  return {
    ping: (request) => pingHost(session, request, order),
    async gone() {
      await Promise.allSettled(underWay)
    },
  }
}

async function pingHost(
  session: PingSession,
  request: PingRequest,
  order: PingBackend['ping'],
): Promise<PingResult> {
  const { host, ip_family = 'auto' } = request
  const { trace, signal, clock } = session
  const addresses = (await session.resolve(host, { ip_family })).slice(0, MAX_ADDRESSES)
  const attempts: Attempt[] = []
  const results: PingResult[] = []
  const failures: CheckFailure[] = []
  for (const [index, address] of addresses.entries()) {
    const plan = planPing({ ...request, time_ms: session.deadlineIn() })
    const isLast = index === addresses.length - 1
    const first_reply_ms = Math.min(plan.budget_ms / 2, FIRST_REPLY_MS)
    trace.reaches(address.address)
    const from = clock.monotonic()
    const outcome = await order({
      ...plan,
      address,
      signal,
      ...(isLast ? {} : { first_reply_ms }),
    }).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof CheckFailure)) throw error
      return error
    })
    const cause_code = causeOf(outcome)
    const duration_ms = Math.round(clock.monotonic() - from)
    attempts.push({ address: address.address, cause_code, duration_ms })
    if (outcome instanceof CheckFailure) failures.push(outcome)
    else results.push(resultOf(address, outcome, attempts))
    if (cause_code === null) break
  }
  return conclude(trace, results, failures)
}

/**
 * The result of the address that answered, else of the first that packets were sent to; local
 * errors come last.
 */
function conclude(
  trace: Trace,
  results: readonly PingResult[],
  failures: readonly CheckFailure[],
): PingResult {
  const result = results.find(({ received }) => received > 0) ?? results[0]
  if (result !== undefined) {
    trace.reaches(result.address.address)
    return result
  }
  const failure = failures.find(({ code }) => !code.startsWith('probe_')) ?? failures[0]
  throw failure ?? new CheckFailure('dns_no_records', 'The name has no address')
}

function causeOf(outcome: PingReport | CheckFailure): string | null {
  if (outcome instanceof CheckFailure) return outcome.code
  if (outcome.replies.length > 0) return null
  return outcome.error?.kind ?? 'ping_no_reply'
}

/**
 * Corrects the report of a backend: at most as many replies as packets, so that loss is never
 * negative.
 */
function resultOf(
  address: Address,
  { sent, replies, duplicates, error }: PingReport,
  attempts: readonly Attempt[],
): PingResult {
  const rtts_ms = Array.from({ length: sent }, (_, index) => {
    return replies.find((reply) => reply.index === index)?.rtt_ms ?? null
  })
  const received = rtts_ms.filter((rtt) => rtt !== null).length
  const ttl = replies.findLast((reply) => reply.ttl !== null)?.ttl ?? null
  return { address, attempts, sent, received, rtts_ms, ttl, duplicates, error }
}

/**
 * Unprivileged users may not send faster (iputils before 2021), and networks should not be flooded.
 */
const MIN_INTERVAL_MS = 200
const MIN_INTERVAL_ROOT_MS = 20

const DEFAULT_INTERVAL_MS = 1000

interface PingWishes {
  readonly count: number
  /** Maximum interval between packets. Default 1000. */
  readonly interval_ms?: number
  /** Time until the deadline. */
  readonly time_ms: number
  /** Default: whether this process runs as root. */
  readonly privileged?: boolean
}

interface PingPlan {
  /** As many of the requested packets as the time allows, at least 1. */
  readonly count: number
  readonly interval_ms: number
  readonly reply_wait_ms: number
  readonly budget_ms: number
}

/**
 * Computes how many packets fit into the time, and their interval.
 *
 * Reserves a quarter of the time, at most a second, for the reply to the last packet: a reply still
 * in transit at the deadline would count as lost.
 */
export function planPing({
  count,
  interval_ms = DEFAULT_INTERVAL_MS,
  ...wishes
}: PingWishes): PingPlan {
  const { time_ms, privileged = process.getuid?.() === 0 } = wishes
  const margin_ms = Math.min(Math.max(time_ms / 10, 50), 500)
  const budget_ms = Math.max(1, time_ms - margin_ms)
  const last_ms = Math.max(budget_ms / 4, Math.min(1000, budget_ms / 2))
  const sending_ms = budget_ms - last_ms
  const fitting_ms = count === 1 ? interval_ms : Math.min(interval_ms, sending_ms / (count - 1))
  const between_ms = Math.max(fitting_ms, privileged ? MIN_INTERVAL_ROOT_MS : MIN_INTERVAL_MS)
  const packets = Math.min(count, Math.floor(sending_ms / between_ms) + 1)
  return {
    count: packets,
    interval_ms: Math.round(between_ms),
    reply_wait_ms: Math.round(budget_ms - (packets - 1) * between_ms),
    budget_ms: Math.round(budget_ms),
  }
}
