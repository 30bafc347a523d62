/**
 * One check: its context, its deadline, and what came of it. Nothing that a checker or a server does
 * gets past this: it always ends, releases what it held, and yields an outcome.
 *
 * @module
 */

import { SHARED_CAUSES } from '../checkers/causes.ts'
import { checkerFrom } from '../checkers/checker.ts'
import type {
  AnyChecker,
  CheckContext,
  CheckerInput,
  CheckerSource,
  Judgement,
} from '../checkers/checker.ts'
import { iso, systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { ValidationError, MissingDependencyError } from '../errors.ts'
import type { FieldTable } from '../fields/field.ts'
import { parse, revive } from '../fields/parse.ts'
import { mapSecrets } from '../fields/secrets.ts'
import { silentLogger } from '../logger.ts'
import type { Logger } from '../logger.ts'
import type { CheckReport, Json, JsonObject, LocationRecord, Outcome } from '../model.ts'
import { DeadlineError } from '../net/deadline.ts'
import { explain } from '../net/explain.ts'
import { targetPolicy } from '../net/guard.ts'
import type { TargetRule } from '../net/guard.ts'
import { createNetwork } from '../net/network.ts'
import type { Network } from '../net/network.ts'
import { createTrace, round } from '../net/trace.ts'
import type { Trace } from '../net/trace.ts'
import { redactor } from './redact.ts'

/** Most JSON characters of `details` and of a memo; more is dropped and said so in the log. */
const DETAILS_LIMIT = 64 * 1024

/** Without settings of its own a check may take this long. */
const DEFAULT_TIMEOUT_MS = 10_000

export interface RunCheckOptions {
  /** Total deadline in ms, default 10000, or what the type says. */
  readonly timeout_ms?: number
  /** Which addresses may be dialled; default `open`: all but the metadata services of clouds. */
  readonly targets?: TargetRule
  /** Certificates (PEM) trusted besides the default ones. */
  readonly ca?: string | readonly string[]
  readonly memo?: Json
  readonly signal?: AbortSignal
  readonly clock?: Clock
  readonly logger?: Logger
}

/**
 * One check without an engine. The outcome says what was found; only wrong settings are thrown.
 *
 * @throws ValidationError
 */
export async function runCheck<const C extends AnyChecker>(
  source: CheckerSource<C>,
  settings: Omit<CheckerInput<C>, 'type'>,
  options: RunCheckOptions = {},
): Promise<Outcome> {
  const checker = checkerFrom(source)
  const stored = parseSettings(checker, settings)
  const clock = options.clock ?? systemClock
  const network = createNetwork({
    clock,
    policy: targetPolicy(options.targets ?? 'open'),
    ...(options.ca !== undefined ? { ca: options.ca } : {}),
  })
  const report = await carryOut(checker, stored, {
    clock,
    network,
    timeout_ms: options.timeout_ms ?? checker.common?.timeout_ms?.default ?? DEFAULT_TIMEOUT_MS,
    location: { id: 0, name: 'local' },
    log: options.logger ?? silentLogger,
    ...(options.memo !== undefined ? { memo: options.memo } : {}),
    ...(options.signal !== undefined ? { signal: options.signal } : {}),
  })
  return report.outcome
}

/** Settings as a user wrote them to the wire form, by the fields and rules of the checker. @throws ValidationError */
export function parseSettings(checker: AnyChecker, input: unknown): JsonObject {
  const parsed = parse(checker.fields, input)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const refined = checker.refine?.(parsed.value) ?? { settings: parsed.value }
  if ('fields' in refined) throw new ValidationError(refined.fields)
  return refined.settings as JsonObject
}

export interface CheckRun {
  readonly clock: Clock
  readonly network: Network
  readonly timeout_ms: number
  readonly location: LocationRecord
  readonly period_ms?: number
  readonly log: Logger
  readonly memo?: Json
  readonly signal?: AbortSignal
}

/** Carries out one check on stored settings. Never rejects. */
export async function carryOut(
  checker: AnyChecker,
  stored: JsonObject,
  run: CheckRun,
): Promise<CheckReport> {
  const { clock, timeout_ms } = run
  const started_at = iso(clock.now())
  const from = clock.monotonic()
  const trace = createTrace(clock)
  const measured: Record<string, Json | undefined> = {}
  const stop = new AbortController()
  const onStop = () => stop.abort(run.signal?.reason)
  run.signal?.addEventListener('abort', onStop, { once: true })
  if (run.signal?.aborted === true) onStop()
  const timer = clock.timer(timeout_ms, () => stop.abort(new DeadlineError(timeout_ms)))
  const remaining = (): number => Math.max(0, timeout_ms - (clock.monotonic() - from))
  const net = run.network.open({ signal: stop.signal, deadlineIn: remaining, trace })
  const releases: (() => void | Promise<void>)[] = [() => net.close()]

  const ctx: CheckContext = {
    signal: stop.signal,
    period_ms: run.period_ms ?? 0,
    remaining,
    clock,
    net,
    memo: run.memo,
    location: run.location,
    log: run.log,
    phase: (name, work) => trace.phase(name, work),
    measure: (details) => void Object.assign(measured, details),
    load: loadPackage,
    onEnd: (release) => void releases.push(release),
  }

  const judgement = await judge(checker, stored, ctx, trace, run.log)
  const duration_ms = round(clock.monotonic() - from)
  timer.cancel()
  run.signal?.removeEventListener('abort', onStop)
  await release(releases, run.log)
  return report({ checker, stored, judgement, trace, measured, started_at, duration_ms })
}

async function judge(
  checker: AnyChecker,
  stored: JsonObject,
  ctx: CheckContext,
  trace: Trace,
  log: Logger,
): Promise<Judgement> {
  try {
    const running = Promise.resolve(checker.run(ctx, revive(checker.fields as FieldTable, stored)))
    const judgement: Judgement = await untilAborted(running, ctx.signal)
    if (isJudgement(judgement)) return judgement
    throw new TypeError(`The checker "${checker.type}" returned something that is not a judgement`)
  } catch (thrown) {
    // What a library throws once its socket is destroyed is noise; the reason for the abort is the cause.
    const error: unknown = ctx.signal.aborted ? ctx.signal.reason : thrown
    const { verdict, cause_code, cause_text, phase } = explain(error, { phase: trace.current })
    if (cause_code === 'internal_error')
      log.error({ err: error, type: checker.type }, 'a checker failed')
    return { verdict, cause_code, cause_text, findings: phase === null ? {} : { phase } }
  }
}

function untilAborted<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Anything may come from a plugin at run time, whatever the types say. */
function isJudgement(value: unknown): value is Judgement {
  if (typeof value !== 'object' || value === null) return false
  const { verdict, cause_code, findings } = value as Partial<Judgement>
  if (typeof findings !== 'object') return false
  return (
    verdict === 'ok' ||
    ((verdict === 'fail' || verdict === 'unknown') && typeof cause_code === 'string')
  )
}

async function release(
  releases: readonly (() => void | Promise<void>)[],
  log: Logger,
): Promise<void> {
  for (const each of [...releases].reverse()) {
    try {
      await each()
    } catch (err) {
      log.warn({ err }, 'a check could not release what it held')
    }
  }
}

interface Ended {
  readonly checker: AnyChecker
  readonly stored: JsonObject
  readonly judgement: Judgement
  readonly trace: Trace
  readonly measured: JsonObject
  readonly started_at: string
  readonly duration_ms: number
}

function report({
  checker,
  stored,
  judgement,
  trace,
  measured,
  started_at,
  duration_ms,
}: Ended): CheckReport {
  const { verdict, cause_code, findings } = judgement
  const redact = redactor(secretsOf(checker, stored))
  const outcome: Outcome = {
    verdict,
    cause_code: verdict === 'ok' ? null : cause_code,
    cause_text:
      verdict === 'ok' ? null : redact.text(judgement.cause_text ?? textOf(checker, cause_code)),
    phase: verdict === 'ok' ? null : (findings.phase ?? phaseOf(checker, cause_code)),
    started_at,
    duration_ms,
    phases: trace.phases,
    remote_ip: trace.remote_ip,
    details: bounded(redact.json({ ...measured, ...findings.details }), {}),
  }
  return {
    outcome,
    ...(findings.notices !== undefined ? { notices: findings.notices } : {}),
    ...(findings.memo !== undefined ? { memo: bounded(findings.memo, null) } : {}),
    ...(findings.since !== undefined ? { since: findings.since } : {}),
    ...(findings.late === true ? { late: true } : {}),
  }
}

function bounded<T extends Json>(value: T, instead: T): T {
  return JSON.stringify(value).length > DETAILS_LIMIT ? instead : value
}

function secretsOf(checker: AnyChecker, stored: JsonObject): string[] {
  const secrets: string[] = []
  mapSecrets(checker.fields, stored, (secret) => {
    secrets.push(secret)
    return secret
  })
  return secrets
}

function causeOf(checker: AnyChecker, code: string | null) {
  const causes: AnyChecker['causes'] = { ...SHARED_CAUSES, ...checker.causes }
  return code === null ? undefined : causes[code]
}

function textOf(checker: AnyChecker, code: string | null): string {
  return causeOf(checker, code)?.text ?? 'The check failed'
}

function phaseOf(checker: AnyChecker, code: string | null): Outcome['phase'] {
  return causeOf(checker, code)?.phase ?? null
}

/** Loads an optional package. @throws MissingDependencyError */
async function loadPackage<T>(name: string, importer: () => Promise<T>): Promise<T> {
  try {
    return await importer()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException | null)?.code
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
      throw new MissingDependencyError(name, { cause })
    }
    throw cause
  }
}
