/** Names that no name server knows, in a system whose lookups stay silent: what the accounts of an engine do to each other. */

import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { ntfyContact } from '../../src/contacts/ntfy.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { lookupsOfProcess } from '../../src/net/resolve/system-lookups.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { silentSystem } from '../support/silent-system.ts'

async function tenants(clock: Clock = systemClock) {
  const system = silentSystem()
  const engine = createEngine({
    store: memoryStore(),
    checkers: [tcp()],
    contacts: [webhookContact(), ntfyContact()],
    clock,
    logger: false,
  })
  onTestFinished(async () => {
    const stopped = engine.stop({ drainMs: 0 })
    if ('advance' in clock) await (clock as SimulatedClock).advance(60_000)
    await stopped
  })
  await engine.start()
  const tenant = async (name: string) => (await engine.accounts.create({ name })).id
  const [shop_id, rival_id] = [await tenant('Shop'), await tenant('Rival')]
  const [shop, rival] = [engine.account(shop_id), engine.account(rival_id)]
  return { ...system, shop, rival, shop_id }
}

const named = (host: string) =>
  ({ type: 'tcp', name: host, host, port: 80, timeout_ms: 10_000 }) as const

it('whoever saves contacts has no name looked up', async () => {
  const { rival, asked } = await tenants()
  for (let n = 0; n < 5; n++)
    await rival.contacts.create({
      kind: 'webhook',
      name: `c${n}`,
      url: `https://c${n}.rival.test.example/`,
    })
  expect(asked).toEqual([])
})

it('checks and deliveries of all kinds share one lookup at a time', async () => {
  const { rival, shop, asked, answers } = await tenants()
  const server = 'https://b.rival.example'
  const contacts = [
    await rival.contacts.create({ kind: 'webhook', name: 'a', url: 'https://a.rival.example/' }),
    await rival.contacts.create({ kind: 'ntfy', name: 'b', server, topic: 'duty' }),
  ]
  const monitors = [
    [rival.monitors, await rival.monitors.create(named('c.rival.example'))],
    [shop.monitors, await shop.monitors.create(named('intranet'))],
  ] as const
  const ends = Promise.all([
    ...contacts.map(({ id }) => rival.contacts.test(id)),
    ...monitors.map(([of, { id }]) => of.check(id)),
  ])
  const names = new Set<string>()
  for (let n = 0; n < 4; n++) {
    await expect.poll(() => asked.length).toBeGreaterThan(n)
    // The next one begins when this one has ended.
    expect(asked).toHaveLength(n + 1)
    names.add(asked[n] ?? '')
    answers[n]?.()
  }
  expect([...names].sort()).toEqual([
    'a.rival.example',
    'b.rival.example',
    'c.rival.example',
    'intranet',
  ])
  await ends
})

it('a monitor without a turn is not measured: its state stays', async () => {
  const clock = simulatedClock()
  const { rival, shop, shop_id, asked } = await tenants(clock)
  const own = await rival.monitors.create(named('c.rival.example'))
  const other = await shop.monitors.create(named('intranet'))
  void rival.monitors.check(own.id).catch(() => undefined)
  await expect.poll(() => asked).toEqual(['c.rival.example'])
  const checked = shop.monitors.check(other.id)
  // Files are read before, in the time of the machine.
  await expect.poll(() => lookupsOfProcess().waiting(shop_id)).toBe(1)
  for (let n = 0; n < 100; n++) await clock.advance(100)
  const { results, monitor } = await checked
  expect(results).toMatchObject([{ verdict: 'unknown', cause_code: 'probe_overloaded' }])
  expect(monitor.state).toBe('pending')
  expect(asked).toEqual(['c.rival.example'])
})
