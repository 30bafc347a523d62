/**
 * An outcome as text for people: the verdict, its meaning, the time of each phase, the measurements.
 *
 * @module
 */

import type { AnyChecker } from '../../checkers/checker.ts'
import type { TimedOutcome } from '../../engine/api/views.ts'
import type { Line } from '../terminal.ts'
import { measured } from './measured.ts'
import { explanation, headline } from './verdict.ts'
import type { Outcome } from '../../model.ts'
import { table, wrapped } from '../terminal.ts'

export interface ReportOptions {
  /** All measurements, with chains, hops and attempts. Default: those that the type highlights. */
  readonly verbose?: boolean
}

/** `subject`: type and target, as the headline names them; it stays on one line, which monitoring systems show. */
export function report(
  outcome: TimedOutcome,
  subject: string,
  checker: Pick<AnyChecker, 'highlights' | 'causes'>,
  { verbose = false }: ReportOptions = {},
): Line[] {
  const { titled, named } = measured(outcome, checker.highlights, verbose)
  const blocks: readonly (readonly Line[])[] = [
    explanation(outcome, checker.causes).flatMap((sentence) => wrapped(sentence, '  ')),
    waterfall(outcome),
    titled,
    verbose ? named : hint(named.length),
  ]
  const told = blocks.filter((block) => block.length > 0).flatMap((block) => ['', ...block])
  return [headline(outcome, subject), ...told]
}

function hint(left: number): readonly Line[] {
  if (left === 0) return []
  const text = `  ${left} more ${left === 1 ? 'measurement' : 'measurements'} with --verbose`
  return [[{ text, tone: 'faint' }]]
}

const BAR_CHARACTERS = 40

/** Less than this is not worth a line. */
const REST_SHARE = 0.05

interface Step {
  readonly name: string
  readonly ms: number
  readonly sign: string
}

function waterfall({ phases, phase, duration_ms }: Outcome): Line[] {
  const steps = Object.entries(phases).map(([key, ms]): Step => ({
    name: key.replace(/_ms$/, ''),
    ms,
    sign: '█',
  }))
  // The phase in which the check failed may have no measured time.
  if (phase !== null && steps.every(({ name }) => name !== phase)) {
    steps.push({ name: phase, ms: 0, sign: '█' })
  }
  if (steps.length === 0) return []
  const rest_ms = duration_ms - steps.reduce((sum, { ms }) => sum + ms, 0)
  if (rest_ms > duration_ms * REST_SHARE) steps.push({ name: '(other)', ms: rest_ms, sign: '░' })
  const lines = table(rows(steps, Math.max(duration_ms, 0.001)))
  return lines.map((line, index) =>
    steps[index]?.name === phase ? [line, { text: '  ← here', tone: 'bad' }] : line,
  )
}

function rows(steps: readonly Step[], total_ms: number): string[][] {
  const scale = BAR_CHARACTERS / total_ms
  let from_ms = 0
  return steps.map(({ name, ms, sign }) => {
    const start = Math.min(Math.round(from_ms * scale), BAR_CHARACTERS - 1)
    const length = Math.max(1, Math.min(Math.round(ms * scale), BAR_CHARACTERS - start))
    from_ms += ms
    const bar = (' '.repeat(start) + sign.repeat(length)).padEnd(BAR_CHARACTERS)
    return [`  ${name}`, bar, `${ms.toFixed(1)} ms`.padStart(11)]
  })
}
