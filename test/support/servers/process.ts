/**
 * One process of a private server: its own process group, a clean environment, its output kept.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { systemClock } from '../../../src/clock.ts'
import type { Account } from './account.ts'
import { spawnAs } from './account.ts'

const LOG_LIMIT = 256 * 1024

export interface LaunchOptions {
  readonly binary: string
  readonly args: readonly string[]
  readonly dir: string
  readonly account: Account
  /** Given on standard input, which is closed afterwards. */
  readonly input?: string | undefined
  /** Gets what the process prints; the caller bounds what it keeps. */
  readonly onOutput: (text: string) => void
}

export interface Launched {
  readonly pid: number
  /** Exit code, or the signal's name; `undefined` while it runs. */
  readonly ending: () => number | string | undefined
  /** Whether it has ended within the time. */
  waitForEnd(ms: number): Promise<boolean>
  /** To the first process alone; it passes on what its children must know. */
  signal(signal: NodeJS.Signals): void
  /** To the whole process group. Without effect when nobody is left. */
  killGroup(): void
}

/** Keeps the end of what it is told. */
export function boundedLog(): { add: (text: string) => void; text: () => string } {
  let kept = ''
  return {
    add: (text) => {
      kept = (kept + text).slice(-LOG_LIMIT)
    },
    text: () => kept,
  }
}

export function launch(options: LaunchOptions): Launched {
  const { binary, args, dir, account, input, onOutput } = options
  const child = spawn(binary, args, {
    ...spawnAs(account),
    cwd: dir,
    // A second MariaDB in a shared temporary folder takes the first one's tables away when it starts.
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: dir, TMPDIR: dir, LANG: 'C.UTF-8' },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let ending: number | string | undefined
  const gone = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      ending = code ?? signal ?? 'unknown'
      resolve()
    })
    child.once('error', (error) => {
      ending ??= error.message
      resolve()
    })
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  for (const stream of [child.stdout, child.stderr]) {
    stream
      .setEncoding('utf8')
      .on('data', onOutput)
      .on('error', () => {})
  }
  const pid = child.pid
  if (pid === undefined) throw new Error(`${binary} could not be started`)
  return {
    pid,
    ending: () => ending,
    async waitForEnd(ms) {
      const stopWaiting = new AbortController()
      const tooLong = systemClock.sleep(ms, stopWaiting.signal).catch(() => {})
      await Promise.race([gone, tooLong])
      stopWaiting.abort()
      return ending !== undefined
    },
    signal: (signal) => {
      if (ending === undefined) child.kill(signal)
    },
    killGroup: () => kill(-pid),
  }
}

/**
 * Processes that belong to a server's directory: working in it, or started with it as their home. Finds
 * also those that left the process group (PostgreSQL's backends). Empty where there is no /proc.
 */
export function processesIn(dir: string): number[] {
  return numbersIn('/proc').filter((pid) => {
    if (pid === process.pid) return false
    const cwd = quietly(() => readlinkSync(`/proc/${pid}/cwd`))
    const environ = quietly(() => readFileSync(`/proc/${pid}/environ`, 'latin1'))
    return cwd.startsWith(dir) || environ.split('\0').includes(`HOME=${dir}`)
  })
}

/** SIGKILL to one process, or to a group by its negated number; without effect when it is gone. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

function quietly(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
