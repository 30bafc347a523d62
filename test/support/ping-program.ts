/**
 * Programs in a folder of their own that stand where the system's `ping` would be.
 *
 * @module
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { findBinary } from './servers/binaries.ts'

/** The real one; `undefined` where it is not installed. */
export const realPing = findBinary(['ping'])

/** A folder with these shell scripts (without the first line), for `systemPing({ path })`; gone when the test ends. */
export function programFolder(scripts: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-ping-'))
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Whether a process of this pid is there; a zombie of ours would be. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Resolves once `look` says yes; fails after ten seconds. */
export async function until(look: () => boolean): Promise<void> {
  const end = systemClock.monotonic() + 60_000
  while (!look()) {
    if (systemClock.monotonic() > end) throw new Error('it did not come to that')
    await systemClock.sleep(10)
  }
}
