import { setMaxListeners } from 'node:events'
import { Client } from 'undici'
import { systemClock } from '../../src/clock.ts'
import { createEngine } from '../../src/engine/engine.ts'
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

function transportAlone({ units, url }: Wanted): Contender {
  const network = createNetwork({ clock: systemClock, policy: () => undefined })
  const transport = httpTransport()
  const { signal } = new AbortController()
  // As the outbox does: every attempt under way listens to it.
  setMaxListeners(0, signal)
  const headers = [['content-type', 'application/json']] as const
  const body = Buffer.from(PAYLOAD)
  return {
    name: 'the transport alone',
    units,
    run: (count) =>
      inFlight(count, CONCURRENCY, async () => {
        const context = { network, clock: systemClock, signal }
        const answer = await transport.send({ url, method: 'POST', headers, body }, context)
        if (answer.http_status !== 204) throw new Error(`answered ${answer.error}`)
      }),
  }
}

async function post(origin: string): Promise<void> {
  const client = new Client(origin)
  try {
    const headers = { 'content-type': 'application/json' }
    const wanted = { path: '/', method: 'POST', headers, body: PAYLOAD, reset: true } as const
    const { body } = await client.request(wanted)
    await body.dump()
  } finally {
    await client.destroy()
  }
}

export const webhooks: Benchmark = {
  name: 'webhooks',
  about: 'one delivery over a fresh connection to a receiver on this machine',
  unit: 'delivery',
  async prepare(stage) {
    const { http } = await startFarm(stage)
    const origin = `http://127.0.0.1:${http}`
    const wanted = { url: `${origin}/hook`, units: Math.round(500 * stage.scale) }
    const ours: Contender[] = []
    for (const named of storesOf(stage)) ours.push(await outbox(stage, named, wanted))
    return {
      baseline: BASELINE,
      contenders: [
        ...ours,
        transportAlone(wanted),
        {
          name: BASELINE,
          units: wanted.units,
          run: (count) => inFlight(count, CONCURRENCY, () => post(origin)),
        },
      ],
      // 1,000 a second on one core.
      goals: ours.map(({ name: of }) => ({ of, at_most: 1000 })),
    }
  },
}
