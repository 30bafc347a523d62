/** The same figures as a table for a person and as JSON for a comparison. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Benchmark, Fact, Prepared } from './benchmark.ts'
import { ratio, summarise } from './measure.ts'
import type { Round, Spread, Summary } from './measure.ts'

export interface Machine {
  readonly node: string
  readonly v8: string
  readonly openssl: string
  readonly platform: string
  readonly cpu: string
  readonly cores: number
  readonly memory_gb: number
  /** Over the last minute, at the beginning: above the number of cores, wall times mean little. */
  readonly load: number
}

export function machine(): Machine {
  const cores = cpus()
  const { node, v8, openssl } = process.versions
  return {
    node,
    v8,
    openssl,
    platform: `${process.platform} ${process.arch}`,
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}

export interface Verdict {
  readonly what: string
  /** Its two times, where it is a ratio. */
  readonly of_us?: number
  readonly against_us?: number
  readonly seen: number
  /** Of `seen`; nothing for a ratio. */
  readonly unit: string
  readonly at_most: number
  readonly met: boolean
}

export interface Report {
  readonly benchmark: string
  readonly unit: string
  readonly at: string
  readonly machine: Machine
  readonly summaries: readonly Summary[]
  readonly goals: readonly Verdict[]
  readonly facts: readonly Fact[]
  readonly rounds: readonly Round[]
}

export interface Measured {
  readonly machine: Machine
  readonly rounds: readonly Round[]
  readonly facts: readonly Fact[]
}

export function reportOf(
  { name, unit }: Benchmark,
  { contenders, goals = [] }: Prepared,
  measured: Measured,
): Report {
  const { rounds, facts } = measured
  const summaries = contenders.map((contender) => summarise(contender.name, rounds))
  const medianOf = (name: string): number =>
    summaries.find(({ contender }) => contender === name)?.cpu_us.median ?? NaN
  const ofTimes = goals.map(({ of, against, at_most }) => {
    const of_us = medianOf(of)
    if (against === undefined) return verdict({ what: of, seen: of_us, unit: 'µs', at_most })
    const times = { of_us, against_us: medianOf(against) }
    const seen = ratio(of, against, rounds)
    return verdict({ what: `${of} ÷ ${against}`, ...times, seen, unit: '', at_most })
  })
  const ofFacts = facts.flatMap(({ name: what, value: seen, unit: of, at_most }) =>
    at_most === undefined ? [] : [verdict({ what, seen, unit: of, at_most })],
  )
  const at = new Date().toISOString()
  return { benchmark: name, unit, at, ...measured, summaries, goals: [...ofTimes, ...ofFacts] }
}

function verdict(goal: Omit<Verdict, 'met'>): Verdict {
  return { ...goal, met: goal.seen <= goal.at_most }
}

export function write(report: Report, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const stamp = report.at.replace(/[:.]/g, '-')
  const file = join(folder, `${report.benchmark}-${stamp}.json`)
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`)
  return file
}

export function printMachine({ node, cpu, cores, memory_gb, platform, load }: Machine): void {
  console.log(`Node ${node}, ${platform}, ${cores} × ${cpu}, ${memory_gb} GB, load ${load}`)
}

export function print(report: Report, baseline?: string): void {
  const { unit, summaries, rounds, goals, facts } = report
  const rows = summaries.map(({ contender, units, cpu_us, wall_us, stalled }) => [
    contender,
    spreadText(cpu_us),
    figure(wall_us.median),
    baseline === undefined ? '' : figure(ratio(contender, baseline, rounds)),
    String(units),
    stalled === 0 ? '' : `${stalled} stalled`,
  ])
  const head = [`per ${unit}`, 'CPU µs (quartiles)', 'wall µs', baseline === undefined ? '' : '×']
  table([[...head, 'units', ''], ...rows])
  for (const { name, value, unit: of } of facts) console.log(`  ${name}: ${figure(value)} ${of}`)
  for (const { what, seen, unit: of, at_most, met } of goals) {
    console.log(`  ${met ? 'met   ' : 'MISSED'} ${what}: ${figure(seen)} ${of}, goal ≤ ${at_most}`)
  }
}

function spreadText({ q1, median, q3 }: Spread): string {
  return `${figure(median)} (${figure(q1)}–${figure(q3)})`
}

export function figure(value: number): string {
  if (value >= 100) return Math.round(value).toString()
  return Number(value.toPrecision(3)).toString()
}

function table(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    console.log(`  ${cells.join('  ').trimEnd()}`)
  }
}
