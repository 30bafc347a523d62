/**
 * One check: its context, its deadline and its report. Whatever a checker or a server does, the check ends, releases
 * its resources and returns a report.
 *
 * @module
 */

import type { AnyChecker, CheckContext, Judgement } from '../../checkers/checker.ts'
import { iso } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { MissingDependencyError } from '../../errors.ts'
import { decodeSettings } from '../../fields/parse.ts'
import type { Logger } from '../../logger.ts'
import type { CheckReport, Json, JsonObject, LocationRecord } from '../../model.ts'
import { DeadlineError } from '../../net/timing/deadline.ts'
import { explain } from '../../net/explain.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { Network } from '../../net/create-net.ts'
import { createStop } from '../../net/timing/stop.ts'
import type { Stop, StopSignal } from '../../net/timing/stop.ts'
import { createTrace, hundredths } from '../../net/timing/trace.ts'
import type { Trace } from '../../net/timing/trace.ts'
import { conceal, preparedFor } from './prepared-settings.ts'
import type { DecodedSettings, PreparedSettings, Secrecy } from './prepared-settings.ts'
import { readJudgement, report } from './report.ts'
import { createSharedState } from './shared-state.ts'
import type { SharedState } from './shared-state.ts'

/** Time for a checker to release its resources. */
const RELEASE_MS = 1_000

/** Packages that a check loads on first use lengthen its deadline by what they take, at most by this. */
const LOADING_MS = 30_000

export interface CheckRun {
  readonly clock: Clock
  readonly network: Network
  readonly timeout_ms: number
  readonly location: LocationRecord
  readonly account_id?: number
  readonly period_ms?: number
  readonly missed_limit?: number | undefined
  readonly log: Logger
  readonly memo?: Json
  readonly signal?: AbortSignal
  readonly decoded?: DecodedSettings
  /** Default: nothing is shared with other checks. */
  readonly shared?: SharedState
}

/** Executes one check on stored settings. Never rejects. */
export async function executeCheck(
  checker: AnyChecker,
  stored: JsonObject,
  run: CheckRun,
): Promise<CheckReport> {
  const { clock, timeout_ms, account_id } = run
  const prepared = preparedFor(checker, stored, run.decoded)
  const secrecy: Secrecy = { checker, stored, prepared, learned: [], redact: prepared.redact }
  const started_at = iso(clock.now())
  const from = clock.monotonic()
  const trace = createTrace(clock)
  const measured: Record<string, Json | undefined> = {}
  const stop = createStop()
  const onStop = () => stop.abort(run.signal?.reason as Error)
  run.signal?.addEventListener('abort', onStop, { once: true })
  if (run.signal?.aborted === true) onStop()
  const remaining = (): number => {
    const waited_ms = Math.min(trace.loading_ms(), LOADING_MS)
    return Math.max(0, timeout_ms + waited_ms - (clock.monotonic() - from))
  }
  const overdue = (): void => {
    const left_ms = remaining()
    if (left_ms > 0) timer = clock.timer(left_ms, overdue)
    else stop.abort(trace.loading_ms() > LOADING_MS ? slowLoading() : new DeadlineError(timeout_ms))
  }
  let timer = clock.timer(timeout_ms, overdue)
  const net = run.network.open({ signal: stop, deadlineIn: remaining, trace, account_id })
  const held: Release[] = []

  const ctx = contextOf({ run, stop, trace, net, secrecy, measured, held, remaining })

  const judgement = await judge({ checker, stored, prepared, ctx, stop, trace })
  warnOfDropped(judgement, checker, ctx)
  // Read before anything is released: an aborted phase would continue to count.
  const phases = trace.phases()
  const { remote_ip } = trace
  // A signal or a missed deadline has no duration.
  const duration_ms =
    checker.push === undefined
      ? hundredths(Math.max(0, clock.monotonic() - from - trace.loading_ms()))
      : 0
  timer.cancel()
  run.signal?.removeEventListener('abort', onStop)
  for (const each of held.reverse()) await releaseOne(each, ctx)
  await releaseOne(() => net.close(), ctx)
  return report({
    checker,
    redact: secrecy.redact,
    judgement,
    measured,
    started_at,
    duration_ms,
    phases,
    remote_ip,
  })
}

/** What the context of one check is made of. */
interface ContextOptions {
  readonly run: CheckRun
  readonly stop: Stop
  readonly trace: Trace
  readonly net: CheckContext['net']
  readonly secrecy: Secrecy
  /** Receives the measurements. */
  readonly measured: Record<string, Json | undefined>
  /** Receives what is to be released at the end. */
  readonly held: Release[]
  readonly remaining: () => number
}

function contextOf(options: ContextOptions) {
  const { run, stop, trace, net, secrecy, measured, held, remaining } = options
  let { shared } = run
  const ctx = withSignal({
    [STOP]: stop,
    account_id: run.account_id ?? 0,
    period_ms: run.period_ms ?? 0,
    missed_limit: run.missed_limit ?? 1,
    remaining,
    clock: run.clock,
    net,
    memo: run.memo,
    location: run.location,
    log: secrecy.redact.log(run.log),
    shared: (key, make) => (shared ??= createSharedState()).of(key, make),
    conceal(secret) {
      conceal(secrecy, secret)
      ctx.log = secrecy.redact.log(run.log)
    },
    phase: (name, work) => trace.phase(name, () => work()),
    inTurns: (steps) => run.network.turns.run(stop, steps),
    measure: (details) => void Object.assign(measured, details),
    load: (name, importer) => trace.loading(() => loadPackage(name, importer)),
    onEnd: (release) => void held.push(release),
  })
  return ctx
}

type Context = Omit<CheckContext, 'log'> & { log: CheckContext['log'] }

const STOP = Symbol('stop')

type Unsignalled = Omit<Context, 'signal'> & { readonly [STOP]: Stop }

/**
 * Created on access, since few checkers use it. One accessor for all contexts: V8 gives an object literal with an
 * accessor a hidden class of its own, which keeps the whole check in memory until the next full collection.
 */
const SIGNAL: PropertyDescriptor & ThisType<Unsignalled> = {
  enumerable: true,
  get() {
    return this[STOP].platformSignal()
  },
}

function withSignal(context: Unsignalled): Context {
  return Object.defineProperty(context, 'signal', SIGNAL) as Unsignalled & Context
}

interface RunningCheck {
  readonly checker: AnyChecker
  readonly stored: JsonObject
  readonly prepared: PreparedSettings
  readonly ctx: CheckContext
  readonly stop: StopSignal
  readonly trace: Trace
}

async function judge({
  checker,
  stored,
  prepared,
  ctx,
  stop,
  trace,
}: RunningCheck): Promise<Judgement> {
  try {
    const settings = (prepared.settings ??= decodeSettings(checker.fields, stored))
    const running = Promise.resolve(checker.run(ctx, settings as never))
    return readJudgement(checker.type, await untilAborted(running, stop))
  } catch (thrown) {
    // Errors of a library after its socket was destroyed are secondary; the reason for the abort is the cause.
    const error: unknown = stop.aborted ? stop.reason : thrown
    const { cause_code, cause_text, phase, ...explained } = explain(error, { phase: trace.current })
    if (cause_code === 'internal_error') {
      ctx.log.error({ err: error, type: checker.type }, 'a checker failed')
    }
    // A checker may throw a cause of its own; its table defines the verdict.
    const verdict = checker.causes[cause_code]?.verdict ?? explained.verdict
    return { verdict, cause_code, cause_text, findings: phase === null ? {} : { phase } }
  }
}

/** The engine drops notices with other events than the checker lists: a probe elsewhere may not say `down`. */
function warnOfDropped({ findings }: Judgement, checker: AnyChecker, ctx: CheckContext): void {
  const { type, events = [] } = checker
  const dropped = findings.notices?.find(({ event }) => !events.includes(event))
  if (dropped === undefined) return
  const about = { type, event: dropped.event }
  ctx.log.warn(about, 'a notice is dropped: the checker does not list its event')
}

/** The stop signal belongs to this check, so that no listener has to be removed. */
function untilAborted<T>(running: Promise<T>, stop: StopSignal): Promise<T> {
  return new Promise((resolve, reject: (reason: unknown) => void) => {
    const onAbort = () => reject(stop.reason)
    if (stop.aborted) onAbort()
    stop.addEventListener('abort', onAbort, { once: true })
    running.then(resolve, reject)
  })
}

type Release = () => void | Promise<void>
type Releasing = Pick<CheckRun, 'clock' | 'log'>

/** Never rejects; `undefined` if there is nothing to release. */
function releaseOne(release: Release, run: Releasing): Promise<void> | undefined {
  try {
    const ending = release()
    return ending === undefined ? undefined : inTime(ending, run)
  } catch (err) {
    run.log.warn({ err }, 'a check could not release what it held')
    return undefined
  }
}

/** Bounded by a timeout. */
function inTime(ending: Promise<void>, { clock, log }: Releasing): Promise<void> {
  return new Promise((resolve) => {
    const late = clock.timer(RELEASE_MS, () => {
      log.warn({}, 'a check did not release in time what it held')
      resolve()
    })
    const over = (): void => {
      late.cancel()
      resolve()
    }
    Promise.resolve(ending).then(over, (err: unknown) => {
      log.warn({ err }, 'a check could not release what it held')
      over()
    })
  })
}

function slowLoading(): CheckFailure {
  const text = `Loading the packages of this check takes more than ${LOADING_MS} ms`
  return new CheckFailure('probe_overloaded', text)
}

/** Loads an optional package. @throws MissingDependencyError */
async function loadPackage<T>(name: string, importer: () => Promise<T>): Promise<T> {
  try {
    return await importer()
  } catch (cause) {
    throw new MissingDependencyError(name, { cause })
  }
}
