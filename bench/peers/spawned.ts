/** A plugin, spawned for every check as Nagios and Icinga spawn it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Contender, Spent } from '../harness/benchmark.ts'
import { childrenMs } from '../load/processes.ts'

/** Processes at the same time: two cores have no use for more. */
const WORKERS = 4

/**
 * A small shell starts them, one after the other: what it costs to start a process from one as large as this is
 * not the plugin's. The shell's own share counts, as little as that is.
 */
const EACH = `left=$1; shift
while [ "$left" -gt 0 ]; do "$@" >/dev/null || exit; left=$((left - 1)); done`

export interface Command {
  readonly name: string
  readonly path: string
  readonly args: readonly string[]
  readonly units: number
}

export function spawned({ name, path, args, units }: Command): Contender {
  return {
    name,
    units,
    async run(count): Promise<Spent> {
      const from = performance.now()
      const before = childrenMs()
      const workers = Array.from({ length: WORKERS }, (_, worker) =>
        repeat(Math.floor((count + worker) / WORKERS), [path, ...args]),
      )
      await Promise.all(workers)
      const cpu_us = (childrenMs() - before) * 1000
      return { cpu_us, wall_us: (performance.now() - from) * 1000 }
    },
  }
}

async function repeat(times: number, command: readonly string[]): Promise<void> {
  const shell = spawn('/bin/sh', ['-c', EACH, 'sh', String(times), ...command], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(shell, 'close')) as [number | null]
  if (code !== 0) throw new Error(`"${command.join(' ')}" ended with ${code}`)
}
