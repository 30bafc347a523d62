/** When a monitor of a composite type is judged because of its members. */
import { describe, expect, it } from 'vitest'
import { createComposites } from '../../src/engine/scheduling/composites.ts'
import type { CachedMonitor, Changed } from '../../src/engine/monitors/cached-monitor.ts'
import type { JsonObject, MonitorState } from '../../src/model.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { cachedMonitor, NOON } from './cached-monitor.ts'

const GROUP = 1
const MEMBER = 2

const group = (settings: JsonObject, id = GROUP, account_id = 1): CachedMonitor => ({
  ...cachedMonitor({ id, record: { account_id }, checker: { composite: {} as never } }),
  settings,
})

interface Member {
  readonly id?: number
  readonly tags?: readonly string[]
  readonly state?: MonitorState
  readonly account_id?: number
}
const member = ({ id = MEMBER, tags = [], state = 'up', account_id = 1 }: Member = {}) =>
  cachedMonitor({ id, common: { tags: [...tags] }, machine: { state }, record: { account_id } })

/** Composites that are watched, and the times in ms from now at which each is to be judged. */
function watching(...groups: readonly CachedMonitor[]) {
  const clock = simulatedClock({ now: NOON })
  const known = new Map(groups.map((each) => [each.record.id, each]))
  const running = new Set<number>()
  const asked: string[] = []
  const composites = createComposites({
    clock,
    monitorCache: { peek: (id) => known.get(id) },
    underWay: (id) => running.has(id),
    onJudgementNeeded: ({ record: { id } }, at) => void asked.push(`${id} in ${at - clock.now()}`),
  })
  for (const each of groups) composites.update(each)
  return {
    ...{ clock, known, running, asked, composites },
    changed(before: CachedMonitor, after: CachedMonitor | undefined, settings = false) {
      const change = settings ? { settings: {} } : {}
      composites.follow({ before, after, change } as unknown as Changed)
      return asked.splice(0)
    },
  }
}
const down = member({ state: 'down' })

describe('a member that changes its state', () => {
  it.each<[string, JsonObject, CachedMonitor, CachedMonitor, string[]]>([
    ['by id', { monitor_ids: [MEMBER] }, member(), down, ['1 in 0']],
    ['that the group does not name', { monitor_ids: [3] }, member(), down, []],
    ['that stays as it is', { monitor_ids: [MEMBER] }, down, down, []],
    [
      'by tag, however it is written',
      { member_tags: ['Shop'] },
      member({ tags: ['a', 'SHOP'] }),
      member({ tags: ['a', 'SHOP'], state: 'down' }),
      ['1 in 0'],
    ],
    [
      'of another account',
      { monitor_ids: [MEMBER], member_tags: ['a'] },
      member({ tags: ['a'], account_id: 2 }),
      member({ tags: ['a'], account_id: 2, state: 'down' }),
      [],
    ],
  ])('has its group judged: %s', (_, settings, before, after, asked) => {
    expect(watching(group(settings)).changed(before, after)).toEqual(asked)
  })

  it('is no member of itself', () => {
    const self = group({ monitor_ids: [GROUP] })
    const { changed } = watching(self)
    const down = {
      ...self,
      record: { ...self.record, machine: member({ state: 'down' }).record.machine },
    }
    expect(changed(self, down)).toEqual([])
  })

  it('has all its groups judged, and none that the engine no longer knows', () => {
    const settings = { monitor_ids: [MEMBER] }
    const { changed, known } = watching(group(settings), group(settings, 5), group(settings, 6))
    known.delete(5)
    expect(changed(member(), down)).toEqual(['1 in 0', '6 in 0'])
  })

  it('has them judged where it is removed', () => {
    expect(watching(group({ monitor_ids: [MEMBER] })).changed(down, undefined)).toEqual(['1 in 0'])
  })
})

describe('a change of tags', () => {
  it('has the group of the tag before judged, and that of the tag after', () => {
    const { changed } = watching(group({ member_tags: ['a'] }), group({ member_tags: ['b'] }, 5))
    expect(changed(member({ tags: ['a'] }), member({ tags: ['b'] }), true)).toEqual([
      ...['1 in 0', '5 in 0'],
    ])
  })
})

describe('a group', () => {
  const settings = { monitor_ids: [MEMBER] }

  it('is judged once a second at most, whatever its members do', async () => {
    const { changed, clock } = watching(group(settings))
    expect(changed(member(), down)).toEqual(['1 in 0'])
    expect(changed(down, member())).toEqual(['1 in 1000'])
    // Asked for already.
    await clock.advance(400)
    expect(changed(member(), down)).toEqual(['1 in 600'])
    await clock.advance(600)
    expect(changed(member(), down)).toEqual(['1 in 1000'])
    await clock.advance(5000)
    expect(changed(member(), down)).toEqual(['1 in 0'])
  })

  it('is judged again after a round that may have read the states before', () => {
    const { changed, running } = watching(group(settings))
    running.add(GROUP)
    expect(changed(member(), down)).toEqual([])
    running.clear()
    const one = group(settings)
    expect(changed(one, one)).toEqual(['1 in 0'])
    expect(changed(one, one)).toEqual([])
  })

  it('that was changed follows its new members', () => {
    const { changed } = watching(group(settings))
    changed(group(settings), group({ monitor_ids: [3] }), true)
    expect(changed(member(), down)).toEqual([])
    expect(changed(member({ id: 3 }), member({ id: 3, state: 'down' }))).toEqual(['1 in 0'])
  })

  it('is followed to its members though another one of theirs is removed or changed', () => {
    const groups = [1, 5, 6].map((id) => group({ ...settings, member_tags: ['a'] }, id))
    const { changed } = watching(...groups)
    changed(groups[0]!, group({ monitor_ids: [3] }), true)
    expect(changed(member(), down)).toEqual(['5 in 0', '6 in 0'])
    changed(groups[1]!, undefined)
    const tagged = (state: MonitorState) => member({ id: 9, tags: ['A'], state })
    expect(changed(tagged('up'), tagged('down'))).toEqual(['6 in 1000'])
  })

  it('that is removed leaves no time of its last judgement', () => {
    const { changed, composites } = watching(group(settings))
    expect(changed(member(), down)).toEqual(['1 in 0'])
    changed(group(settings), undefined)
    composites.update(group(settings))
    expect(changed(down, member())).toEqual(['1 in 0'])
  })

  it('that is removed or forgotten follows none', () => {
    const removed = watching(group(settings))
    removed.changed(group(settings), undefined)
    expect(removed.changed(member(), down)).toEqual([])
    const forgotten = watching(group(settings))
    forgotten.changed(member(), down)
    forgotten.running.add(GROUP)
    forgotten.changed(down, member())
    forgotten.composites.forget(GROUP)
    expect(forgotten.changed(group(settings), group(settings))).toEqual([])
    expect(forgotten.changed(member(), down)).toEqual([])
    forgotten.running.clear()
    forgotten.composites.update(group(settings))
    expect(forgotten.changed(member(), down)).toEqual(['1 in 0'])
  })

  it('is of a composite type: another one with such settings follows nobody', () => {
    const other = { ...cachedMonitor({ id: GROUP }), settings }
    expect(watching(other).changed(member(), down)).toEqual([])
  })
})
