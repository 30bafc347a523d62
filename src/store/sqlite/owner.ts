/**
 * One engine per file: a note beside the database says which process owns it.
 *
 * @module
 */

import { randomUUID } from 'node:crypto'
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { systemClock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { isJsonObject } from '../../model/json.ts'

export interface Owner {
  readonly pid: number
  /** When the process started, as the system reports it; distinguishes two processes with the same id. */
  readonly started: string
  readonly host: string
  readonly driver: string
}

export interface Ownership {
  /**
   * Refreshes the note. Cheap; called with every write.
   *
   * @throws StorageError after another process took the file over
   */
  touch(): void
  /** `false` after another process took the file over: nothing may be written any more. */
  isHeld(): boolean
  release(): void
}

/** An owner on another host (a replaced container) counts as ended this long after its last refresh. */
const FOREIGN_OWNER_MS = 60_000
const TOUCH_EVERY_MS = 10_000
const NOTE_LIMIT_BYTES = 4096

/** Takes ownership for this process; rejects while another live process owns the file. */
export function takeOwnership(file: string, driver: string): Ownership {
  const note = noteOf(file)
  const own: Owner = {
    pid: process.pid,
    started: statusOf(process.pid)?.started ?? String(performance.timeOrigin),
    host: hostname(),
    driver,
  }
  const text = JSON.stringify(own)
  // Two tries: the first may fail because of a note that an ended process left.
  if (!write(note, text)) {
    const left = textOf(note)
    const owner = livingOwnerOf(note, left)
    if (owner !== undefined) throw new StorageError(inUse(file, owner))
    const isFree = left === undefined || discard(note, left)
    if (!isFree || !write(note, text)) throw new StorageError(inUse(file, livingOwner(file)))
  }
  // The lock of the wasm driver; it survives the process that created it.
  rmSync(`${realFile(file)}.lock`, { recursive: true, force: true })
  let touched_at = systemClock.monotonic()
  let stamp: string | undefined
  // Asked with every write: the note is read only if its stamp is another.
  function isHeld(): boolean {
    const found = stampOf(note)
    if (found !== undefined && found === stamp) return true
    const held = isNoteOf(note, text)
    if (held) stamp = found
    return held
  }
  return {
    isHeld,
    touch() {
      // To other hosts a process that was suspended counts as ended.
      if (!isHeld()) throw new StorageError(takenOver(file))
      if (systemClock.monotonic() - touched_at < TOUCH_EVERY_MS) return
      touched_at = systemClock.monotonic()
      const now = new Date(systemClock.now())
      try {
        utimesSync(note, now, now)
      } catch {
        // The refresh only matters to other hosts; the write it accompanies must not fail with it.
      }
    },
    release() {
      if (isHeld()) rmSync(note, { force: true })
    },
  }
}

/** Where a link leads: what stands beside the file is found by all who use it, whichever way they come. */
export function realFile(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

function noteOf(file: string): string {
  return `${realFile(file)}.owner`
}

/** The live process that owns the file, or `undefined`. */
export function livingOwner(file: string): Owner | undefined {
  const note = noteOf(file)
  return livingOwnerOf(note, textOf(note))
}

function livingOwnerOf(note: string, text: string | undefined): Owner | undefined {
  const owner = ownerIn(text)
  if (owner === undefined) return undefined
  if (owner.host !== hostname()) return ageOf(note) < FOREIGN_OWNER_MS ? owner : undefined
  return isRunning(owner) ? owner : undefined
}

function inUse(file: string, owner: Owner | undefined): string {
  const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`
  return `${file} is in use by ${who}. Stop that one first, or give this one a file of its own`
}

function takenOver(file: string): string {
  return `${file} was taken over by another process, to which this one had ended (${noteOf(file)}): stop one of them`
}

/**
 * The note is complete as soon as it has its name: another process that starts at the same moment would take an
 * unfinished one for that of an ended process. Returns `false` if there is a note.
 */
function write(note: string, text: string): boolean {
  const draft = `${note}.${randomUUID()}`
  try {
    writeNew(draft, text)
    linkSync(draft, note)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    return writeInPlace(note, text)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** For file systems without hard links. */
function writeInPlace(note: string, text: string): boolean {
  try {
    writeNew(note, text)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

function writeNew(file: string, text: string): void {
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
}

/** `undefined` without a note, and for one that no process of ours finished writing. */
function ownerIn(text = ''): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(text)
    return isOwner(owner) ? owner : undefined
  } catch {
    return undefined
  }
}

function isOwner(value: unknown): value is Owner {
  if (!isJsonObject(value)) return false
  const { pid, started, host, driver } = value
  const texts = [started, host, driver].every((text) => typeof text === 'string')
  return texts && Number.isSafeInteger(pid) && Number(pid) > 0
}

/**
 * Renames the note of an ended process before removing it, so that of two processes that found it only one continues.
 * Returns `false` if the other was first: then the note is no longer what was judged.
 */
function discard(note: string, judged: string): boolean {
  const aside = `${note}.${randomUUID()}`
  if (textOf(note) !== judged) return false
  try {
    renameSync(note, aside)
  } catch {
    return false
  }
  const same = textOf(aside) === judged
  try {
    // The renamed note belongs to the process that was first: put it back.
    if (!same) linkSync(aside, note)
  } finally {
    rmSync(aside, { force: true })
  }
  return same
}

function textOf(note: string): string | undefined {
  try {
    return beginningOf(note)
  } catch {
    return undefined
  }
}

/** Who took the file over may have released it since, so that the note is gone. One that cannot be read may be ours. */
function isNoteOf(note: string, text: string): boolean {
  try {
    return beginningOf(note) === text
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Changes with every change of the note, also where the name leads to another file. */
function stampOf(note: string): string | undefined {
  try {
    const { ino, ctimeMs } = statSync(note)
    return `${ino} ${ctimeMs}`
  } catch {
    return undefined
  }
}

function beginningOf(note: string): string {
  const handle = openSync(note, 'r')
  try {
    const bytes = Buffer.alloc(NOTE_LIMIT_BYTES)
    return bytes.toString('utf8', 0, readSync(handle, bytes))
  } finally {
    closeSync(handle)
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
 * Boot and start tick of a process, if the system provides them (Linux: fields 3 and 22 of /proc/<pid>/stat,
 * proc(5)). A zombie, ended but not yet reaped by its parent, still accepts signals.
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
