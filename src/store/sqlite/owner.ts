/**
 * One engine per file: a note beside the database says which process has it open.
 *
 * @module
 */

import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { systemClock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'

export interface Owner {
  readonly pid: number
  /** When the process began, in the system's own words; tells apart two processes that were given the same id. */
  readonly started: string
  readonly host: string
  readonly driver: string
}

export interface Ownership {
  /** Says that the owner is still there. Cheap; call it with every write. */
  touch(): void
  release(): void
}

/** An owner on another host (a container that was replaced) counts as gone after this long without a sign of life. */
const FOREIGN_OWNER_MS = 60_000
const TOUCH_EVERY_MS = 10_000

/** Takes the file for this process; rejects while another living process has it. */
export function takeOwnership(file: string, driver: string): Ownership {
  const note = `${file}.owner`
  const own: Owner = {
    pid: process.pid,
    started: statusOf(process.pid)?.started ?? String(performance.timeOrigin),
    host: hostname(),
    driver,
  }
  // Twice: the first failure may be a note that a dead process left.
  if (!write(note, own)) {
    const owner = livingOwner(file)
    if (owner !== undefined) throw new StorageError(inUse(file, owner))
    if (!discard(note) || !write(note, own)) throw new StorageError(inUse(file, livingOwner(file)))
  }
  // Of the wasm driver; it survives the process that made it.
  rmSync(`${file}.lock`, { recursive: true, force: true })
  let touched_at = systemClock.monotonic()
  return {
    touch() {
      if (systemClock.monotonic() - touched_at < TOUCH_EVERY_MS) return
      touched_at = systemClock.monotonic()
      const now = new Date(systemClock.now())
      try {
        utimesSync(note, now, now)
      } catch {
        // Only a sign of life for other hosts; the write it goes with is what matters.
      }
    },
    release: () => rmSync(note, { force: true }),
  }
}

/** The process that has the file open, `undefined` where there is none (any more). */
export function livingOwner(file: string): Owner | undefined {
  const note = `${file}.owner`
  const owner = read(note)
  if (owner === undefined) return undefined
  if (owner.host !== hostname()) return ageOf(note) < FOREIGN_OWNER_MS ? owner : undefined
  return isRunning(owner) ? owner : undefined
}

function inUse(file: string, owner: Owner | undefined): string {
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`
  return `${file} is in use by ${who}. Stop that one first, or give this one a file of its own`
}

function write(note: string, owner: Owner): boolean {
  let handle: number
  try {
    handle = openSync(note, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeSync(handle, JSON.stringify(owner))
    return true
  } finally {
    closeSync(handle)
  }
}

function read(note: string): Owner | undefined {
  try {
    return JSON.parse(textOf(note) ?? '') as Owner
  } catch {
    // No note, or one that a process did not live to finish.
    return undefined
  }
}

/**
 * Moves the note of a dead process away before it is removed, so that of two processes that found it only
 * one goes on. `false`: another one was quicker.
 */
function discard(note: string): boolean {
  const aside = `${note}.${process.pid}`
  const judged = textOf(note)
  try {
    renameSync(note, aside)
  } catch {
    return false
  }
  const same = textOf(aside) === judged
  try {
    // What was moved is the note of the quicker one: put it back.
    if (!same) linkSync(aside, note)
  } finally {
    rmSync(aside, { force: true })
  }
  return same
}

function textOf(note: string): string | undefined {
  try {
    return readFileSync(note, 'utf8')
  } catch {
    return undefined
  }
}

function ageOf(note: string): number {
  try {
    return Math.abs(systemClock.now() - statSync(note).mtimeMs)
  } catch {
    return Infinity
  }
}

function isRunning({ pid, started }: Owner): boolean {
  const known = statusOf(pid)
  if (known !== undefined) return known.alive && known.started === started
  // Not Linux, or no such process.
  if (pid === process.pid) return started === String(performance.timeOrigin)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Boot and start tick of a process, where the system tells (Linux: fields 3 and 22 of /proc/<pid>/stat,
 * proc(5)). A zombie, dead but not yet asked for by its parent, still answers to signals.
 */
function statusOf(pid: number): { readonly started: string; readonly alive: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    return { started: `${boot} ${fields[18]}`, alive: !/[ZXx]/.test(state) }
  } catch {
    return undefined
  }
}
