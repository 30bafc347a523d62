/**
 * One check without an engine: for tests, scripts and the command line.
 *
 * @module
 */

import { checkerFrom, DEFAULT_TIMEOUT_MS } from '../../checkers/checker.ts'
import type { AnyChecker, CheckerInput, CheckerSource, DetailsOf } from '../../checkers/checker.ts'
import { responseOf } from '../../checkers/response-time.ts'
import { systemClock } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { ValidationError } from '../../errors.ts'
import { parse } from '../../fields/parse.ts'
import { loggerOf } from '../../logger.ts'
import type { Logger } from '../../logger.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import type { Json, JsonObject } from '../../model.ts'
import { targetPolicy } from '../../net/guard/guard.ts'
import type { TargetRule } from '../../net/guard/guard.ts'
import { createNetwork } from '../../net/create-net.ts'
import { executeCheck } from './execute-check.ts'
import type { TimedOutcome } from '../api/views.ts'

export interface RunCheckOptions {
  /** Total deadline in ms, default 10000 or that of the type. */
  readonly timeout_ms?: number | undefined
  /** The addresses that may be connected to; default `open`: all but the metadata services of clouds. */
  readonly targets?: TargetRule | undefined
  /** Certificates (PEM) trusted in addition to the default ones. */
  readonly ca?: string | readonly string[] | undefined
  readonly memo?: Json | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  /** Default: errors of the checker itself are one line each on stderr. `false`: nothing. */
  readonly logger?: Logger | false | undefined
}

const OPTIONS: OptionTable<RunCheckOptions> = {
  timeout_ms: option.milliseconds(1),
  // Validated where the policy is created.
  targets: option.anything,
  ca: option.authority,
  memo: option.anything,
  signal: option.object,
  clock: option.clock,
  logger: option.logger,
}

/**
 * Runs one check without an engine. The outcome contains every failure; only invalid settings throw.
 *
 * @throws ValidationError for settings, ConfigurationError for options
 */
export async function runCheck<const C extends AnyChecker>(
  source: CheckerSource<C>,
  settings: Omit<CheckerInput<C>, 'type'>,
  options: RunCheckOptions = {},
): Promise<TimedOutcome<DetailsOf<C>>> {
  checkOptions('runCheck', options, OPTIONS)
  const checker = checkerFrom(source)
  const stored = parseSettings(checker, settings)
  const { clock = systemClock, targets = 'open' } = options
  const network = createNetwork({
    clock,
    policy: targetPolicy(targets),
    strangers: targets !== 'open',
    ...(options.ca !== undefined ? { ca: options.ca } : {}),
  })
  const report = await executeCheck(checker, stored, {
    clock,
    network,
    timeout_ms: options.timeout_ms ?? checker.common?.timeout_ms?.default ?? DEFAULT_TIMEOUT_MS,
    location: { id: 0, name: 'local' },
    log: loggerOf(options.logger),
    ...(options.memo !== undefined ? { memo: options.memo } : {}),
    ...(options.signal !== undefined ? { signal: options.signal } : {}),
  })
  const { verdict, cause_code, cause_text, phase, started_at, duration_ms, ...rest } =
    report.outcome
  // In the order in which people read it.
  const outcome: TimedOutcome = {
    verdict,
    cause_code,
    cause_text,
    phase,
    started_at,
    duration_ms,
    response_ms: responseOf(checker, report.outcome),
    ...rest,
  }
  return outcome as TimedOutcome<DetailsOf<C>>
}

/**
 * Converts settings as a user writes them to the stored form, by the fields and rules of the checker.
 *
 * @throws ValidationError
 */
export function parseSettings(checker: AnyChecker, input: unknown): JsonObject {
  const parsed = parse(checker.fields, input)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const refined = checker.refine?.(parsed.value) ?? { settings: parsed.value }
  if ('fields' in refined) throw new ValidationError(refined.fields)
  return refined.settings as JsonObject
}
