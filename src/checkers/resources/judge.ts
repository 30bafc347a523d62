/**
 * Evaluates a report: exceeded limits, old data, missing measurements. Pure.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'
import { down, unknown, up } from '../checker.ts'
import type { Judgement } from '../checker.ts'
import type { ResourceReport } from './report.ts'

export const RESOURCE_CAUSES = {
  /** On the server: `top`, `free`, `df`. `details.disks` shows the full one. */
  cpu_high: { text: 'The processors are busier than allowed' },
  /** As `cpu_high`. */
  ram_high: { text: 'More memory is in use than allowed' },
  /** As `cpu_high`. */
  disk_high: { text: 'A disk is fuller than allowed' },
  /** As `cpu_high`. */
  load_high: { text: 'The load is higher than allowed' },
  /**
   * settings: The agent, not the server: check its secret, its address, and whether it still measures.
   */
  resource_auth: { text: 'The agent refuses the secret', phase: 'first_byte' },
  /** As `resource_auth`. */
  resource_bad_format: { text: 'The answer is not a report that can be read' },
  /** As `resource_auth`. */
  resource_stale: { text: 'The report is old: the agent has stopped to measure' },
  /** target: As `resource_auth`. */
  resource_missing_metric: {
    text: 'The agent does not report what a limit was set for',
    verdict: 'unknown',
  },
} as const

export interface ResourceLimits {
  readonly cpu_max?: number | undefined
  readonly ram_max?: number | undefined
  readonly disk_max?: number | undefined
  readonly load_max?: number | undefined
}

/** Maximum age of a report: three intervals, and at least this. */
const MAX_AGE_FLOOR_MS = 3 * 60_000
const MAX_AGE_INTERVALS = 3

interface Metric {
  readonly name: 'cpu' | 'ram' | 'disk' | 'load'
  readonly value: number | null
  readonly max: number | undefined
  readonly text: string
}

export interface Received {
  readonly report: ResourceReport
  readonly now: EpochMs
  /** Time between checks; 0 for a check without a monitor. */
  readonly period_ms: number
}

/**
 * An exceeded limit is certain even if other values are missing, so it comes first; an old report
 * is not evaluated.
 */
export function judge(
  { report, now, period_ms }: Received,
  limits: ResourceLimits,
): Judgement<keyof typeof RESOURCE_CAUSES> {
  const max_age_ms = Math.max(MAX_AGE_FLOOR_MS, MAX_AGE_INTERVALS * period_ms)
  if (report.at !== null && now - report.at > max_age_ms) {
    const age_sec = Math.round((now - report.at) / 1000)
    return down('resource_stale', `The report is ${age_sec} s old, of ${iso(report.at)}`)
  }
  const metrics = metricsOf(report, limits).filter(({ max }) => max !== undefined)
  const broken = metrics.filter(({ value, max = Infinity }) => value !== null && value > max)
  const [first] = broken
  if (first !== undefined) {
    return down(`${first.name}_high`, broken.map(({ text }) => text).join('; '))
  }
  const missing = metrics.filter(({ value }) => value === null)
  if (missing.length === 0) return up()
  const names = missing.map(({ name }) => name).join(', ')
  const because = report.errors[0] === undefined ? '' : ` (${report.errors[0]})`
  return unknown('resource_missing_metric', `The agent does not report: ${names}${because}`)
}

function metricsOf(report: ResourceReport, limits: ResourceLimits): readonly Metric[] {
  const { cpu, ram, disks, load, cores } = report
  const { cpu_max, ram_max, disk_max, load_max } = limits
  const [worst] = disks
  const full = disks.filter(({ used_pct }) => disk_max !== undefined && used_pct > disk_max)
  const named = full.map(
    ({ name, used_pct }) => `${name === null ? '' : `${name} `}${shown(used_pct)} %`,
  )
  const others = named.length > MAX_NAMED ? `, and ${named.length - MAX_NAMED} more` : ''
  const disk = named.slice(0, MAX_NAMED).join(', ') + others
  const of = cores === null ? '' : ` on ${cores} cores`
  return [
    { name: 'cpu', value: cpu, max: cpu_max, text: `CPU ${shown(cpu)} %, allowed ${cpu_max} %` },
    { name: 'ram', value: ram, max: ram_max, text: `RAM ${shown(ram)} %, allowed ${ram_max} %` },
    {
      name: 'disk',
      value: worst?.used_pct ?? null,
      max: disk_max,
      text: `Disk ${disk}, allowed ${disk_max} %`,
    },
    {
      name: 'load',
      value: load,
      max: load_max,
      text: `Load ${shown(load)}${of}, allowed ${load_max}`,
    },
  ]
}

const MAX_NAMED = 5

/** At most two decimals. */
function shown(value: number | null): number {
  return Math.round((value ?? 0) * 100) / 100
}
