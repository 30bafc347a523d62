/**
 * `npm run simulate`: one seed after the other, each checked against every invariant, with a table in the
 * end. Exit code 1 as soon as a history breaks one; the line that is printed replays it exactly.
 */
import { parseArgs } from 'node:util'
import { add, FIGURES, figuresOf, NO_FIGURES } from './figures.ts'
import type { Figures } from './figures.ts'
import { breachesOf, INVARIANTS } from './invariants/index.ts'
import { planOf } from './plan.ts'
import type { Plan } from './plan.ts'
import { simulate } from './simulate.ts'
import { digestOf } from './tape.ts'

const HELP = `npm run simulate [-- options]
  --minutes n   go on for so long (default 1; not with --seeds)
  --seeds n     so many seeds
  --seed n      the first one (default 1)
  --days n      simulated days of each (default 3)
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
    'keep-going': { type: 'boolean', default: false },
    digest: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) process.stdout.write(HELP)
else if (values.list) for (const { sentence } of INVARIANTS) console.log(`- ${sentence}`)
else process.exitCode = await run()

async function run(): Promise<number> {
  const first = Number(values.seed)
  const days = Number(values.days)
  const until = performance.now() + Number(values.minutes) * 60_000
  const count = values.seeds === undefined ? Infinity : Number(values.seeds)
  const begun = { wall: performance.now(), cpu: process.cpuUsage() }
  let [total, seeds, red] = [NO_FIGURES, 0, 0]
  for (let seed = first; seed < first + count; seed++) {
    if (count === Infinity && performance.now() >= until) break
    const { figures, holds } = await one(planOf(seed, { days }))
    total = add(total, figures)
    seeds++
    if (!holds) red++
    if (!holds && !values['keep-going']) break
  }
  print(total, {
    seeds,
    red,
    wall_ms: performance.now() - begun.wall,
    cpu: process.cpuUsage(begun.cpu),
  })
  return red === 0 ? 0 : 1
}

async function one(plan: Plan): Promise<{ figures: Figures; holds: boolean }> {
  const history = await simulate(plan)
  const { ledger, breaches } = breachesOf(history)
  if (values.digest) console.log(`seed ${plan.seed}: ${digestOf(history.entries)}`)
  for (const { sentence, places, count } of breaches) {
    console.log(`Seed ${plan.seed} breaks: ${sentence}`)
    for (const place of places) console.log(`  ${place}`)
    if (count > places.length) console.log(`  and ${count - places.length} more`)
  }
  if (breaches.length > 0)
    console.log(`Replay: npm run simulate -- --seed ${plan.seed} --seeds 1 --days ${plan.days}`)
  return { figures: figuresOf(ledger), holds: breaches.length === 0 }
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
