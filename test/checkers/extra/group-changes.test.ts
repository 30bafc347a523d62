/** Which groups are judged after a change of a monitor, and what it takes to find them among thousands. */

import { describe, expect, it } from 'vitest'
import { group } from '../../../src/checkers/extra/group.ts'
import { createComposites } from '../../../src/engine/scheduling/composites.ts'
import type { JsonObject } from '../../../src/model.ts'
import { leastOf, measureTurns } from '../../support/turns.ts'
import { rig } from '../../engine/rig.ts'

describe('a change of a monitor', () => {
  const cached = (id: number, settings: JsonObject = {}, account_id = 1) =>
    ({
      record: { id, account_id, common: { tags: [`tag ${id}`] }, machine: { state: 'up' } },
      ...{ type: { checker: group() }, settings },
    }) as never
  function groups() {
    const judged: number[] = []
    const composites = createComposites({
      clock: { now: () => 0, monotonic: () => 0 },
      monitorCache: { peek: (id) => cached(id) },
      underWay: () => false,
      onJudgementNeeded: ({ record }) => judged.push(record.id),
    })
    const judgedAfter = (id: number) => {
      composites.follow({ before: cached(id), after: undefined, change: {} } as never)
      return judged.splice(0).toSorted()
    }
    return { composites, judgedAfter }
  }

  it('has the groups of its account judged that name it, by id or tag', () => {
    const { composites, judgedAfter } = groups()
    composites.update(cached(1, { monitor_ids: [8], member_tags: ['tag 7'] }))
    composites.update(cached(2, { monitor_ids: [7], member_tags: ['tag 7'] }))
    composites.update(cached(3, { monitor_ids: [7], member_tags: ['tag 7'] }, 2))
    expect(judgedAfter(9)).toEqual([])
    expect(judgedAfter(7)).toEqual([1, 2])
    composites.update(cached(2, { monitor_ids: [8] }))
    composites.forget(1)
    expect(judgedAfter(7)).toEqual([])
    expect(judgedAfter(8)).toEqual([2])
  })

  it('does not read the members of all other groups', async () => {
    const { composites, judgedAfter } = groups()
    const monitor_ids = Array.from({ length: 200 }, (_, n) => 10_000 + n)
    for (let n = 1; n <= 2000; n++) composites.update(cached(n, { monitor_ids }))
    const changing = () => {
      let judged = 0
      for (let n = 0; n < 500; n++) judged += judgedAfter(20_000 + n).length
      return Promise.resolve(judged)
    }
    const { value, longest_ms } = await leastOf(3, () => measureTurns(changing), 20)
    expect(value).toBe(0)
    expect(longest_ms).toBeLessThan(50)
  })
})

it('two changes at once close no circle of groups, members and dependencies', async () => {
  const r = await rig({ checkers: [group as never] })
  const { monitors } = r.engine
  const scripted = { type: 'scripted', name: 'n', host: 'a.test' }
  const { id } = await monitors.create(scripted)
  const grouped = () => monitors.create({ type: 'group', name: 'g', monitor_ids: [id] })
  const [one, two] = [await grouped(), await grouped()]
  const settled = async (...calls: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map(({ status }) => status).toSorted()
  expect(
    await settled(
      monitors.update(one.id, { monitor_ids: [two.id] }),
      monitors.update(two.id, { monitor_ids: [one.id] }),
    ),
  ).toEqual(['fulfilled', 'rejected'])
  const late = { ...scripted, tags: ['late'], depends_on: [one.id] }
  expect(
    await settled(monitors.update(one.id, { member_tags: ['late'] }), monitors.create(late)),
  ).toEqual(['fulfilled', 'rejected'])
  const waiting = await monitors.create({ ...scripted, depends_on: [one.id] })
  const tagging = { action: 'tag', filter: { ids: [waiting.id] }, add_tags: ['soon'] } as const
  const [member, bulk] = await Promise.allSettled([
    monitors.update(one.id, { member_tags: ['soon'] }),
    monitors.bulk(tagging),
  ])
  expect([member.status, bulk]).toMatchObject(['fulfilled', { value: { changed: 0, failed: 1 } }])
})
