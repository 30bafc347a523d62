/** Carries out one benchmark from its stage to its report: in this process, or in one of its own. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Benchmark, Stage } from './benchmark.ts'
import { measure } from './measure.ts'
import { machine, print, printMachine, reportOf, write } from './report.ts'

/** Where every run leaves its figures. */
export const RESULTS = 'bench/results'

/** Numbers as the command line gives them. */
export interface Extent {
  readonly rounds: string
  readonly scale: string
  readonly rows?: string
}

/** Runs this program once more for one benchmark: what one teaches the compiler must not slow the next. */
export function apart(name: string, extent: Extent, flags: readonly string[] = []): number {
  const { rounds, scale, rows } = extent
  const ofHistory = rows === undefined ? [] : ['--rows', rows]
  const options = ['--rounds', rounds, '--scale', scale, ...ofHistory]
  const args = [...process.execArgv, process.argv[1] ?? '', name, ...options, ...flags]
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
}

export async function run(benchmark: Benchmark, extent: Extent): Promise<void> {
  const here = machine()
  console.log(`\n${benchmark.name}: ${benchmark.about}`)
  printMachine(here)
  const undo: (() => unknown)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  const stage: Stage = {
    folder,
    scale: Number(extent.scale),
    ...(extent.rows === undefined ? {} : { rows: Number(extent.rows) }),
    onEnd: (step) => void undo.push(step),
  }
  try {
    const prepared = await benchmark.prepare(stage)
    const rounds = await measure(prepared.contenders, Number(extent.rounds))
    const facts = (await prepared.facts?.(rounds)) ?? []
    const report = reportOf(benchmark, prepared, { machine: here, rounds, facts })
    print(report, prepared.baseline)
    console.log(`  ${write(report, RESULTS)}`)
  } finally {
    for (const step of undo.reverse()) await step()
  }
}
