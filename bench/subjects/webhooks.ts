import { setMaxListeners } from 'node:events'
import { Agent, Client, request } from 'undici'
import { systemClock } from '../../src/clock.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createIdleConnections } from '../../src/net/connection/idle-connections.ts'
import type { OwnIdleConnections } from '../../src/net/connection/idle-connections.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import { httpTransport } from '../../src/webhook/transport.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import type { Benchmark, Contender, Stage } from '../harness/benchmark.ts'
import { inFlight } from '../harness/benchmark.ts'
import { startFarm } from '../harness/farm.ts'
import { storesOf } from './stores.ts'
import type { NamedStore } from './stores.ts'

const CONCURRENCY = 50
const BASELINE = 'undici POST, fresh Client'
const FRESH = 'the transport alone, https, a connection each'
const KEPT = 'the transport alone, https, kept connections'
const HEADERS = { 'content-type': 'application/json' }
const PAYLOAD = JSON.stringify({
  event: 'down',
  monitor: { id: 7, name: 'Shop', type: 'http', target: 'https://shop.example/' },
  incident: { id: 9, cause_code: 'http_status', cause_text: 'The status is 503' },
})

/** From rows that wait in the store to rows that are sent: claim, sign, send, record. */
async function outbox(stage: Stage, named: NamedStore, wanted: Wanted): Promise<Contender> {
  // A file outlives the engine that closes it; every round has an engine of its own.
  const store = named.make()
  let contact_id = 0
  let engine: Engine | undefined
  const start = (): Engine =>
    createEngine({
      store,
      checkers: [],
      contacts: [webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })],
      limits: { deliveries: CONCURRENCY, deliveriesPerContact: CONCURRENCY },
    }) as Engine
  stage.onEnd(() => engine?.stop())
  return {
    name: `from the outbox, ${named.name}`,
    units: wanted.units,
    async ready(units) {
      engine = start()
      await engine.open()
      const settings = { url: wanted.url, secret: 'a-secret-of-the-bench' }
      if (contact_id === 0)
        contact_id = (await engine.contacts.create({ kind: 'webhook', name: 'A', ...settings })).id
      const now = Date.now()
      for (let index = 0; index < units; index++) {
        await store.notifications.create({
          account_id: 1,
          monitor_id: null,
          incident_id: null,
          contact_id,
          event: 'down',
          due_at: now,
          payload: PAYLOAD,
          repeat: 0,
          created_at: now,
        })
      }
    },
    async run(units) {
      let left = units
      const sent = new Promise<void>((resolve, reject) => {
        engine?.on('notification', ({ status }) => {
          if (status !== 'sent') reject(new Error(`a delivery ended as ${status}`))
          if (--left === 0) resolve()
        })
      })
      await engine?.start()
      await sent
    },
    done: () => engine?.stop(),
  }
}

interface Wanted {
  readonly units: number
  readonly url: string
}

interface Alone extends Wanted {
  readonly name: string
  readonly ca?: string
  /** Default: a connection for each. */
  readonly idle?: OwnIdleConnections
}

function transportAlone({ name, units, url, ca, idle }: Alone): Contender {
  const ofFarm = ca === undefined ? {} : { ca }
  const network = createNetwork({ clock: systemClock, policy: () => undefined, ...ofFarm })
  const transport = httpTransport()
  const { signal } = new AbortController()
  // As the outbox does: every attempt under way listens to it.
  setMaxListeners(0, signal)
  const headers = [['content-type', 'application/json']] as const
  const body = Buffer.from(PAYLOAD)
  return {
    name,
    units,
    run: (count) =>
      inFlight(count, CONCURRENCY, async () => {
        const context = { network, clock: systemClock, signal, idle }
        const answer = await transport.send({ url, method: 'POST', headers, body }, context)
        if (answer.http_status !== 204) throw new Error(`answered ${answer.error}`)
      }),
  }
}

/** The transport on connections of its own and on kept ones, and what undici takes for the latter. */
function overTls(stage: Stage, { units, url, ca }: Required<Omit<Alone, 'name' | 'idle'>>) {
  const idle = createIdleConnections(systemClock, { perDestination: CONCURRENCY })
  const agent = new Agent({ connections: CONCURRENCY, connect: { ca } })
  stage.onEnd(() => {
    idle.close()
    return agent.destroy()
  })
  return [
    transportAlone({ name: FRESH, units, url, ca }),
    transportAlone({ name: KEPT, units, url, ca, idle: idle.of(1) }),
    {
      name: 'undici POST of https, shared Agent',
      units,
      run: (count: number) =>
        inFlight(count, CONCURRENCY, async () => {
          const wanted = { method: 'POST', headers: HEADERS, body: PAYLOAD } as const
          const { body } = await request(url, { ...wanted, dispatcher: agent })
          await body.dump()
        }),
    },
  ]
}

async function post(origin: string): Promise<void> {
  const client = new Client(origin)
  try {
    const whole = { path: '/', method: 'POST', headers: HEADERS, body: PAYLOAD } as const
    const wanted = { ...whole, reset: true }
    const { body } = await client.request(wanted)
    await body.dump()
  } finally {
    await client.destroy()
  }
}

export const webhooks: Benchmark = {
  name: 'webhooks',
  about:
    'one delivery to a receiver on this machine, over kept connections unless it says otherwise',
  unit: 'delivery',
  async prepare(stage) {
    const { http, https, ca } = await startFarm(stage)
    const origin = `http://127.0.0.1:${http}`
    const wanted = { url: `${origin}/hook`, units: Math.round(500 * stage.scale) }
    const ours: Contender[] = []
    for (const named of storesOf(stage)) ours.push(await outbox(stage, named, wanted))
    return {
      baseline: BASELINE,
      contenders: [
        ...ours,
        transportAlone({ ...wanted, name: 'the transport alone, a connection each' }),
        ...overTls(stage, { ...wanted, url: `https://127.0.0.1:${https}/hook`, ca }),
        {
          name: BASELINE,
          units: wanted.units,
          run: (count) => inFlight(count, CONCURRENCY, () => post(origin)),
        },
      ],
      goals: [
        // 1,000 a second on one core.
        ...ours.map(({ name: of }) => ({ of, at_most: 1000 })),
        { of: KEPT, against: FRESH, at_most: 0.5 },
      ],
    }
  },
}
