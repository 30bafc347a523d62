/**
 * The command line in a process of its own, as an operator starts it; what it says is kept in a file.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { hireUndertaker } from '../../../support/servers/undertaker.ts'

export interface CommandProcess {
  readonly name: string
  readonly pid: number
  /** Resolves once what it said after the first `from` characters matches; rejects when it ends first. */
  says(pattern: RegExp, from?: number): Promise<RegExpExecArray>
  said(): string
  signal(signal: NodeJS.Signals): void
  /** Exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals>
}

export interface CommandOptions {
  /** For people, and for the file below `folder`. */
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  /** Beside PATH and HOME alone. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
}

export function startCommand(options: CommandOptions): CommandProcess {
  const { name, program, args, env, folder } = options
  const { PATH, HOME } = process.env
  const cwd = mkdtempSync(`${folder}/${name}-`)
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    // A group of its own, which goes with us however we end.
    detached: true,
    env: {
      ...(PATH === undefined ? {} : { PATH }),
      ...(HOME === undefined ? {} : { HOME }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const undertaker = hireUndertaker(cwd)
  undertaker.watch(child.pid)
  const log = createWriteStream(`${folder}/${name}.log`, { flags: 'a' })
  const listeners = new Set<() => void>()
  let text = ''
  let over = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      log.write(piece)
      listeners.forEach((listener) => listener())
    })
  }
  const ended = once(child, 'close').then(async ([code, signal]) => {
    over = true
    listeners.forEach((listener) => listener())
    log.end()
    await Promise.all([finished(log), undertaker.dismiss()])
    return (code ?? signal) as number | NodeJS.Signals
  })

  return {
    name,
    pid: child.pid ?? 0,
    ended,
    said: () => text,
    signal: (signal) => void child.kill(signal),
    says: (pattern, from = 0) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(text.slice(from))
          if (found === null && !over) return
          listeners.delete(look)
          if (found !== null) resolve(found)
          else reject(new Error(`${name} ended and never said ${pattern}:\n${text.slice(-2000)}`))
        }
        listeners.add(look)
        look()
      }),
  }
}
