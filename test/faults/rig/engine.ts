/**
 * The rig's end of an engine in another process.
 *
 * @module
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { EnginePlan, Order, Said } from './plan.ts'

export interface EngineProcess {
  readonly pid: number
  /** Real wall time of its start, epoch ms. */
  readonly spawned_at: number
  readonly said: readonly Said[]
  /** Resolves with the first line that is as wanted; rejects when the process ends first. */
  hears<K extends Said['kind']>(kind: K, after?: number): Promise<Extract<Said, { kind: K }>>
  tell(order: Order): void
  signal(signal: NodeJS.Signals): void
  /** Exit code or signal, once its last words have been read. */
  readonly ended: Promise<number | NodeJS.Signals>
}

export function startEngine(program: string, plan: EnginePlan): EngineProcess {
  const spawned_at = Date.now()
  const child = fork(program, [JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const said: Said[] = []
  const listeners = new Set<() => void>()
  const wake = (): void => listeners.forEach((listener) => listener())
  const lines = createInterface({ input: child.stdout! })
  lines.on('line', (line) => {
    said.push(JSON.parse(line) as Said)
    wake()
  })
  let over = false
  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(
    ([[code, signal]]) => {
      over = true
      wake()
      return (code ?? signal) as number | NodeJS.Signals
    },
  )

  return {
    pid: child.pid ?? 0,
    spawned_at,
    said,
    hears: (kind, after = 0) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = said.slice(after).find((line) => line.kind === kind)
          if (found === undefined && !over) return
          listeners.delete(look)
          if (found === undefined) reject(new Error(`The engine ended without "${kind}"`))
          else resolve(found as never)
        }
        listeners.add(look)
        look()
      }),
    tell: (order) => {
      if (child.connected) child.send(order)
    },
    signal: (signal) => void child.kill(signal),
    ended,
  }
}
