/**
 * Heartbeat: a job sends signals; silence beyond its period and grace is a failure.
 *
 * @module watchpost/checkers/heartbeat
 */

import { iso, isoOrNull } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'
import { cronField, timeZoneField } from '../../fields/cron.ts'
import { field } from '../../fields/vocabulary.ts'
import { defineChecker, down, unknown, up } from '../checker.ts'
import type { Findings } from '../checker.ts'
import {
  begin,
  deadlines,
  firstSignalBy,
  nextDue,
  pulseOf,
  receive,
  resetDeadline,
} from './pulse.ts'
import type { Deadlines, Pulse } from './pulse.ts'

export const heartbeat = () =>
  defineChecker({
    type: 'heartbeat',
    title: 'Cron job / backup heartbeat',
    description:
      'Waits for a job to call its address. Late after the period, down after the grace; a failure that the job reports is down at once.',
    fields: {
      grace_sec: field.integer({
        description:
          'Time after the period before silence counts as down; default a fifth of the period, 60 to 3600',
        min: 0,
        max: 31 * 86_400,
        unit: 'seconds',
      }),
      first_signal_sec: field.integer({
        description:
          'Time for the first signal of a new monitor, or of one resumed before any signal; without one it is then down. Default: no limit',
        min: 60,
        max: 31 * 86_400,
        unit: 'seconds',
      }),
      cron: cronField({
        description:
          'When the job runs, instead of interval_sec: minute, hour, day of month, month, day of week',
      }),
      time_zone: timeZoneField({ description: 'Time zone of cron; default UTC' }),
    },
    refine(settings) {
      return settings.time_zone !== undefined && settings.cron === undefined
        ? { fields: { time_zone: 'invalid: it goes with cron' } }
        : { settings }
    },
    unused: ({ cron }): Readonly<Record<string, string>> =>
      cron === undefined ? {} : { interval_sec: 'cron says when the job runs' },
    common: {
      interval_sec: { default: 86_400, min: 30 },
      singleLocation: true,
      certain: true,
      fail_threshold: {
        default: 1,
        description:
          'Deadlines in a row that the job misses before it is down; a failure that it reports is down at once',
      },
      noEffect: {
        timeout_ms: 'nothing is checked, the job sends signals',
        location_ids: 'nothing is checked, the job sends signals',
        confirm_locations: 'nothing is checked, the job sends signals',
        recover_threshold: 'one signal proves that the job runs',
      },
    },
    causes: {
      /** Check that the job ran (its log, the scheduler) and that it can reach the heartbeat address. */
      heartbeat_missed: { text: 'No sign of life within period and grace' },
      /**
       * `details.message` contains the message of the job. Too long: the job hangs, or `grace_sec` is
       * shorter than its run time.
       */
      heartbeat_failed: { text: 'The job reported a failure' },
      /** As `heartbeat_failed`. */
      heartbeat_too_long: { text: 'The job started and did not finish within the grace' },
      /** As `heartbeat_missed`. */
      heartbeat_never_came: { text: 'The first sign of life did not come in time' },
      /** settings: No signal has arrived yet: add `ping_url` to the job. */
      heartbeat_waiting: { text: 'No sign of life yet', verdict: 'unknown' },
    },
    figures: ['run_ms'],
    measurements: {
      last_signal: 'Kind of the last signal: success, start, fail or log',
      last_signal_at: 'When it came (ISO 8601 UTC)',
      next_expected_at: 'End of the period (ISO 8601 UTC)',
      exit_code: 'Exit code the job reported',
      run_ms:
        'Length of the run that has just ended in ms, from start to end or as the job said; only in the result of its signal',
      message: 'What the job said, at most 1000 characters',
    },
    response: 'run_ms',
    highlights: {
      last_signal_at: { title: 'Last signal', format: 'time' },
      next_expected_at: { title: 'Next expected', format: 'time' },
      run_ms: { title: 'Run time', format: 'ms' },
      exit_code: { title: 'Exit code' },
      message: { title: 'Message' },
    },
    target: () => 'heartbeat',
    push: { begin, receive, dueAt: nextDue, resetDeadline },

    run(ctx, settings) {
      const pulse = pulseOf(ctx.memo)
      const terms = { settings, period_ms: ctx.period_ms, missed_limit: ctx.missed_limit }
      const due = deadlines(pulse, terms)
      const now = ctx.clock.now()
      return Promise.resolve(
        due === null ? judgeSilence(firstSignalBy(pulse, terms), now) : judge(pulse, due, now),
      )
    },
  })

function judgeSilence(first_by: EpochMs | null, now: EpochMs) {
  if (first_by === null || now < first_by) {
    const details = { next_expected_at: isoOrNull(first_by) }
    return unknown('heartbeat_waiting', 'No sign of life yet', first_by === null ? {} : { details })
  }
  const text = `The first sign of life was due by ${iso(first_by)}`
  return down('heartbeat_never_came', text, { since: first_by })
}

function judge(pulse: Pulse, due: Deadlines, now: EpochMs) {
  const found: Findings = {
    details: detailsOf(pulse, due),
    // The duration of a run is reported once: later judgements, by the clock, end no run.
    ...(pulse.run_ms === null ? {} : { memo: { ...pulse, run_ms: null } }),
  }
  if (pulse.failed_at !== null) {
    const code = pulse.exit_code === null ? '' : ` with exit code ${pulse.exit_code}`
    const text = `The job reported a failure${code}`
    return down('heartbeat_failed', text, { ...found, since: pulse.failed_at })
  }
  if (due.finish_by !== null && now >= due.finish_by) {
    const text = `The job started at ${isoOrNull(pulse.started_at)} and did not finish in time`
    return down('heartbeat_too_long', text, { ...found, since: due.finish_by })
  }
  if (now >= due.missed_at) {
    const text = `The last sign of life came at ${isoOrNull(pulse.last_signal_at)}; the next was due by ${iso(due.first_missed_at)}`
    return down('heartbeat_missed', text, { ...found, since: due.first_missed_at })
  }
  return up(now >= due.expected_at ? { ...found, late: true } : found)
}

function detailsOf(pulse: Pulse, { expected_at }: Deadlines): NonNullable<Findings['details']> {
  return {
    last_signal: pulse.last_signal,
    last_signal_at: isoOrNull(pulse.last_signal_at),
    next_expected_at: iso(expected_at),
    ...(pulse.exit_code !== null ? { exit_code: pulse.exit_code } : {}),
    ...(pulse.run_ms !== null ? { run_ms: pulse.run_ms } : {}),
    ...(pulse.message !== null ? { message: pulse.message } : {}),
  }
}
