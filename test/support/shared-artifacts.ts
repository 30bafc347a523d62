/**
 * What several test files need and nobody changes: databases to copy, certificates, bundled programs.
 * Made once for a whole run of the suite, by whichever test process needs it first.
 *
 * @module
 */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/steps.mjs'
import { systemClock } from '../../src/clock.ts'
import { hireUndertaker } from './servers/undertaker.ts'

/** Names the folder of a run to its test processes. */
const VARIABLE = 'WATCHPOST_TEST_ARTIFACTS'
const POLL_MS = 20
/** Files there are in memory, on Linux. */
const MEMORY = '/dev/shm'
/** What the files of tests may take, several times over. */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * For vitest's `globalSetup`: the folder of this run, removed at its end, however it ends. Temporary files of tests are
 * in it as well, unless TMPDIR is set: in memory where there is room, since a database waits for the disk at each
 * commit.
 */
export default function setup(): () => Promise<void> {
  const { folder, artifacts, remove } = makeFolder(hasRoomInMemory() ? MEMORY : tmpdir())
  process.env[VARIABLE] = artifacts
  if (process.env.TMPDIR === undefined) {
    process.env.TMPDIR = join(folder, 'tmp')
    mkdirSync(process.env.TMPDIR)
    chmodSync(process.env.TMPDIR, 0o1777)
  }
  return remove
}

function hasRoomInMemory(): boolean {
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return false
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const [, , type, options = ''] =
      mounts.find((line) => line.split(' ')[1] === MEMORY)?.split(' ') ?? []
    const { bavail, bsize } = statfsSync(MEMORY)
    const runs = type === 'tmpfs' && !options.split(',').includes('noexec')
    return runs && Math.min(bavail * bsize, freemem()) >= ROOM_BYTES
  } catch {
    return false
  }
}

let own: string | undefined

/** Of the run, or of this process where it runs alone. */
function sharedFolder(): string {
  return process.env[VARIABLE] ?? (own ??= makeFolder(tmpdir()).artifacts)
}

interface RunFolder {
  readonly folder: string
  readonly artifacts: string
  remove(): Promise<void>
}

function makeFolder(parent: string): RunFolder {
  const folder = mkdtempSync(join(parent, 'watchpost-run-'))
  const undertaker = hireUndertaker(folder)
  const artifacts = join(folder, 'artifacts')
  mkdirSync(artifacts)
  // Servers run as another user.
  for (const each of [folder, artifacts]) chmodSync(each, 0o711)
  // Programs that are bundled below it find the packages of the repository.
  symlinkSync(join(root, 'node_modules'), join(artifacts, 'node_modules'), 'junction')
  return {
    folder,
    artifacts,
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
