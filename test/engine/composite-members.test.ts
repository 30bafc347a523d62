/** The members of a monitor that is made of others, and the report that their states give. */
import { describe, expect, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import type { Member } from '../../src/checkers/member.ts'
import {
  compositeReport,
  hasTagOf,
  MAX_BY_TAG,
  memberRuleOf,
  ruleOf,
} from '../../src/engine/rounds/composite.ts'
import { StorageError } from '../../src/errors.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { initialState } from '../../src/incident/state.ts'
import type { JsonObject, MonitorRecord } from '../../src/model.ts'
import { anotherAccount } from '../../src/testing/store-suite/case.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { cachedMonitor, NOON } from './cached-monitor.ts'
import { monitorsRig } from './monitors-rig.ts'

interface Given {
  readonly judged?: object | undefined
  readonly shared?: boolean
}

/** A group whose judgement is what the test says. */
async function group({ judged, shared = false }: Given = {}) {
  const seen: { readonly members: readonly Member[]; readonly settings: unknown }[] = []
  const checker = {
    ...defineChecker({
      type: 'group',
      title: 'Group',
      description: 'Is made of others',
      fields: { note: field.text({ description: 'Any text' }) },
      target: () => 'x',
      run: () => Promise.resolve(up()),
    }),
    composite: {
      judge(members: readonly Member[], settings: unknown) {
        seen.push({ members, settings })
        return judged
      },
    },
  } as unknown as AnyChecker
  const rig = await monitorsRig(checker)
  const { core, monitorCache, store } = rig
  Object.assign(core, { store: { ...store, shared } })
  const stale = new Set<number>()
  const isStale = ({ record }: { readonly record: MonitorRecord }) => stale.has(record.id)
  const context = { core, monitorCache, isStale }
  /** The report of a group with these settings, whose id no other monitor has unless it is given. */
  const report = (settings: JsonObject = {}, id = 9999) =>
    compositeReport(context, { ...cachedMonitor({ id, checker }), settings })
  return {
    ...{ ...rig, report, seen, stale, checker },
    async ids(settings: JsonObject, id?: number) {
      await report(settings, id)
      return seen.at(-1)?.members.map((member) => member.id)
    },
    tagged: (...tags: readonly string[]) => rig.add({ tags }),
  }
}

describe('a report', () => {
  it('is that of the members, at the present time', async () => {
    const judged = {
      ...{ verdict: 'fail', cause_code: 'members_down', cause_text: 'One is down' },
      findings: { details: { down: 1 } },
    }
    const { report, seen, clock } = await group({ judged })
    await clock.advance(5000)
    expect(await report({ note: 'a' })).toEqual({
      outcome: {
        ...{ verdict: 'fail', cause_code: 'members_down', cause_text: 'One is down', phase: null },
        ...{ started_at: '2026-01-01T12:00:05.000Z', duration_ms: 0, phases: {} },
        ...{ remote_ip: null, details: { down: 1 } },
      },
    })
    expect(seen).toEqual([{ members: [], settings: { note: 'a' } }])
  })

  it('is unknown where there is no judgement', async () => {
    const { report } = await group()
    expect((await report()).outcome).toMatchObject({
      ...{ verdict: 'unknown', cause_code: null, cause_text: null, details: {} },
    })
  })
})

describe.each([
  ['alone on the store', false],
  ['beside other engines', true],
])('the members of a group, %s,', (_, shared) => {
  it('are those that it names, each once, by their ids', async () => {
    const { add, ids, seen, stale, tagged } = await group({ shared })
    await add({ name: 'One' }, { machine: { ...initialState(NOON), state: 'down' } })
    await tagged('web')
    await add({ name: 'Three' })
    stale.add(3)
    expect(await ids({ monitor_ids: [3, 2, 3, 77], member_tags: ['WEB'] })).toEqual([2, 3])
    expect(await ids({ monitor_ids: [3, 1] })).toEqual([1, 3])
    expect(seen.at(-1)?.members).toEqual([
      { id: 1, name: 'One', state: 'down', stale: false },
      { id: 3, name: 'Three', state: 'up', stale: true },
    ])
  })

  it('are none of a tag that only others have', async () => {
    const { add, ids, core, tagged } = await group({ shared })
    await tagged('web')
    await add({}, {})
    const get = core.registry.get.bind(core.registry)
    // The type of one is not known any more.
    Object.assign(core, { registry: { ...core.registry, get: (type: string) => get(`${type}s`) } })
    expect(await ids({ member_tags: ['web'] })).toEqual([1])
    expect(await ids({ monitor_ids: [2] })).toEqual([2])
  })

  it('are those of a tag, but not the group itself, nor another group', async () => {
    const { add, ids, tagged } = await group({ shared })
    await tagged('Web', 'shop')
    await tagged('mail')
    await add({ tags: ['web'] }, { type: 'group', settings: {} })
    await tagged('x', 'SHOP')
    expect(await ids({ member_tags: ['web', 'Shop'] })).toEqual([1, 4])
    expect(await ids({ member_tags: ['web', 'Shop'] }, 4)).toEqual([1])
    expect(await ids({ monitor_ids: [1, 2] }, 2)).toEqual([1])
    expect(await ids({ member_tags: [] })).toEqual([])
  })

  it('are none of another account', async () => {
    const { add, ids, store } = await group({ shared })
    const account_id = await anotherAccount(store)
    await add({ tags: ['web'] }, { account_id })
    await add({ tags: ['web'] })
    expect(await ids({ monitor_ids: [1, 2], member_tags: ['web'] })).toEqual([2])
  })

  it('are found in the store where another engine runs them', async () => {
    const { ids, monitorCache, tagged } = await group({ shared })
    await tagged('web')
    await tagged('web')
    monitorCache.drop([1])
    expect(await ids({ monitor_ids: [1, 2] })).toEqual([1, 2])
    expect(await ids({ member_tags: ['web'] })).toEqual(shared ? [1, 2] : [2])
  })

  it('are found among thousands of others', async () => {
    const { ids, tagged } = await group({ shared })
    for (let n = 0; n < MAX_BY_TAG; n++) await tagged('mail')
    await tagged('web')
    expect(await ids({ member_tags: ['web'] })).toEqual([MAX_BY_TAG + 1])
  })

  it('are a thousand by tag at most', async () => {
    const { ids, tagged } = await group({ shared })
    for (let n = 0; n < MAX_BY_TAG + 5; n++) await tagged('web')
    expect(await ids({ member_tags: ['web'] })).toHaveLength(1000)
  })
})

describe('the members by tag of a group that is judged again', () => {
  it('are those of now, whatever has happened to the monitors', async () => {
    const { ids, monitorCache, store, tagged } = await group()
    const retag = (id: number, ...tags: string[]) =>
      monitorCache.change(id, ({ record: { common, settings, target, revision } }) => ({
        change: {
          ...{ monitor_id: id, revision, at: NOON },
          settings: { common: { ...common, tags }, settings, target },
        },
      }))
    const removing = (id: number) =>
      monitorCache.change(id, ({ record: { revision } }) => ({
        change: { monitor_id: id, revision, at: NOON, remove: true },
      }))
    const named = () => ids({ member_tags: ['web', 'shop'] })
    await tagged('web', 'shop')
    await tagged('mail')
    expect(await named()).toEqual([1])
    await tagged('Shop')
    expect(await named()).toEqual([1, 3])
    await retag(2, 'WEB')
    await retag(3, 'mail')
    expect(await named()).toEqual([1, 2])
    await removing(1)
    expect(await named()).toEqual([2])
    monitorCache.drop([2])
    expect(await named()).toEqual([])
    expect((await store.monitors.get(2))?.common.tags).toEqual(['WEB'])
    await monitorCache.load([2])
    expect(await named()).toEqual([2])
  })

  it('are found without reading the others: five hundred groups among thousands of monitors', async () => {
    const { ids, tagged } = await group()
    for (let n = 0; n < 4000; n++) await tagged(`t${n % 1000}`, 'common')
    const judging = async () => {
      let found = 0
      for (let n = 0; n < 500; n++) found += (await ids({ member_tags: [`t${n}`] }))?.length ?? 0
      return found
    }
    const { value, longest_ms, cpu_ms } = await leastOf(3, () => measureTurns(judging), 50)
    expect(value).toBe(2000)
    expect(longest_ms).toBeLessThan(50)
    expect(cpu_ms).toBeLessThan(200)
  })
})

describe('a rule', () => {
  it('is of a group only', async () => {
    const { checker } = await group()
    const settings = { monitor_ids: [3], member_tags: ['Web'] }
    const of = (given: Partial<AnyChecker>) =>
      memberRuleOf({ ...cachedMonitor({ checker: given }), settings })
    expect(of(checker)).toEqual({ monitor_ids: [3], tags: new Set(['web']) })
    expect(of({})).toBeUndefined()
  })

  it('names tags whatever their case', () => {
    const rule = ruleOf({ member_tags: ['Web'] })
    expect(rule).toEqual({ monitor_ids: [], tags: new Set(['web']) })
    expect([['x', 'WEB'], ['x'], []].map((tags) => hasTagOf(rule, tags))).toEqual([
      ...[true, false, false],
    ])
    expect(hasTagOf(ruleOf({}), ['x'])).toBe(false)
  })
})

it('a member that was removed while its tag was looked for is none', async () => {
  const { tagged, ids, monitorCache } = await group()
  for (let n = 0; n < 2; n++) await tagged('web')
  const { withTag } = monitorCache
  const gone = 77
  const late: typeof withTag = async (...asked) => [gone, ...(await withTag(...asked))]
  Object.assign(monitorCache, { withTag: late })
  expect(await ids({ member_tags: ['web'] })).toEqual([1, 2])
})

it('members are found without one that cannot be read, which is said', async () => {
  const { ids, tagged, core, logged } = await group({ shared: true })
  const { record } = await tagged('shop')
  const { monitors } = core.store
  const list = monitors.list.bind(monitors)
  Object.assign(monitors, {
    list(...[query, skip]: Parameters<typeof list>) {
      skip?.(new StorageError('Unreadable "common" in row 5'))
      return list(query, skip)
    },
  })
  expect(await ids({ member_tags: ['shop'] })).toEqual([record.id])
  expect(logged).toEqual([
    'error: a monitor cannot be read; it is set aside: Unreadable "common" in row 5',
  ])
})
