/** The overview counts and orders what the engine has in memory; it says the same as what is stored. */

import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { createPage } from '../../src/page/index.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/index.ts'
import { ORIGIN } from './visit.ts'

const NAMES = ['Shop 10', 'shop 2', 'Ärzte', 'Zoo', 'Archive', 'Shop 010', 'Shop']

async function accounts(names: readonly string[] = NAMES) {
  const clock = simulatedClock()
  const store = memoryStore()
  const running = createEngine({ store, clock, checkers: [tcp()], logger: false })
  // Has nothing in memory: it only shows what is stored.
  const showing = createEngine({ store, clock, checkers: [tcp()], logger: false })
  onTestFinished(async () => {
    await running.stop()
    await showing.stop()
  })
  await running.start()
  const other = (await running.accounts.create({ name: 'other' })).id
  const input = { type: 'tcp', host: 'h.test', port: 1 } as const
  const ids: number[] = []
  for (const name of names)
    ids.push((await running.monitors.create({ ...input, name, tags: [`t${name.length}`] })).id)
  await running.account(other).monitors.create({ ...input, name: 'Secret', tags: ['secret'] })
  const look = async (engine: typeof running, account_id: number, query = '') => {
    const page = createPage(engine, { clock, authorize: () => ({ account_id }) })
    return (await page.fetch(new Request(`${ORIGIN}/${query}`))).text()
  }
  return { running, showing, other, ids, look }
}

it('shows at once what another engine on the store changes', async () => {
  const clock = simulatedClock()
  const place = memoryPlace()
  const engines = [0, 1].map(() =>
    createEngine({
      store: memoryStore({ clock, place }),
      clock,
      checkers: [tcp()],
      logger: false,
    }),
  ) as [Engine, Engine]
  onTestFinished(async () => void (await Promise.all(engines.map((engine) => engine.stop()))))
  const [one, other] = engines
  await one.start()
  await other.start()
  await clock.advance(30_000)
  const input = { type: 'tcp', host: 'h.test', port: 1, interval_sec: 86_400 } as const
  const ids: number[] = []
  // Of shards of both engines.
  for (const name of NAMES) ids.push((await other.monitors.create({ ...input, name })).id)
  await other.monitors.update(ids[0]!, { name: 'Aaa', tags: ['moved'] })
  await other.monitors.update(ids[1]!, { name: 'Bbb', tags: ['moved'] })
  await other.monitors.remove(ids[2]!)
  await other.monitors.remove(ids[3]!)
  await other.monitors.pause(ids[4]!)
  await other.monitors.pause(ids[5]!)
  await clock.advance(0)
  for (const engine of engines) {
    const page = createPage(engine, { clock, authorize: () => ({ account_id: 1 }) })
    const text = async (query: string) =>
      (await page.fetch(new Request(`${ORIGIN}/${query}`))).text()
    const names = namesIn(await text(''))
    expect(names).toEqual(['Aaa', 'Bbb', 'Shop', 'Archive', 'Shop 010'])
    expect(await text('')).toMatch(/2 paused/)
    expect(namesIn(await text('?tag=moved'))).toEqual(['Aaa', 'Bbb'])
  }
})

it('orders names as people expect it', async () => {
  const { showing, look } = await accounts([
    'zebra',
    'ß-test',
    '_own',
    'Öl',
    'Ost',
    '🚀 go',
    '中文',
  ])
  const inOrder = ['_own', '🚀 go', 'Öl', 'Ost', 'ß-test', 'zebra', '中文']
  expect(namesIn(await look(showing, 1))).toEqual(inOrder)
})

const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/id="m\d+-link"><bdi>([^<]+)<\/bdi>/g)].map(([, name = '']) => name)

it('shows the monitors of its account in the order of their names, numbers by their value', async () => {
  const { running, showing, other, look } = await accounts()
  const inOrder = ['Archive', 'Ärzte', 'Shop', 'shop 2', 'Shop 10', 'Shop 010', 'Zoo']
  for (const engine of [running, showing]) {
    const own = await look(engine, 1)
    expect(namesIn(own)).toEqual(inOrder)
    expect(own).not.toMatch(/secret/i)
    const theirs = await look(engine, other)
    expect(namesIn(theirs)).toEqual(['Secret'])
    expect(theirs).not.toContain('Shop')
  }
})

it('finds by text, tag, type and state what the store finds', async () => {
  const { running, showing, look } = await accounts()
  for (const query of ['?q=SHOP', '?q=ärz', '?tag=T4', '?type=tcp&state=pending', '?state=down']) {
    const found = namesIn(await look(running, 1, query))
    expect(found).toEqual(namesIn(await look(showing, 1, query)))
  }
  expect(namesIn(await look(running, 1, '?q=SHOP'))).toHaveLength(4)
})

it('shows what was changed or removed a moment ago', async () => {
  const { running, ids, look } = await accounts()
  await running.monitors.update(ids[0]!, { name: 'Aaa' })
  await running.monitors.remove(ids[1]!)
  await running.monitors.pause(ids[2]!)
  const text = await look(running, 1)
  expect(namesIn(text)).toEqual(['Aaa', 'Archive', 'Shop', 'Shop 010', 'Zoo', 'Ärzte'])
  expect(text).toMatch(/1 paused/)
})
