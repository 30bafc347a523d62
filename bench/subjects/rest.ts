import { http } from '../../src/checkers/http/index.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/fetch.ts'
import type { Benchmark, Contender, Stage } from '../harness/benchmark.ts'
import { storesOf } from './stores.ts'
import type { NamedStore } from './stores.ts'

const KEY = 'a-key-of-the-benchmark'
const BASELINE = 'Request, JSON of 50, Response'
const MONITOR = { type: 'http', url: 'https://shop.example/', interval_sec: 300, tags: ['shop'] }

/** The engine is opened and not started: no check runs beside the requests. */
async function service(stage: Stage, { name, make }: NamedStore): Promise<Contender[]> {
  const engine = createEngine({ store: make(), checkers: [http] }) as Engine
  stage.onEnd(() => engine.stop())
  await engine.open()
  await engine.keys.create({ name: 'bench', key: KEY })
  for (let index = 0; index < 50; index++)
    await engine.monitors.create({ ...MONITOR, name: `Shop ${index}` })
  const rest = createRest(engine, { rateLimit: false })
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const address = 'http://127.0.0.1/api/v1/monitors'
  const ask = async (init: RequestInit, wanted: number, query = ''): Promise<void> => {
    const response = await rest.fetch(new Request(address + query, { headers, ...init }))
    const text = await response.text()
    if (response.status !== wanted) throw new Error(`${response.status}: ${text}`)
  }
  const body = JSON.stringify(MONITOR)
  const contender = (what: string, units: number, work: () => Promise<void>): Contender => ({
    name: `${what}, ${name}`,
    units: Math.round(units * stage.scale),
    async run(count) {
      for (let index = 0; index < count; index++) await work()
    },
  })
  return [
    contender('GET list of 50', 200, () => ask({}, 200, '?limit=50')),
    contender('POST monitor', 200, () => ask({ method: 'POST', body }, 201)),
  ]
}

export const rest: Benchmark = {
  name: 'rest',
  about: 'one request through fetch(Request), without a socket',
  unit: 'request',
  async prepare(stage) {
    const ours: Contender[] = []
    for (const named of storesOf(stage)) ours.push(...(await service(stage, named)))
    const monitors = Array.from({ length: 50 }, (_, id) => ({ id, ...MONITOR, state: 'up' }))
    return {
      baseline: BASELINE,
      contenders: [
        ...ours,
        {
          name: BASELINE,
          units: Math.round(200 * stage.scale),
          async run(count) {
            for (let index = 0; index < count; index++) {
              const request = new Request('http://127.0.0.1/')
              const json = JSON.stringify({ ok: true, url: request.url, monitors })
              await new Response(json).text()
            }
          },
        },
      ],
      goals: ours.map(({ name: of }) => ({ of, at_most: of.startsWith('GET') ? 1000 : 3000 })),
    }
  },
}
