/**
 * The books of a fleet: every monitor's rounds, every outage's incident.
 *
 * @module
 */

import type { EpochMs } from '../../../../src/model.ts'
import { percentile } from '../folder.ts'
import type { Row, Tables } from '../tables.ts'
import type { Outage } from './outages.ts'

export interface AccountOptions {
  readonly tables: Tables
  /** In the order of the targets. */
  readonly monitor_ids: readonly number[]
  readonly outages: readonly Outage[]
  /** Rounds are looked at from here to there. */
  readonly from: EpochMs
  readonly to: EpochMs
  readonly longest_gap_ms: number
}

export interface Account {
  readonly rounds: number
  readonly results: number
  /** Results of a location that was away. */
  readonly unknown: number
  /** Between two measured rounds of one monitor. */
  readonly gap_p50_ms: number
  readonly gap_p99_ms: number
  readonly gap_max_ms: number
  readonly outages_to_tell: number
  readonly incidents: number
  readonly detected_p50_ms: number
  readonly detected_max_ms: number
  readonly problems: readonly string[]
}

/** A round, with the first measurement of it. */
const ROUNDS = `SELECT monitor_id, round, MIN(started_at) AS at, COUNT(*) AS results
  FROM results WHERE verdict <> 'unknown' GROUP BY monitor_id, round ORDER BY monitor_id, at`
const DOUBLES = `SELECT monitor_id AS id, round FROM results
  GROUP BY monitor_id, location_id, round HAVING COUNT(*) > 1`
const UNKNOWN = `SELECT COUNT(*) AS count FROM results WHERE verdict = 'unknown'`
/** With the last failing measurement of its first round, and the last good one of the round that ended it: a round is dated by its tick. */
const INCIDENTS = `SELECT i.id, i.monitor_id, i.detected_at,
  (SELECT MAX(started_at + duration_ms) FROM results AS r
    WHERE r.monitor_id = i.monitor_id AND r.round = i.started_at AND r.verdict = 'fail') AS failed_at,
  (SELECT MAX(started_at + duration_ms) FROM results AS r
    WHERE r.monitor_id = i.monitor_id AND r.round = i.ended_at AND r.verdict = 'ok') AS good_at
  FROM incidents AS i`

export async function account(options: AccountOptions): Promise<Account> {
  const { tables, monitor_ids } = options
  const [rounds = [], doubles = [], unknown = [], incidents = []] = await tables.read([
    ROUNDS,
    DOUBLES,
    UNKNOWN,
    INCIDENTS,
  ])
  const problems = doubles.map(({ id, round }) => `monitor ${id} has round ${round} twice`)
  const times = new Map(monitor_ids.map((id): [number, number[]] => [id, []]))
  for (const { monitor_id, at } of rounds) times.get(Number(monitor_id))?.push(Number(at))
  const gaps = [...times].flatMap(([id, of]) => gapsOf(id, of, options, problems))
  const told = compare(options, incidents, problems)
  return {
    rounds: rounds.length,
    results: rounds.reduce((sum, { results }) => sum + Number(results), 0),
    unknown: Number(unknown[0]?.['count']),
    gap_p50_ms: percentile(gaps, 0.5),
    gap_p99_ms: percentile(gaps, 0.99),
    gap_max_ms: percentile(gaps, 1),
    outages_to_tell: options.outages.filter(({ long }) => long).length,
    incidents: incidents.length,
    detected_p50_ms: percentile(told, 0.5),
    detected_max_ms: percentile(told, 1),
    problems,
  }
}

function gapsOf(
  id: number,
  times: readonly EpochMs[],
  { from, to, longest_gap_ms }: AccountOptions,
  problems: string[],
): number[] {
  const within = [from, ...times.filter((at) => at > from && at < to), to]
  const gaps = within.slice(1).map((at, index) => at - within[index]!)
  for (const gap of gaps)
    if (gap > longest_gap_ms) problems.push(`monitor ${id} was not looked at for ${gap} ms`)
  return gaps
}

/** From the begin of each outage to the incident, ms. */
function compare(
  { monitor_ids, outages }: AccountOptions,
  incidents: readonly Row[],
  problems: string[],
): number[] {
  const outageOf = new Map(outages.map((outage) => [monitor_ids[outage.index], outage]))
  const told = new Map<number, number>()
  for (const { id, monitor_id, detected_at, failed_at, good_at } of incidents) {
    const monitor = Number(monitor_id)
    const outage = outageOf.get(monitor)
    if (outage?.long !== true) {
      problems.push(
        `incident ${id} of monitor ${monitor}, whose target was ${outage ? 'hardly away' : 'never away'}`,
      )
    } else if (told.has(monitor)) {
      problems.push(`monitor ${monitor} was away once and has several incidents`)
    } else if (Number(failed_at) < outage.from || Number(good_at) < outage.to) {
      problems.push(
        `incident ${id} was seen before its outage, or its end before that of the outage`,
      )
    }
    if (outage !== undefined) told.set(monitor, Number(detected_at) - outage.from)
  }
  for (const [id, outage] of outageOf)
    if (outage.long && !told.has(Number(id)))
      problems.push(`the outage of monitor ${id} was not told`)
  return [...told.values()]
}
