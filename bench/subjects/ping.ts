import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ping as pingChecker } from '../../src/checkers/ping.ts'
import type { Benchmark, Spent } from '../harness/benchmark.ts'
import { inFlight } from '../harness/benchmark.ts'
import { childrenMs } from '../load/processes.ts'
import { checkOf } from './checking.ts'

const OURS = 'watchpost ping check'
const BARE = "the system's ping, spawned"

/** Most of the work is done by other processes, two cores' worth of them. */
const CONCURRENCY = 4

/** On Linux with iputils or BusyBox; one packet, so that nothing is waited for. */
export const ping: Benchmark = {
  name: 'ping',
  about: 'one ping of 127.0.0.1, against the program alone; its process is counted (Linux)',
  unit: 'check',
  prepare(stage) {
    const units = Math.round(200 * stage.scale)
    const check = checkOf(pingChecker(), { host: '127.0.0.1', count: 1 })
    const contender = (name: string, work: () => Promise<void>) => ({
      name,
      units,
      run: (count: number) => withChildren(() => inFlight(count, CONCURRENCY, work)),
    })
    return {
      baseline: BARE,
      contenders: [contender(OURS, check), contender(BARE, spawned)],
      goals: [{ of: OURS, against: BARE, at_most: 1.2 }],
    }
  },
}

async function spawned(): Promise<void> {
  const child = spawn('ping', ['-4', '-n', '-c', '1', '--', '127.0.0.1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.resume()
  child.stderr.resume()
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`ping ended with ${code}`)
}

/** CPU time of this process and of those that it has started and that have ended. */
async function withChildren(work: () => Promise<void>): Promise<Spent> {
  const from = process.hrtime.bigint()
  const [own, children] = [process.cpuUsage(), childrenMs()]
  await work()
  const { user, system } = process.cpuUsage(own)
  return {
    cpu_us: user + system + (childrenMs() - children) * 1000,
    wall_us: Number(process.hrtime.bigint() - from) / 1000,
  }
}
