/**
 * G9: webhooks at a steady rate, and ten thousand at once, to receivers that are well. They arise from changes of
 * monitors and go the whole way: commit, claim, request, record. Options: --rate 300 (a second), --seconds 600,
 * --burst 10000, --contacts 10, --store postgres (a server of its own, with fsync), --profile (node --cpu-prof).
 *
 * @module
 */

import { mkdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../support/servers/postgres.ts'
import { startCounting } from './rig/counting.ts'
import { inFolder, percentile } from './rig/folder.ts'
import type { Sample } from './rig/plan.ts'
import { bundle } from './rig/programs.ts'
import { tablesOf } from './rig/tables.ts'
import { lagsOf, problemsOf, runTelling } from './rig/telling.ts'
import type { TellingPlan, Told } from './rig/telling.ts'

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '600' },
    burst: { type: 'string', default: '10000' },
    contacts: { type: 'string', default: '10' },
    store: { type: 'string', default: 'sqlite' },
    profile: { type: 'boolean', default: false },
  },
})
if (!['sqlite', 'postgres'].includes(values.store)) throw new Error('--store sqlite or postgres')
const SECRET = 'the secret of the fault runs'
const DRAIN_GOAL_MS = 60_000
/** Queued for so much later. Longer than the queueing takes, shorter than an interval. */
const LATER_MIN = 20
/** Each time costs a full collection, which is no work of a webhook. */
const BURST_MEASURE_MS = 5_000
const RSS_GOAL_MIB = 50
const contacts = Number(values.contacts)
const node_options = values.profile ? ['--cpu-prof', '--cpu-prof-interval=500'] : []

const { programs, remove } = await bundle({
  telling: 'test/faults/rig/telling-child.ts',
  counting: 'test/faults/rig/counting-child.ts',
})
const server =
  values.store === 'postgres' ? await startPostgres({ settings: ['fsync=on'] }) : undefined

await inFolder('webhooks', async (folder) => {
  const problems = [
    ...(Number(values.seconds) > 0 ? await steady(folder) : []),
    ...(Number(values.burst) > 0 ? await burst(folder) : []),
  ]
  for (const problem of problems) console.log(`WRONG: ${problem}`)
  return problems.length === 0
})
await server?.stop()
remove()

/** Receivers, and a plan to tell them. */
async function scene(folder: string, name: string) {
  const counting = await startCounting(programs.counting, { addresses: contacts, secret: SECRET })
  const own = join(folder, name)
  mkdirSync(own)
  const plan = {
    file: join(own, 'watchpost.db'),
    ...(server === undefined
      ? {}
      : {
          database: {
            url: `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`,
            schema: name,
          },
        }),
    contacts: counting.urls.map((url) => ({
      ...{ kind: 'webhook', name: url, url, secret: SECRET, all_monitors: true },
    })),
    ahead_ms: 0,
  }
  return { counting, plan }
}

async function steady(folder: string): Promise<string[]> {
  const { counting, plan } = await scene(folder, 'steady')
  const seconds = Number(values.seconds)
  const changes_per_sec = Number(values.rate) / contacts
  const told = await run({
    ...{ ...plan, seconds, changes_per_sec, delay_min: 0 },
    monitors: Math.ceil(changes_per_sec * 5),
    measure_ms: Math.max(1_000, (seconds * 1_000) / 60),
  })
  const counts = await counting.counts()
  counting.stop()
  const expected = committedIn(told)
  const lags = lagsOf(told, counts)
  const arrived = counts.arrivals.flatMap(([, at]) => at)
  const span_ms = reduced(arrived, Math.max) - reduced(arrived, Math.min)
  const rate = (arrived.length * 1000) / span_ms
  const memory = memoryOf(told)
  console.log(`steady on ${values.store}`, {
    notifications: arrived.length,
    per_sec: Math.round(rate * 10) / 10,
    ...lagFigures(lags),
    ...memory.figures,
    cpu_us_each: cpuOf(told, arrived.length),
    load: loadavg()[0]?.toFixed(1),
  })
  if (rate < Number(values.rate) * 0.99) console.log(`missed: ${values.rate} a second`)
  if (memory.grown_mib >= RSS_GOAL_MIB) console.log(`missed: RSS grew by ${memory.grown_mib} MiB`)
  return [...(await problemsOf(tablesOf(plan), counts, expected)), ...errorsIn(told)]
}

/** One engine queues them for later and ends; the next one finds all of them due. */
async function burst(folder: string): Promise<string[]> {
  const { counting, plan } = await scene(folder, 'burst')
  const monitors = Math.ceil(Number(values.burst) / contacts)
  const changing = { monitors, changes_per_sec: 500, seconds: monitors / 500 }
  const queued = await run({
    ...plan,
    ...changing,
    delay_min: LATER_MIN,
    measure_ms: BURST_MEASURE_MS,
  })
  const told = await run({
    ...{ ...plan, ...changing, measure_ms: BURST_MEASURE_MS },
    delay_min: 0,
    ahead_ms: (LATER_MIN + 1) * 60_000,
  })
  const counts = await counting.counts()
  counting.stop()
  const begun = told.find((line) => line.kind === 'started')?.at ?? NaN
  const arrived = counts.arrivals.flatMap(([, at]) => at)
  const early = arrived.filter((at) => at < begun).length
  const took_ms = reduced(arrived, Math.max) - begun
  console.log(`burst on ${values.store}`, {
    notifications: arrived.length,
    drained_ms: Math.round(took_ms),
    per_sec: Math.round((arrived.length * 1000) / took_ms),
    ...memoryOf(told).figures,
    cpu_us_each: cpuOf(told, arrived.length),
    load: loadavg()[0]?.toFixed(1),
  })
  if (took_ms > DRAIN_GOAL_MS) console.log(`missed: drained in ${DRAIN_GOAL_MS} ms`)
  return [
    ...(await problemsOf(tablesOf(plan), counts, committedIn([...queued, ...told]))),
    ...(early > 0 ? [`${early} were sent before they were due`] : []),
    ...errorsIn([...queued, ...told]),
  ]
}

function run(plan: TellingPlan): Promise<readonly Told[]> {
  return runTelling(programs.telling, plan, node_options)
}

function committedIn(told: readonly Told[]): number {
  return told.reduce((sum, line) => sum + (line.kind === 'committed' ? line.ids.length : 0), 0)
}

function errorsIn(told: readonly Told[]): string[] {
  return told.flatMap((line) => (line.kind === 'error' ? [line.message] : []))
}

/** Of the whole engine, its checks and commits as well; in microseconds. */
function cpuOf(told: readonly Told[], notifications: number): number {
  const cpu_ms = told.find((line) => line.kind === 'stopped')?.cpu_ms ?? NaN
  return Math.round((cpu_ms * 1000) / notifications)
}

function lagFigures(lags: readonly number[]) {
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => Math.round(percentile(lags, share)))
  return { lag_p50_ms: p50, lag_p99_ms: p99, lag_longest_ms: longest }
}

/** At the start means after a tenth of the run. */
function memoryOf(told: readonly Told[]) {
  const samples: Sample[] = told.filter((line) => line.kind === 'measured')
  const at = (share: number) =>
    samples[Math.min(samples.length - 1, Math.floor(samples.length * share))]
  const parts = [at(0.1), at(0.5), at(1)]
  const of = (measure: 'rss_mib' | 'heap_mib') =>
    parts.map((part) => Math.round(part?.[measure] ?? NaN)).join(', ')
  const grown_mib = Math.round((parts[2]?.rss_mib ?? NaN) - (parts[0]?.rss_mib ?? NaN))
  return { grown_mib, figures: { rss_mib: of('rss_mib'), heap_mib: of('heap_mib') } }
}

function reduced(figures: readonly number[], by: (a: number, b: number) => number): number {
  return figures.reduce((a, b) => by(a, b), figures[0] ?? NaN)
}
