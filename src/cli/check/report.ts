/**
 * An outcome for a person: the verdict first, what it means, where the time went, what was measured.
 *
 * @module
 */

import type { AnyChecker } from '../../checkers/checker.ts'
import type { TimedOutcome } from '../../engine/api/views.ts'
import type { Line } from '../terminal.ts'
import { measured } from './measured.ts'
import { explanation, headline } from './verdict.ts'
import { waterfall } from './waterfall.ts'

/** `subject`: type and target, as the headline names them. */
export function report(
  outcome: TimedOutcome,
  subject: string,
  highlights?: AnyChecker['highlights'],
): Line[] {
  const blocks: readonly (readonly Line[])[] = [
    explanation(outcome).map((sentence) => `  ${sentence}`),
    waterfall(outcome),
    ...measured(outcome, highlights),
  ]
  const told = blocks.filter((block) => block.length > 0).flatMap((block) => ['', ...block])
  return [headline(outcome, subject), ...told]
}
