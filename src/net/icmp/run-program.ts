/**
 * Runs a program as a child process: bounded in time and output, ended by its own pid, and gone
 * when the promise settles.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Clock, Timer } from '../../clock.ts'
import type { Printed } from './transcript.ts'

/** Fifty replies are about 4 KiB; a program that prints more is killed. */
export const OUTPUT_LIMIT_CHARACTERS = 64 * 1024

/** Time between the interrupt, on which a program prints its summary, and the kill. */
const GRACE_MS = 200

export interface RunOptions {
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: AbortSignal
  /** The program is interrupted then, ms. */
  readonly budget_ms: number
  /** The program is also interrupted then if `answered` returns false for its output so far; ms. */
  readonly first_reply_ms?: number | undefined
  readonly answered: (printed: Printed) => boolean
  /** Its complete environment; `undefined`: that of this process. */
  readonly env: Readonly<Record<string, string>> | undefined
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/**
 * Runs the program until it exits or is ended, and returns its output.
 *
 * @throws the signal's reason; the system's error if it cannot be started
 */
export async function runProgram(
  [file, ...args]: readonly [string, ...string[]],
  options: RunOptions,
): Promise<Printed> {
  const { signal, env } = options
  signal.throwIfAborted()
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    // A deleted working directory would look like a missing program.
    ...(env !== undefined ? { env, cwd: '/' } : {}),
  })
  // Without a pid it was not started. If file descriptors have run out it has no streams either.
  if (child.pid === undefined) throw await failureOf(child)
  const flood = new AbortController()
  const stdout = gather(child.stdout, flood)
  const stderr = gather(child.stderr, flood)
  const printed = (): Printed => {
    return { stdout: stdout(), stderr: stderr(), cut: flood.signal.aborted }
  }
  const either = AbortSignal.any([signal, flood.signal])
  await untilGone(child, { ...options, signal: either }, printed)
  signal.throwIfAborted()
  return printed()
}

/** Why a program could not be started; Node emits this as an event. */
function failureOf(child: Child): Promise<Error> {
  return new Promise((resolve) => void child.once('error', resolve))
}

function gather(stream: Readable, flood: AbortController): () => string {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    if (text.length <= OUTPUT_LIMIT_CHARACTERS) text += chunk
    if (text.length > OUTPUT_LIMIT_CHARACTERS) flood.abort()
  })
  stream.on('error', () => undefined)
  return () => text.slice(0, OUTPUT_LIMIT_CHARACTERS)
}

function untilGone(child: Child, options: RunOptions, printed: () => Printed): Promise<void> {
  const { clock, signal, budget_ms, first_reply_ms, answered } = options
  return new Promise<void>((resolve, reject) => {
    const timers: Timer[] = []
    let killed = false
    const kill = (): void => {
      killed = true
      child.kill('SIGKILL')
    }
    const interrupt = (): void => {
      child.kill('SIGINT')
      timers.push(clock.timer(GRACE_MS, kill))
    }
    timers.push(clock.timer(budget_ms, interrupt))
    if (first_reply_ms !== undefined) {
      const lost = (): void => {
        if (!answered(printed())) interrupt()
      }
      timers.push(clock.timer(first_reply_ms, lost))
    }
    signal.addEventListener('abort', kill, { once: true })
    const release = (): void => {
      for (const timer of timers) timer.cancel()
      signal.removeEventListener('abort', kill)
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const end = (): void => {
      release()
      resolve()
    }
    child.once('close', end)
    // Its child processes may keep its output open after it exits.
    child.once('exit', () => {
      if (killed) end()
    })
    child.once('error', (error) => {
      release()
      reject(error)
    })
  })
}
