import { describe, expect, it } from 'vitest'
import { ValidationError } from '../../src/errors.ts'
import type { JsonObject } from '../../src/model.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const shop = { type: 'scripted', name: 'Shop', host: 'shop.test', fail_threshold: 1 }

async function problemOf(call: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ValidationError)
  return (error as ValidationError).fields['metadata']
}

const nested = (levels: number): JsonObject => (levels === 1 ? {} : { deeper: nested(levels - 1) })

function circular(): JsonObject {
  const made: Record<string, JsonObject> = {}
  made['self'] = made
  return made
}

describe('the metadata of a monitor', () => {
  it('is kept as given, shown everywhere, replaced by a change and removed by null', async () => {
    const { engine } = await rig()
    const metadata = { customer: 'c-7', seats: 7, tags: ['a', null], deep: { is: { it: true } } }
    const { monitors } = engine
    const { id } = await monitors.create({ ...shop, metadata })
    expect((await monitors.get(id)).metadata).toEqual(metadata)
    expect((await monitors.list()).items[0]?.metadata).toEqual(metadata)
    expect((await monitors.pause(id)).metadata).toEqual(metadata)
    expect((await monitors.update(id, { name: 'Store' })).metadata).toEqual(metadata)
    expect((await monitors.update(id, { metadata: { plan: 'pro' } })).metadata).toEqual({
      plan: 'pro',
    })
    expect((await monitors.update(id, { metadata: null })).metadata).toEqual({})
    await engine.stop()
  })

  it.each([
    [{ text: 'x'.repeat(4085) }, undefined],
    [{ text: 'x'.repeat(4086) }, 'out_of_range: at most 4096 bytes of JSON'],
    [{ text: 'é'.repeat(2050) }, 'out_of_range: at most 4096 bytes of JSON'],
    [nested(4), undefined],
    [nested(5), 'out_of_range: at most 4 levels'],
    [circular(), 'out_of_range: at most 4 levels'],
    [{ ['k'.repeat(65)]: 1 }, expect.stringMatching(/^invalid: a key has 1 to 64/)],
    [{ '': 1 }, expect.stringMatching(/^invalid: a key has/)],
    [{ 'a\nb': 1 }, expect.stringMatching(/^invalid: a key has/)],
    [JSON.parse('{"__proto__":{"a":1}}'), expect.stringMatching(/^invalid: a key has/)],
    [{ at: new Date(0) }, 'invalid: only JSON values are expected'],
    [{ n: Number.NaN }, 'invalid: a number is finite in JSON'],
    [['a'], 'invalid: an object is expected'],
    ['text', 'invalid: an object is expected'],
  ])('has bounds: %j', async (metadata, problem) => {
    const { engine } = await rig()
    const made = engine.monitors.create({ ...shop, metadata })
    if (problem === undefined) expect((await made).metadata).toEqual(metadata)
    else expect(await problemOf(made)).toEqual(problem)
    await engine.stop()
  })

  it('filters lists, all members given', async () => {
    const { engine } = await rig()
    const { monitors } = engine
    await monitors.create({ ...shop, name: 'a', metadata: { plan: 'pro', seats: 7 } })
    await monitors.create({ ...shop, name: 'b', metadata: { plan: 'free', paid: false } })
    const named = async (metadata: Record<string, string | number | boolean>) =>
      (await monitors.list({ metadata })).items.map(({ name }) => name)
    expect(await named({ plan: 'pro', seats: 7 })).toEqual(['a'])
    expect(await named({ plan: 'pro', seats: 8 })).toEqual([])
    expect(await named({ paid: false })).toEqual(['b'])
    // As a host gets it from JSON or a query: no monitor has such a member.
    const poison = JSON.parse('{ "__proto__": "x", "plan": "pro" }') as Record<string, string>
    expect(await named(poison)).toEqual([])
    const removal = { action: 'remove', filter: { metadata: poison } } as const
    expect(await monitors.bulk(removal)).toMatchObject({ matched: 0 })
    expect(await problemOf(monitors.list({ metadata: { deep: {} } as never }))).toMatch(/^invalid/)
    expect(await problemOf(monitors.list({ metadata: 'plan' as never }))).toMatch(/^invalid/)
    await engine.stop()
  })
})

const EVENTS = ['round', 'state', 'down', 'acknowledged', 'up', 'notification'] as const

async function anOutage({ engine, clock, say }: Rig) {
  const { id: account_id } = await engine.accounts.create({ name: 'second' })
  const scope = engine.account(account_id)
  await scope.contacts.create({ kind: 'recorder', name: 'Ops', to: 'ops', all_monitors: true })
  say('shop.test', 'fail')
  const { id } = await scope.monitors.create({ ...shop, metadata: { customer: 'c-7' } })
  await clock.advance(60_000)
  const [incident] = (await scope.incidents.list()).items
  await scope.incidents.acknowledge(incident?.id ?? 0)
  say('shop.test', 'ok')
  await clock.advance(60_000)
  return { account_id, id }
}

describe('every event of a monitor', () => {
  it('carries its account and its metadata', async () => {
    const made = await rig()
    const heard: { name: string; account_id: number; metadata: unknown }[] = []
    for (const name of EVENTS)
      made.engine.on(name, (event) => {
        const { metadata } = 'monitor' in event ? event.monitor : event
        heard.push({ name, account_id: event.account_id, metadata })
      })
    const { account_id } = await anOutage(made)
    expect(new Set(heard.map(({ name }) => name))).toEqual(new Set(EVENTS))
    for (const event of heard)
      expect(event).toMatchObject({ account_id, metadata: { customer: 'c-7' } })
    await made.engine.stop()
  })

  it.each([
    [true, { customer: 'c-7' }],
    [false, undefined],
    [undefined, undefined],
  ])('has the metadata in its notifications if asked for: %s', async (asked, metadata) => {
    const made = await rig({ metadataInPayloads: asked })
    await anOutage(made)
    expect(made.told.map(({ event }) => event)).toEqual(['down', 'acknowledged', 'up'])
    for (const { body } of made.told)
      expect((body['monitor'] as JsonObject)['metadata']).toEqual(metadata)
    await made.engine.stop()
  })
})
