/**
 * A folder for one run of a program, and the programs it needs.
 *
 * @module
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs `work` in an empty folder, which is removed unless it throws or says `false`. */
export async function inFolder(
  name: string,
  work: (folder: string) => Promise<boolean>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `watchpost-${name}-`))
  let good = false
  try {
    good = await work(folder)
  } finally {
    if (good) rmSync(folder, { recursive: true })
    else {
      console.log(`Not as it should be; the files are kept in ${folder}`)
      process.exitCode = 1
    }
  }
}

/** The share of the sorted figures that is no greater. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? NaN
}
