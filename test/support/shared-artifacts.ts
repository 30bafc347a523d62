/**
 * What several test files need and nobody changes: databases to copy, certificates, bundled programs.
 * Made once for a whole run of the suite, by whichever test process needs it first.
 *
 * @module
 */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/steps.mjs'
import { systemClock } from '../../src/clock.ts'
import { hireUndertaker } from './servers/undertaker.ts'

/** Names the folder of a run to its test processes. */
const VARIABLE = 'WATCHPOST_TEST_ARTIFACTS'
const POLL_MS = 20

/** For vitest's `globalSetup`: the folder of this run, removed at its end, however it ends. */
export default function setup(): () => Promise<void> {
  const { folder, remove } = makeFolder()
  process.env[VARIABLE] = folder
  return remove
}

let own: string | undefined

/** Of the run, or of this process where it runs alone. */
function sharedFolder(): string {
  return process.env[VARIABLE] ?? (own ??= makeFolder().folder)
}

function makeFolder(): { folder: string; remove: () => Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-artifacts-'))
  // Servers run as another user.
  chmodSync(folder, 0o711)
  const undertaker = hireUndertaker(folder)
  // Programs that are bundled below it find the packages of the repository.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return {
    folder,
    async remove() {
      rmSync(folder, { recursive: true, force: true })
      await undertaker.dismiss()
    },
  }
}

/** The folder that `make` filled, this time or earlier in the run. It is read only. */
export async function artifact(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  for (;;) {
    const place = claim(name)
    if (place.state === 'made') return place.path
    if (place.state === 'claimed') {
      try {
        await make(place.draft)
        return complete(place)
      } finally {
        release(place)
      }
    }
    await systemClock.sleep(POLL_MS)
  }
}

/** The same without a promise: a process that waits for another one stands still. */
export function artifactSync(name: string, make: (folder: string) => void): string {
  for (;;) {
    const place = claim(name)
    if (place.state === 'made') return place.path
    if (place.state === 'claimed') {
      try {
        make(place.draft)
        return complete(place)
      } finally {
        release(place)
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS)
  }
}

interface Claimed {
  readonly state: 'claimed'
  readonly path: string
  readonly lock: string
  /** Becomes `path` when it is complete, so that nobody sees half of it. */
  readonly draft: string
}

type Place =
  Claimed | { readonly state: 'made'; readonly path: string } | { readonly state: 'busy' }

function claim(name: string): Place {
  const path = join(sharedFolder(), name)
  if (existsSync(path)) return { state: 'made', path }
  const lock = `${path}.lock`
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
  } catch {
    if (isAbandoned(lock)) rmSync(lock, { force: true })
    return { state: 'busy' }
  }
  const claimed = { path, lock, draft: `${path}.${process.pid}` }
  if (existsSync(path)) {
    // It was made between the two looks.
    rmSync(lock)
    return { state: 'made', path }
  }
  mkdirSync(claimed.draft)
  return { state: 'claimed', ...claimed }
}

function complete({ draft, path }: Claimed): string {
  renameSync(draft, path)
  return path
}

function release({ draft, lock }: Claimed): void {
  rmSync(draft, { recursive: true, force: true })
  rmSync(lock)
}

/** Whoever made it has ended before it was complete. */
function isAbandoned(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    // Not yet written.
    if (pid === 0) return false
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
