import { describe, expect, it } from 'vitest'
import { group } from '../../../src/checkers/extra/group.ts'
import type { Member } from '../../../src/checkers/member.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { parseSettings, runCheck } from '../../../src/engine/checks/run-check.ts'
import { ValidationError } from '../../../src/errors.ts'
import type { JsonObject, MonitorState } from '../../../src/model.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { createComposites } from '../../../src/engine/scheduling/composites.ts'
import { leastOf, measureTurns } from '../../support/turns.ts'
import { rig } from '../../engine/rig.ts'
import type { Rig } from '../../engine/rig.ts'

const MINUTE = 60_000

/** `up up? down`: a question mark is a stale one. */
function members(text: string): Member[] {
  return text.split(' ').flatMap((word, index) => {
    const state = word.replace('?', '') as MonitorState
    return word === ''
      ? []
      : [{ id: index + 1, name: `m${index + 1}`, state, stale: word.endsWith('?') }]
  })
}

function judged(text: string, rule: JsonObject = {}) {
  const checker = group()
  const settings = parseSettings(checker, { monitor_ids: [1], ...rule })
  const { cause_code, cause_text } = checker.composite!.judge(members(text), settings as never)
  return cause_code === null ? 'up' : `${cause_code}: ${cause_text}`
}

describe('a group is judged from its members', () => {
  it.each<[string, JsonObject, string | RegExp]>([
    ['up up', {}, 'up'],
    ['up late confirming', {}, 'up'],
    ['up down', {}, 'group_down: 1 of 2 members is down, all must be up: m2'],
    ['up recovering', {}, /^group_down: .*m2$/],
    ['up down', { up_when: 'any' }, 'up'],
    [
      'down down',
      { up_when: 'any' },
      /^group_down: 2 of 2 members are down, at least 1 must be up/,
    ],
    ['up up down', { min_up: 2 }, 'up'],
    ['up down down', { min_up: 2 }, /at least 2 must be up: m2, m3$/],
    ['up up up down', { min_up_pct: 75 }, 'up'],
    ['up up down down', { min_up_pct: 51 }, /at least 3 must be up/],
    // What nobody looks at is left out; what is unknown decides nothing.
    ['up paused maintenance', {}, 'up'],
    ['paused maintenance', {}, 'group_empty: None of 2 members is checked'],
    ['', {}, 'group_empty: None of 0 members is checked'],
    ['up maintenance maintenance', { min_up: 2 }, 'up'],
    ['up down maintenance', { min_up: 2 }, /^group_down/],
    ['up pending', {}, 'group_undecided: 1 of 2 members are unknown, all must be up: m2'],
    ['up up?', {}, /^group_undecided: .*: m2$/],
    ['up up?', { up_when: 'any' }, 'up'],
    ['down up?', {}, /^group_down: 1 of 2 .*: m1$/],
    ['down?', {}, /^group_down/],
    ['down down down down down down down', {}, /: m1, m2, m3, m4, m5 and 2 more$/],
  ])('%s with %j', (text, rule, expected) => {
    if (typeof expected === 'string') expect(judged(text, rule)).toBe(expected)
    else expect(judged(text, rule)).toMatch(expected)
  })

  it.each([
    [{}, 'monitor_ids'],
    [{ monitor_ids: [1], min_up: 1, min_up_pct: 50 }, 'min_up_pct'],
    [{ monitor_ids: [0] }, 'monitor_ids'],
    [{ member_tags: ['a'], min_up_pct: 101 }, 'min_up_pct'],
  ])('%j is refused', (settings, field) => {
    expect(() => parseSettings(group(), settings)).toThrow(ValidationError)
    try {
      parseSettings(group(), settings)
    } catch (error) {
      expect(Object.keys((error as ValidationError).fields)).toEqual([field])
    }
  })

  it('knows no members by itself', async () => {
    expect(await runCheck(group, { monitor_ids: [1] })).toMatchObject({
      ...{ verdict: 'unknown', cause_code: 'group_without_engine' },
    })
  })
})

async function shop() {
  const r = await rig({ checkers: [group as never] })
  const member = (host: string, more: object = {}) =>
    r.engine.monitors.create({
      ...{ type: 'scripted', name: host, host, fail_threshold: 1, tags: ['shop'], ...more },
    })
  const ids = [(await member('a.test')).id, (await member('b.test')).id]
  await r.engine.contacts.create({
    ...{ kind: 'recorder', name: 'Duty', to: 'duty', all_monitors: true },
  })
  const grouped = (settings: object, name = 'Shop') =>
    r.engine.monitors.create({ type: 'group', name, interval_sec: 3600, ...settings })
  return { r, ids, member, grouped }
}

const stateOf = async (r: Rig, id: number) => (await r.engine.monitors.get(id)).state

describe('a monitor of the type group', () => {
  it('goes down at once when a member does, and its incident names it', async () => {
    const { r, ids, grouped } = await shop()
    const { id } = await grouped({ monitor_ids: ids })
    await r.clock.advance(2 * MINUTE)
    expect(await stateOf(r, id)).toBe('up')
    const checks = r.checks.length
    r.say('b.test', 'fail')
    await r.clock.advance(MINUTE)
    expect(await stateOf(r, id)).toBe('down')
    const [incident] = (await r.engine.incidents.list({ monitor_id: id })).items
    expect(incident).toMatchObject({
      cause_code: 'group_down',
      cause_text: '1 of 2 members is down, all must be up: b.test',
    })
    const [result] = (await r.engine.results.list(id, { limit: 1 })).items
    expect(result).toMatchObject({
      response_ms: null,
      details: { members_up: 1, members_down: 1, up_pct: 50, down: ['b.test'] },
    })
    const [member] = (await r.engine.incidents.list({ monitor_id: ids[1]! })).items
    expect(Date.parse(incident!.detected_at) - Date.parse(member!.detected_at)).toBeLessThan(1000)
    r.say('b.test', 'ok')
    await r.clock.advance(MINUTE)
    expect(await stateOf(r, id)).toBe('up')
    expect(
      r.told.map(({ event, body }) => [event, (body['monitor'] as { id: number }).id]),
    ).toEqual([
      ['down', ids[1]],
      ['down', id],
      ['up', ids[1]],
      ['up', id],
    ])
    // The members alone were checked, and no more often for it.
    expect(r.checks.length - checks).toBeLessThanOrEqual(5)
    await r.engine.stop()
  })

  it('follows its tags, and what becomes of its members', async () => {
    const { r, ids, member, grouped } = await shop()
    const { id } = await grouped({ member_tags: ['SHOP', 'CAFE\u0301'], up_when: 'all' })
    await r.clock.advance(2 * MINUTE)
    expect(await stateOf(r, id)).toBe('up')
    r.say('c.test', 'fail')
    const third = await member('c.test', { tags: ['caf\u00e9'] })
    await r.clock.advance(2 * MINUTE)
    expect(await stateOf(r, id)).toBe('down')
    await r.engine.monitors.pause(third.id)
    await r.clock.advance(1000)
    expect(await stateOf(r, id)).toBe('up')
    await r.engine.monitors.resume(third.id)
    await r.clock.advance(MINUTE)
    expect(await stateOf(r, id)).toBe('down')
    await r.engine.monitors.update(third.id, { tags: [] })
    await r.clock.advance(1000)
    expect(await stateOf(r, id)).toBe('up')
    r.say('a.test', 'fail')
    await r.clock.advance(MINUTE)
    expect(await stateOf(r, id)).toBe('down')
    await r.engine.monitors.remove(ids[0]!)
    await r.clock.advance(1000)
    expect(await stateOf(r, id)).toBe('up')
    await r.engine.stop()
  })

  it('is judged once a second at most, however its members flap, and ends right', async () => {
    const { r, ids, grouped } = await shop()
    const { id } = await grouped({ monitor_ids: ids })
    await r.clock.advance(2 * MINUTE)
    const judged = async () => (await r.engine.results.list(id, { limit: 100 })).items.length
    const before = await judged()
    for (let change = 0; change < 20; change++) {
      await r.engine.monitors[change % 2 === 0 ? 'pause' : 'resume'](ids[0]!)
      await r.clock.advance(100)
    }
    await r.engine.monitors.pause(ids[0]!)
    await r.engine.monitors.pause(ids[1]!)
    await r.clock.advance(1000)
    expect((await judged()) - before).toBeLessThanOrEqual(4)
    const [last] = (await r.engine.results.list(id, { limit: 1 })).items
    expect(last).toMatchObject({ cause_code: 'group_empty', details: { members_left_out: 2 } })
    await r.engine.stop()
  })

  it('is judged at its interval, and after a restart', async () => {
    const { r, ids, grouped } = await shop()
    const { id } = await grouped({ monitor_ids: ids, interval_sec: 60 })
    await r.clock.advance(5 * MINUTE)
    expect((await r.engine.results.list(id)).items.length).toBeGreaterThanOrEqual(4)
    await r.engine.stop()
    const again = await r.restart()
    again.say('a.test', 'fail')
    await again.clock.advance(MINUTE)
    expect(await stateOf(again, id)).toBe('down')
    await again.engine.stop()
  })

  it('may have groups as members, and is degraded by a threshold of its own', async () => {
    const { r, ids, grouped } = await shop()
    const inner = await grouped({
      monitor_ids: ids,
      up_when: 'any',
      warn: { up_pct: { below: 100 } },
    })
    const outer = await grouped({ monitor_ids: [inner.id] }, 'All')
    r.say('a.test', 'fail')
    await r.clock.advance(2 * MINUTE)
    expect(await stateOf(r, outer.id)).toBe('up')
    expect((await r.engine.monitors.get(inner.id)).degraded?.cause_text).toBe(
      'up_pct is 50, less than 100',
    )
    r.say('b.test', 'fail')
    await r.clock.advance(MINUTE)
    expect([await stateOf(r, inner.id), await stateOf(r, outer.id)]).toEqual(['down', 'down'])
    await r.engine.stop()
  })

  it('has members of its own account only', async () => {
    const { r, ids } = await shop()
    const { id: account_id } = await r.engine.accounts.create({ name: 'Other' })
    const other = r.engine.account(account_id).monitors
    const foreign = other.create({ type: 'group', name: 'Theirs', monitor_ids: ids })
    await expect(foreign).rejects.toMatchObject({
      fields: { monitor_ids: expect.stringMatching(/there is no monitor 1/) as string },
    })
    const byTag = await other.create({ type: 'group', name: 'Tag', member_tags: ['shop'] })
    await r.clock.advance(MINUTE)
    expect((await other.get(byTag.id)).cause_code).toBe('group_empty')
    await r.engine.stop()
  })

  it('that would wait for itself by the tags of a bulk action is refused', async () => {
    const { r, ids, member, grouped } = await shop()
    const { monitors } = r.engine
    const tagged = await grouped({ member_tags: ['front'] }, 'Tagged')
    const child = await member('child.test', { tags: ['db'], depends_on: [ids[0], tagged.id] })
    const tag = (...add_tags: readonly string[]) =>
      monitors.bulk({ action: 'tag', filter: { ids: [ids[1]!, child.id] }, add_tags })
    expect(await tag('Front')).toMatchObject({
      ...{ changed: 1, failed: 1 },
      failures: [
        {
          ...{ monitor_id: child.id, error: 'validation' },
          message: expect.stringContaining('depends on this one') as string,
        },
      ],
    })
    expect((await monitors.get(child.id)).tags).toEqual(['db'])
    // A parent that was removed does not stand in the way.
    await monitors.remove(ids[0]!)
    expect(await tag('more')).toMatchObject({ changed: 2, failed: 0 })
    await r.engine.stop()
  })

  it('that would wait for itself is refused, over members, tags and dependencies', async () => {
    const { r, ids, member, grouped } = await shop()
    const { monitors } = r.engine
    const inner = await grouped({ monitor_ids: ids })
    const outer = await grouped({ monitor_ids: [inner.id] }, 'All')
    const tagged = await grouped({ member_tags: ['shop'] }, 'Tagged')
    const refused = (call: Promise<unknown>, field: string) =>
      expect(call).rejects.toMatchObject({
        fields: { [field]: expect.stringMatching(/depends on this one/) as string },
      })
    await refused(monitors.update(inner.id, { monitor_ids: [outer.id] }), 'monitor_ids')
    await refused(monitors.update(inner.id, { monitor_ids: [inner.id] }), 'monitor_ids')
    await refused(monitors.update(inner.id, { depends_on: [outer.id] }), 'depends_on')
    await refused(monitors.update(ids[0]!, { depends_on: [outer.id] }), 'depends_on')
    await refused(monitors.update(ids[0]!, { depends_on: [tagged.id] }), 'depends_on')
    await refused(member('new.test', { depends_on: [tagged.id] }), 'depends_on')
    const child = await member('child.test', { tags: ['front'], depends_on: [inner.id] })
    await refused(monitors.update(inner.id, { member_tags: ['front'] }), 'member_tags')
    await monitors.update(child.id, { depends_on: [] })
    await monitors.update(inner.id, { member_tags: ['front'] })
    // A removed member does not stand in the way of a change.
    await monitors.remove(ids[0]!)
    expect(await monitors.update(inner.id, { name: 'Front' })).toMatchObject({
      monitor_ids: [ids[1]],
    })
    await r.engine.stop()
  })

  it('keeps its members when the account moves', async () => {
    const { r, ids, grouped } = await shop()
    await grouped({ monitor_ids: ids })
    const { id: account_id } = await r.engine.accounts.create({ name: 'Moved' })
    const lines: string[] = []
    for await (const line of r.engine.export()) lines.push(line)
    const there = r.engine.account(account_id)
    await there.import(() => lines, {})
    const { items } = await there.monitors.list()
    const moved = items.find(({ type }) => type === 'group')
    expect((await there.monitors.get(moved!.id))['monitor_ids']).toEqual(
      items.filter(({ type }) => type !== 'group').map(({ id }) => id),
    )
    await r.engine.stop()
  })
})

it('is a type without a response time, which needs nothing installed', async () => {
  const engine = createEngine({ store: memoryStore(), checkers: [group] })
  expect(engine.types.list()[0]).toMatchObject({ type: 'group', response: null, available: true })
  await engine.stop()
})

it('is found in a short turn among thousands, of members with many tags', async () => {
  const cached = (id: number, tags: readonly string[], settings: JsonObject = {}) =>
    ({
      record: { id, account_id: 1, common: { tags }, machine: { state: 'up' } },
      ...{ type: { checker: group() }, settings },
    }) as never
  let judged = 0
  const composites = createComposites({
    clock: { now: () => 0, monotonic: () => 0 },
    monitorCache: { peek: (id) => cached(id, []) },
    underWay: () => false,
    onJudgementNeeded: () => judged++,
  })
  for (let n = 1; n <= 5000; n++) composites.update(cached(n, [], { member_tags: [`Team ${n}`] }))
  const tags = Array.from({ length: 50 }, (_, n) => `TEAM ${n + 4990}`)
  const removed = { before: cached(9000, tags), after: undefined, change: {} } as never
  const { longest_ms } = await leastOf(
    3,
    () =>
      measureTurns(() => {
        composites.follow(removed)
        return Promise.resolve()
      }),
    50,
  )
  expect(judged).toBeGreaterThanOrEqual(11)
  expect(longest_ms).toBeLessThan(50)
})
