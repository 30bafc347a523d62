/**
 * `npm run simulate`: one seed after the other, each checked against every invariant, with a table in the
 * end. Exit code 1 as soon as a history breaks one; the line that is printed replays it exactly. The
 * histories are played in threads, which share nothing.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { parentPort, Worker } from 'node:worker_threads'
import { add, FIGURES, figuresOf, NO_FIGURES } from './figures.ts'
import type { Figures } from './figures.ts'
import { breachesOf, INVARIANTS } from './invariants/index.ts'
import type { Breach } from './invariants/index.ts'
import { planOf } from './plan.ts'
import { simulate } from './simulate.ts'
import { digestOf } from './tape.ts'

const HELP = `npm run simulate [-- options]
  --minutes n   go on for so long (default 1; not with --seeds)
  --seeds n     so many seeds
  --seed n      the first one (default 1)
  --days n      simulated days of each (default 3)
  --machines n  machines with a process each (default: as the seed says)
  --threads n   histories at the same time (default: one for each core)
  --keep-going  do not stop at the first seed that breaks an invariant
  --digest      print the digest of each history
  --list        print the invariants
  --break       break the rules of the sources one by one; each has to turn the simulation red
  --only name   with --break: this rule alone
`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '3' },
    machines: { type: 'string' },
    threads: { type: 'string', default: String(availableParallelism()) },
    'keep-going': { type: 'boolean', default: false },
    digest: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** A history makes much that is soon forgotten, and a tape that stays: with the default, a tenth of the time is spent to tell them apart. */
const YOUNG_MB = 192

const FLEET = values.machines === undefined ? '' : ` --machines ${values.machines}`

/** What one history came to. */
interface Played {
  readonly seed: number
  readonly figures: Figures
  readonly breaches: readonly Breach[]
  readonly digest: string
}

if (parentPort !== null) {
  const port = parentPort
  port.on('message', (seed: number) => void play(seed).then((played) => port.postMessage(played)))
} else if (values.help) process.stdout.write(HELP)
else if (values.list) for (const { sentence } of INVARIANTS) console.log(`- ${sentence}`)
else process.exitCode = await run()

async function play(seed: number): Promise<Played> {
  const { days, machines } = values
  const given = machines === undefined ? {} : { machines: Number(machines) }
  const history = await simulate(planOf(seed, { days: Number(days), ...given }))
  const { ledger, breaches } = breachesOf(history)
  const digest = values.digest ? digestOf(history.entries) : ''
  return { seed, figures: figuresOf(ledger), breaches, digest }
}

async function run(): Promise<number> {
  const until = performance.now() + Number(values.minutes) * 60_000
  const count = values.seeds === undefined ? Infinity : Number(values.seeds)
  const begun = { wall: performance.now(), cpu: process.cpuUsage() }
  let [total, seeds, red, given] = [NO_FIGURES, 0, 0, 0]
  const isOver = (): boolean =>
    given >= count ||
    (count === Infinity && performance.now() >= until) ||
    (red > 0 && !values['keep-going'])

  /** One thread, which plays one seed after the other. */
  async function thread(): Promise<void> {
    const worker = new Worker(new URL(import.meta.url), {
      argv: process.argv.slice(2),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    while (!isOver()) {
      const played = await ask(worker, Number(values.seed) + given++)
      report(played)
      total = add(total, played.figures)
      seeds++
      if (played.breaches.length > 0) red++
    }
    await worker.terminate()
  }
  const threads = Math.max(1, Math.min(Number(values.threads), count))
  await Promise.all(Array.from({ length: threads }, thread))
  print(total, {
    seeds,
    red,
    wall_ms: performance.now() - begun.wall,
    cpu: process.cpuUsage(begun.cpu),
  })
  return red === 0 ? 0 : 1
}

function ask(worker: Worker, seed: number): Promise<Played> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners()
    worker.once('message', resolve).once('error', reject)
    worker.postMessage(seed)
  })
}

function report({ seed, breaches, digest }: Played): void {
  if (digest !== '') console.log(`seed ${seed}: ${digest}`)
  for (const { sentence, places, count } of breaches) {
    console.log(`Seed ${seed} breaks: ${sentence}`)
    for (const place of places) console.log(`  ${place}`)
    if (count > places.length) console.log(`  and ${count - places.length} more`)
  }
  if (breaches.length > 0)
    console.log(
      `Replay: npm run simulate -- --seed ${seed} --seeds 1 --days ${values.days}${FLEET}`,
    )
}

interface Run {
  readonly seeds: number
  readonly red: number
  readonly wall_ms: number
  readonly cpu: NodeJS.CpuUsage
}

function print(total: Figures, { seeds, red, wall_ms, cpu }: Run): void {
  const minutes = wall_ms / 60_000
  const cpuMinutes = (cpu.user + cpu.system) / 60e6
  const lines: [string, number][] = [
    ['seeds', seeds],
    ['seeds that break an invariant', red],
    ...FIGURES.map((name): [string, number] => [name.replaceAll('_', ' '), total[name]]),
    ['seconds', Math.round(wall_ms / 1000)],
    ['monitor-days a minute', Math.round(total.monitor_days / minutes)],
    ['monitor-days a minute of CPU', Math.round(total.monitor_days / cpuMinutes)],
  ]
  for (const [name, value] of lines)
    console.log(`${name.padEnd(32)}${value.toLocaleString('en').padStart(12)}`)
}
