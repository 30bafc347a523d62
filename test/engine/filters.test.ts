import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ValidationError } from '../../src/errors.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

let made: Rig
let monitor_id: number
let began: number

beforeAll(async () => {
  made = await rig()
  began = made.clock.now()
  const input = { type: 'scripted', name: 'Shop', host: 'shop.test', tags: ['a'] }
  monitor_id = (await made.engine.monitors.create(input)).id
  made.say('shop.test', 'fail')
  await made.clock.advance(600_000)
})
afterAll(() => made.engine.stop())

type List = 'monitors' | 'results' | 'incidents' | 'notifications'

function list(name: List, filter: unknown): Promise<{ items: readonly { readonly id: number }[] }> {
  const { engine } = made
  if (name === 'results') return engine.results.list(monitor_id, filter as never)
  return engine[name].list(filter as never)
}

async function problemsOf(call: Promise<unknown>): Promise<Readonly<Record<string, string>>> {
  const error: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ValidationError)
  return (error as ValidationError).fields
}

const LISTS: readonly List[] = ['monitors', 'results', 'incidents', 'notifications']

describe.each(LISTS)('the filter of %s', (name) => {
  const most = name === 'results' ? 1000 : 200

  it('refuses unknown names, all at once', async () => {
    const problems = await problemsOf(list(name, { limti: 5, 'nothing like it': 1, limit: 0 }))
    expect(Object.keys(problems).sort()).toEqual(['limit', 'limti', 'nothing like it'])
    expect(problems['limti']).toBe('unknown_field: did you mean "limit"?')
    expect(problems['nothing like it']).toMatch(/^unknown_field: known are limit, after/)
    expect(Object.keys(await problemsOf(list(name, JSON.parse('{"__proto__":1}'))))).toEqual([
      '__proto__',
    ])
  })

  it('takes what is undefined for absent', async () => {
    const absent = { limit: undefined, after: undefined, from: undefined, nothing: undefined }
    expect(await list(name, absent)).toEqual(await list(name, {}))
    expect(await list(name, undefined)).toEqual(await list(name, {}))
  })

  it.each([null, 5, 'up', []])('is no %j', async (filter) => {
    expect(await problemsOf(list(name, filter))).toEqual({ '': 'invalid: an object is expected' })
  })

  it(`takes limits from 1 to ${most}`, async () => {
    for (const limit of [1, most]) await list(name, { limit })
    for (const limit of [0, -1, most + 1])
      expect(await problemsOf(list(name, { limit }))).toEqual({
        limit: `out_of_range: 1..${most}`,
      })
    for (const limit of [1.5, NaN, Infinity, '5', null, true])
      expect(await problemsOf(list(name, { limit }))).toEqual({
        limit: 'invalid: an integer is expected',
      })
  })

  it('takes for `after` what a page gave', async () => {
    await list(name, { after: 1 })
    for (const after of [0, -1, 1.5, NaN, 2 ** 53, '1', null, {}])
      expect(await problemsOf(list(name, { after }))).toEqual({
        after: 'invalid: an id is expected',
      })
  })
})

describe.each(['results', 'incidents'] as const)('the times of %s', (name) => {
  it('are a Date, a number or ISO text of the same moment', async () => {
    const all = (await list(name, {})).items.map(({ id }) => id)
    expect(all.length).toBeGreaterThan(0)
    const text = new Date(began).toISOString()
    const same = [began, new Date(began), text, text.replace('Z', ''), text.replace('Z', '+00:00')]
    for (const at of same) {
      expect((await list(name, { from: at })).items.map(({ id }) => id)).toEqual(all)
      expect((await list(name, { to: at })).items).toEqual([])
    }
    expect((await list(name, { from: began - 0.5, to: '9999-12-31' })).items).toHaveLength(
      all.length,
    )
    expect((await list(name, { from: 0 })).items).toHaveLength(all.length)
  })

  it('are nothing else', async () => {
    const wrong: unknown[] = [
      NaN,
      Infinity,
      -1,
      253_402_300_800_000,
      new Date(NaN),
      new Date(-1),
      'yesterday',
      '1767225600',
      '2026-02-30',
      '2026-13-01',
      '01/02/2026',
      'Thu, 01 Jan 2026 00:00:00 GMT',
      '',
      null,
      true,
      {},
      [began],
      10n,
    ]
    for (const from of wrong)
      expect(await problemsOf(list(name, { from }))).toEqual({
        from: 'invalid: a Date, epoch milliseconds or ISO 8601 text is expected',
      })
  })

  it('stand in their order', async () => {
    await list(name, { from: began, to: began })
    expect(await problemsOf(list(name, { from: '2026-01-02', to: '2026-01-01' }))).toEqual({
      from: 'invalid: it is after "to"',
    })
  })
})

it.each<[List, string, readonly unknown[], readonly unknown[]]>([
  ['monitors', 'status', [['up', 'late'], []], ['up', ['Up'], ['gone'], [1], null]],
  ['monitors', 'type', [['scripted'], []], ['scripted', ['http'], [null]]],
  ['monitors', 'tag', [[['a', 'b'], ['c']], ['a', ['b']], []], ['a', [[1]], [['a\0']]]],
  ['monitors', 'q', ['shop', ''], [5, 'a\0b', 'x'.repeat(201), null]],
  ['results', 'verdict', ['ok', 'fail', 'unknown'], ['OK', 'up', ['ok'], null]],
  ['results', 'order', ['asc', 'desc'], ['DESC', 'newest', 1]],
  ['results', 'location_id', [1], ['1', 0, -1, null]],
  ['incidents', 'open', [true, false], [1, 'true', null]],
  ['incidents', 'cause_code', ['broken'], [5, null, '\n']],
  ['incidents', 'monitor_id', [1], ['1', 0, NaN]],
  ['notifications', 'monitor_id', [1], ['1']],
  ['notifications', 'incident_id', [1], ['1']],
  ['notifications', 'contact_id', [1], ['1']],
])('%s by %s', async (name, key, right, wrong) => {
  for (const value of right) await list(name, { [key]: value })
  for (const value of wrong)
    expect(Object.keys(await problemsOf(list(name, { [key]: value })))).toEqual([key])
})

describe('options of other calls', () => {
  it('uptime takes 1 to 365 days', async () => {
    const uptime = (options: unknown) => made.engine.monitors.uptime(monitor_id, options as never)
    for (const days of [1, 365, undefined]) await uptime({ days })
    for (const days of [0, 366, -1])
      expect(await problemsOf(uptime({ days }))).toEqual({ days: 'out_of_range: 1..365' })
    for (const days of [1.5, '30', null, NaN])
      expect(Object.keys(await problemsOf(uptime({ days })))).toEqual(['days'])
    expect(await problemsOf(uptime({ dyas: 7 }))).toEqual({
      dyas: 'unknown_field: did you mean "days"?',
    })
  })

  it.each(['update', 'remove'] as const)(
    '%s is never done against a version that was mistyped',
    async (name) => {
      const { monitors } = made.engine
      const input = { type: 'scripted', name: 'Other', host: 'other.test' }
      const { id, version } = await monitors.create(input)
      const done = (options: unknown) =>
        name === 'update'
          ? monitors.update(id, { level: 2 }, options as never)
          : monitors.remove(id, options as never)
      expect(Object.keys(await problemsOf(done({ vesion: version + 1 })))).toEqual(['vesion'])
      expect(Object.keys(await problemsOf(done({ version: String(version) })))).toEqual(['version'])
      expect((await monitors.get(id)).version).toBe(version)
      await done({ version })
    },
  )

  it('preview refuses what it does not know', async () => {
    const input = { type: 'scripted', name: 'Other', host: 'other.test' } as never
    const preview = (options: unknown) => made.engine.monitors.preview(input, options as never)
    expect(Object.keys(await problemsOf(preview({ againts: monitor_id })))).toEqual(['againts'])
    expect(Object.keys(await problemsOf(preview({ against: 'x' })))).toEqual(['against'])
  })
})
