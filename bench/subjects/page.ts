import { http } from '../../src/checkers/http/index.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { bucketOf } from '../../src/incident/latency.ts'
import { DAY_MS, dayOf, HOUR_MS } from '../../src/model/time.ts'
import type { DailyStats, HourlyStats, MonitorRecord } from '../../src/model.ts'
import type { ProbeTransport } from '../../src/probes/transport.ts'
import { createPage } from '../../src/page/index.ts'
import type { StatusPage } from '../../src/page/index.ts'
import type { Change, FullStore } from '../../src/store/store.ts'
import type { Benchmark, Contender, Stage } from '../harness/benchmark.ts'
import { fill, goodRound, newMonitor } from './rounds.ts'
import { storesOf } from './stores.ts'

const SHOWN = 50
const MONITORS = 10_000
const DAYS = 90
/** Changes of one commit. */
const AT_ONCE = 200
const BASELINE = 'Request, JSON of 50 with 90 days, Response'
const PAGE_CPU_US = 30_000

/** 90 days of a check every five minutes, an outage on every tenth. */
async function fillHistory(store: FullStore, monitors: readonly MonitorRecord[]): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const days = Array.from({ length: DAYS }, (_, index) => today - (DAYS - index) * DAY_MS)
  for (const monitor of monitors) {
    await store.commit([
      {
        ...goodRound({ ...monitor, revision: 1 }, Date.now() - 60_000),
        daily: days.map(dayOfChecks),
        hourly: days.flatMap((at) =>
          Array.from({ length: 24 }, (_, hour) => hourOfChecks(at + hour * HOUR_MS)),
        ),
        availability: days
          .filter((_, index) => index % 10 === 0)
          .flatMap((at) => [
            { at, availability: 'down' as const },
            { at: at + 600_000, availability: 'up' as const },
          ]),
      },
    ])
  }
}

/** Checks per bucket of their response times. */
function latencyOf(ok: number, seed: number): ReadonlyMap<number, number> {
  const latency = new Map<number, number>()
  for (let check = 0; check < ok; check++) {
    const bucket = bucketOf(30 + ((seed * 31 + check * 7) % 40))
    latency.set(bucket, (latency.get(bucket) ?? 0) + 1)
  }
  return latency
}

function dayOfChecks(at: number): Omit<DailyStats, 'monitor_id'> {
  const latency = Object.fromEntries(latencyOf(288, at / DAY_MS))
  return { day: dayOf(at), ok: 288, fail: 0, unknown: 0, ok_ms: 288 * 40, latency }
}

function hourOfChecks(at: number): Omit<HourlyStats, 'monitor_id'> {
  const latency = latencyOf(12, at / HOUR_MS)
  const [least, greatest] = [Math.min(...latency.keys()), Math.max(...latency.keys())]
  const buckets = Array.from(
    { length: greatest - least + 1 },
    (_, n) => latency.get(least + n) ?? 0,
  )
  return {
    ...{ location_id: 1, hour: at, ok: 12, fail: 0, unknown: 0, degraded: 0 },
    ...{ ok_ms: 12 * 40, min_ms: 30, max_ms: 69, latency: [least, ...buckets], figures: {} },
    phases: { resolve_ms: 12, connect_ms: 60, tls_ms: 180, first_byte_ms: 200, transfer_ms: 28 },
  }
}

/** Nothing is measured beside the requests: checks come once a day, and their orders go nowhere. */
const silent: ProbeTransport = {
  start: () => Promise.resolve(),
  send: () => Promise.resolve(),
  cancel: () => undefined,
  stop: () => Promise.resolve(),
  online: () => true,
}

/** Of a round with a certificate that ends in some weeks; each engine has the last check of each monitor in memory. */
function checked({ id }: Pick<MonitorRecord, 'id'>): Change {
  const { locations = [], ...round } = goodRound({ id, revision: 1 }, Date.now())
  const not_after = new Date(Date.now() + (20 + (id % 60)) * DAY_MS).toISOString()
  return {
    ...round,
    locations: locations.map(({ last, ...state }) => {
      if (last === null) return { ...state, last }
      return { ...state, last: { ...last, details: { ...last.details, tls: { not_after } } } }
    }),
  }
}

/** Another account has all others. The engine runs, so that it has them in memory. */
async function service(stage: Stage, store: FullStore): Promise<Engine> {
  await store.open()
  const shown = await fill(store, SHOWN)
  const other = await store.accounts.create({ name: 'all', created_at: Date.now() })
  const many = Math.round(MONITORS * Math.min(1, stage.scale))
  const rounds: Change[] = []
  for (let index = SHOWN; index < many; index++)
    rounds.push(
      checked(await store.monitors.create({ ...newMonitor(index), account_id: other.id })),
    )
  for (let from = 0; from < rounds.length; from += AT_ONCE)
    await store.commit(rounds.slice(from, from + AT_ONCE))
  await fillHistory(store, shown)
  const engine = createEngine({ store, checkers: [http], probes: silent }) as Engine
  stage.onEnd(() => engine.stop())
  await engine.start()
  return engine
}

export const page: Benchmark = {
  name: 'page',
  about: 'one view of the status page through fetch(Request), at 10,000 monitors',
  unit: 'view',
  async prepare(stage) {
    const ours: Contender[] = []
    for (const { name: of, make } of storesOf(stage)) {
      const store = make()
      const engine = await service(stage, store)
      const view = (what: string, path: string, page: () => StatusPage): Contender => ({
        name: `${what}, ${of}`,
        units: 4,
        async run(count) {
          for (let index = 0; index < count; index++) {
            const response = await page().fetch(new Request(`http://127.0.0.1${path}`))
            const text = await response.text()
            if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
          }
        },
      })
      const ofAccount = (account_id: number): (() => StatusPage) => {
        const page = createPage(engine, { authorize: () => ({ account_id }), rateLimit: false })
        return () => page
      }
      const [small, large] = [ofAccount(1), ofAccount(2)]
      const monitors = Array.from({ length: SHOWN }, (_, index) => index + 1)
      const published = (of: Engine): StatusPage =>
        createPage(of, { public: [{ slug: 'all', title: 'All', monitors }] })
      ours.push(
        view('overview of 50', '/', small),
        view('overview of all others', '/', large),
        // A page of its own each time: what is drawn is kept for a moment.
        view('public page of 50', '/status/all', () => published(engine)),
        // The engine has read no history before.
        view('public page of 50, first time', '/status/all', () =>
          published(createEngine({ store, checkers: [http] }) as Engine),
        ),
        view('monitor, 90 days', '/monitors/1?range=90d', small),
        view('monitor, 30 days', '/monitors/1?range=30d', small),
      )
    }
    const days = Array.from({ length: DAYS }, (_, index) => ({ up_sec: 86_400, ok: 288, index }))
    const rows = Array.from({ length: SHOWN }, (_, id) => ({ id, name: `Shop ${id}`, days }))
    return {
      baseline: BASELINE,
      contenders: [
        ...ours,
        {
          name: BASELINE,
          units: 20,
          async run(count) {
            for (let index = 0; index < count; index++) {
              const request = new Request('http://127.0.0.1/')
              await new Response(JSON.stringify({ url: request.url, rows })).text()
            }
          },
        },
      ],
      goals: ours
        .filter(({ name }) => !name.includes('first time'))
        .map(({ name: of }) => ({ of, at_most: PAGE_CPU_US })),
    }
  },
}
