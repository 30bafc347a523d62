/**
 * Reports of checks that did not run.
 *
 * @module
 */

import { iso } from '../clock.ts'
import type { CheckReport, EpochMs } from '../model.ts'

/** An `unknown` report: the engine could not measure, so no incident is opened. */
export function unmeasured(at: EpochMs, cause_code: string, cause_text: string): CheckReport {
  return {
    outcome: {
      verdict: 'unknown',
      cause_code,
      cause_text,
      phase: null,
      started_at: iso(at),
      duration_ms: 0,
      phases: {},
      remote_ip: null,
      details: {},
    },
    begun: false,
  }
}
