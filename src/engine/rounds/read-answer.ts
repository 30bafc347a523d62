/**
 * Validates an answer of a probe transport: a custom transport may send anything, whatever the types say.
 *
 * @module
 */

import type { CheckAnswer } from '../../probes/transport.ts'

const VERDICTS: readonly unknown[] = ['ok', 'fail', 'unknown']

/** An invalid answer is ignored, and the round ends without it. */
export function isAnswer(value: unknown): value is CheckAnswer {
  const { order, report } = recordOf(value)
  const { outcome, notices } = recordOf(report)
  const { verdict, started_at, phases, details } = recordOf(outcome)
  return (
    Number.isInteger(recordOf(order)['monitor_id']) &&
    VERDICTS.includes(verdict) &&
    !Number.isNaN(Date.parse(String(started_at))) &&
    isRecord(phases) &&
    isRecord(details) &&
    (notices === undefined || (Array.isArray(notices) && notices.every(isRecord)))
  )
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
