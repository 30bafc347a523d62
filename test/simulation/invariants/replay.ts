/**
 * The rules of thresholds and quorum once more, as plainly as they can be written: what each change of a
 * monitor should have done to its incident, going by the results that were stored.
 */
import type { MonitorStory, Step } from '../ledger.ts'
import { SECOND } from '../time.ts'

export interface Expected {
  /** What the locations say together; `none` where it is no round that counts. */
  readonly verdict: 'ok' | 'late' | 'fail' | 'undecided' | 'none'
  readonly opens: boolean
  readonly started_at: number
  readonly closes: boolean
  readonly ended_at: number
  readonly why: string
}

const NOTHING: Expected = {
  verdict: 'none',
  opens: false,
  started_at: 0,
  closes: false,
  ended_at: 0,
  why: 'it is no round',
}

/** A process may learn late that its own change of a monitor is stored. */
const SLOWNESS = 10 * SECOND

/** Rounds in a row for which a silent location is waited for. */
const PATIENCE = 3

export function replay({ push }: MonitorStory): (step: Step) => Expected {
  let fails = 0
  let oks = 0
  let firstFail: number | undefined
  let firstOk: number | undefined
  let silent = new Map<number, number>()
  /** When planned work ended last. */
  let workEnded: Step | undefined

  function forget(): void {
    fails = oks = 0
    firstFail = firstOk = undefined
    silent = new Map()
  }

  return (step) => {
    const { before, after, change } = step
    const isRound = (change.results?.length ?? 0) > 0
    if (!isRound) {
      if (before.machine.state === 'maintenance') workEnded = step
      if (before.machine.state !== after.machine.state || change.forget_locations === true) forget()
      return NOTHING
    }
    if (before.machine.state === 'maintenance' || before.machine.state === 'paused') return NOTHING
    // It began in planned work, and was complete after its end.
    if (workEnded !== undefined && beganBefore(step, workEnded) && decidesNothing(step))
      return NOTHING
    const { fail_threshold, recover_threshold } = push
      ? { fail_threshold: 1, recover_threshold: 1 }
      : before.common
    const verdict = push && isLate(step) ? 'late' : decide(step)
    const open = before.machine.incident
    // Nobody looked for so long that failures before and after it are not in a row.
    const { last_round_at } = before.machine
    const away_ms = change.at - (last_round_at ?? change.at)
    const { interval_sec } = before.common
    if (!push && open === null && away_ms > Math.max(10 * interval_sec * SECOND, 600 * SECOND)) {
      fails = 0
      firstFail = undefined
    }
    const why = `${verdict} after ${fails} failing and ${oks} good rounds, thresholds ${fail_threshold} and ${recover_threshold}`
    const nothing: Expected = { ...NOTHING, verdict, why }
    if (verdict === 'fail') {
      fails++
      oks = 0
      firstOk = undefined
      firstFail ??= change.at
      const started_at = Math.min(firstFail, change.at)
      return { ...nothing, opens: open === null && fails >= fail_threshold, started_at }
    }
    if (verdict !== 'ok') return nothing
    fails = 0
    firstFail = undefined
    if (open === null) return nothing
    // Coming from planned work, one good look is enough.
    const threshold = isDown(before.machine.state) ? recover_threshold : 1
    oks++
    firstOk ??= change.at
    if (oks < threshold) return nothing
    const ended_at = Math.max(firstOk, open.started_at)
    oks = 0
    firstOk = undefined
    return { ...nothing, closes: true, ended_at }
  }

  /** What the locations of a round say together. */
  function decide({ before, change }: Step): 'ok' | 'fail' | 'undecided' {
    const seen = change.results!.map(({ location_id, verdict, cause_code }) => ({
      location_id,
      verdict,
      gone: verdict === 'unknown' && /^probe_(no_report|offline)$/.test(cause_code ?? ''),
    }))
    silent = new Map(
      seen
        .filter(({ gone }) => gone)
        .map(({ location_id }) => [location_id, (silent.get(location_id) ?? 0) + 1]),
    )
    const waitedFor = seen.filter(({ location_id }) => (silent.get(location_id) ?? 0) <= PATIENCE)
    const anybody = seen.some(({ gone }) => !gone)
    const places = (anybody ? waitedFor : seen).length
    const need = Math.min(push ? 1 : before.common.confirm_locations, places)
    const count = (wanted: string): number =>
      seen.filter(({ verdict }) => verdict === wanted).length
    if (count('fail') >= need) return 'fail'
    return count('ok') >= places - need + 1 ? 'ok' : 'undecided'
  }
}

function beganBefore({ at, wall, change }: Step, end: Step): boolean {
  return at - (wall - change.at) < end.at + SLOWNESS || change.at < end.wall + SLOWNESS
}

/** The round changes neither the state nor what is counted. */
export function decidesNothing({ before, after }: Step): boolean {
  const [was, is] = [before.machine, after.machine]
  const silent = [was.silent, is.silent].map((rounds) => JSON.stringify(rounds ?? {}))
  return (
    was.state === is.state &&
    was.fails === is.fails &&
    was.oks === is.oks &&
    silent[0] === silent[1]
  )
}

function isDown(state: string): boolean {
  return state === 'down' || state === 'recovering'
}

/** Fed by signals: all is well, but the period has passed. */
function isLate({ change }: Step): boolean {
  const [result] = change.results ?? []
  const expected = result?.details.next_expected_at
  return (
    result?.verdict === 'ok' && typeof expected === 'string' && Date.parse(expected) <= change.at
  )
}
