/** A failure that waits for its parent: which of the two is checked, and when. */
import { describe, expect, it } from 'vitest'
import { createDependencies } from '../../src/engine/scheduling/dependencies.ts'
import type { CachedMonitor, Changed } from '../../src/engine/monitors/cached-monitor.ts'
import type { MachineState, Suppression } from '../../src/model.ts'
import { cachedMonitor, NOON } from './cached-monitor.ts'

const PARENT = 1
const CHILD = 2

const because = (by: number | null): Suppression => ({ reason: 'dependency', by, rounds: 0 })
const child = (suppression?: Suppression, id = CHILD) =>
  cachedMonitor({
    id,
    common: { depends_on: [PARENT] },
    machine: {
      state: 'down',
      incident: {
        ...{ id: 7, started_at: NOON, cause_code: 'timeout' },
        ...(suppression === undefined ? {} : { suppression }),
      },
    },
  })
const parent = (machine: Partial<MachineState>) => cachedMonitor({ id: PARENT, machine })
const unlooked = parent({ state: 'up', last_round_at: NOON - 1 })

function dependent(...monitors: readonly CachedMonitor[]) {
  const known = new Map(monitors.map((each) => [each.record.id, each]))
  const checked: number[] = []
  const dependencies = createDependencies({
    monitorCache: { peek: (id: number) => known.get(id) } as never,
    onCheckNeeded: ({ record }) => void checked.push(record.id),
  })
  for (const each of monitors) dependencies.update(each)
  return {
    ...{ dependencies, known },
    /** Which monitors are checked after a round of this one, or another change of it. */
    after(
      monitor: CachedMonitor | undefined,
      change: Partial<Changed['change']> = { results: [] },
    ) {
      const before = monitor ?? child()
      dependencies.follow({ before, after: monitor, change } as unknown as Changed)
      return checked.splice(0)
    },
  }
}

describe('a failure that waits for its parent', () => {
  it.each<[string, CachedMonitor, number[]]>([
    ['has not been checked since it began', unlooked, [PARENT]],
    ['was never checked', parent({ last_round_at: null }), [PARENT]],
    ['was checked since', parent({ last_round_at: NOON }), []],
    ['is known to be the cause', unlooked, []],
  ])('has it checked where it %s', (what, one, checked) => {
    const waiting = child(because(what === 'is known to be the cause' ? PARENT : null))
    expect(dependent(one, waiting).after(waiting)).toEqual(checked)
  })

  it('has no check of a parent that this engine does not run', () => {
    const waiting = child(because(null))
    expect(dependent(waiting).after(waiting)).toEqual([])
  })

  it.each<[string, CachedMonitor]>([
    ['flaps', child({ reason: 'flapping', by: null, rounds: 0 })],
    ['is told already', child()],
  ])('is none where it %s', (_, failing) => {
    const { after } = dependent(unlooked, failing)
    expect(after(failing)).toEqual([])
    expect(after(parent({ state: 'up' }))).toEqual([])
  })

  it('is followed from the rounds, and from no other change', () => {
    const waiting = child(because(null))
    const { after } = dependent(unlooked, waiting)
    expect(after(waiting, {})).toEqual([])
    expect(after(parent({ state: 'up' }), {})).toEqual([])
  })
})

describe('a parent that is up', () => {
  it('has the children checked that wait for it, and nobody else', () => {
    const stranger = cachedMonitor({
      id: 4,
      common: { depends_on: [9] },
      machine: child(because(null)).record.machine,
    })
    const all = [
      unlooked,
      child(because(PARENT)),
      child(because(null), 3),
      stranger,
      child(undefined, 5),
    ]
    const { after } = dependent(...all)
    expect(after(parent({ state: 'up' }))).toEqual([CHILD, 3])
    expect(after(parent({ state: 'down' }))).toEqual([])
    expect(after(parent({ state: 'confirming' }))).toEqual([])
  })

  it('does not where the child no longer waits, was removed, or runs elsewhere', () => {
    const up = parent({ state: 'up' })
    const one = dependent(unlooked, child(because(null)))
    one.after(child())
    expect(one.after(up)).toEqual([])
    const removed = dependent(unlooked, child(because(null)))
    removed.after(undefined)
    expect(removed.after(up)).toEqual([])
    const released = dependent(unlooked, child(because(null)))
    released.dependencies.forget(CHILD)
    expect(released.after(up)).toEqual([])
    const elsewhere = dependent(unlooked, child(because(null)))
    elsewhere.known.delete(CHILD)
    expect(elsewhere.after(up)).toEqual([])
  })

  it('has the others checked where one of its children waits no longer', () => {
    const { after, dependencies } = dependent(
      ...[unlooked, child(because(null)), child(because(null), 3), child(because(null), 5)],
    )
    after(child())
    expect(after(parent({ state: 'up' }))).toEqual([3, 5])
    dependencies.forget(3)
    expect(after(parent({ state: 'up' }))).toEqual([5])
  })

  it('is one of those that the child has now, with all that the child waits for', () => {
    const { after, known } = dependent(child(because(null)))
    const moved = { ...child(because(null)), record: { ...child(because(null)).record } }
    const common = { ...moved.record.common, depends_on: [8, 9] }
    const now = { ...moved, record: { ...moved.record, common } }
    known.set(CHILD, now)
    after(now)
    const up = (id: number) => after(cachedMonitor({ id, machine: { state: 'up' } }))
    expect([PARENT, 8, 9].map(up)).toEqual([[], [CHILD], [CHILD]])
  })
})
