/** Which attempts run in this process, and how many of them count. */
import { expect, it } from 'vitest'
import { createAttemptsUnderWay } from '../../src/engine/delivery/attempts-under-way.ts'
import type { NotificationRecord } from '../../src/model.ts'

const row = (id: number, claims = 1) =>
  ({ id, claims, attempts: claims - 1, interruptions: claims === 1 ? 0 : 1 }) as NotificationRecord

/** Attempts that run until the test ends them. */
function underWay(...ids: readonly number[]) {
  const attempts = createAttemptsUnderWay()
  const ends = new Map<number, () => void>()
  const begin = (id: number, claims?: number, joins?: boolean) =>
    attempts.begin(row(id, claims), () => new Promise((resolve) => ends.set(id, resolve)), joins)
  for (const id of ids) begin(id)
  return {
    ...{ attempts, begin, ends },
    counts: () => [attempts.size, attempts.busy],
    async end(id: number) {
      ends.get(id)?.()
      await Promise.resolve()
      await Promise.resolve()
    },
  }
}

it('counts each until it ends', async () => {
  const { counts, end } = underWay(1, 2)
  expect(counts()).toEqual([2, 2])
  await end(1)
  expect(counts()).toEqual([1, 1])
  await end(2)
  expect(counts()).toEqual([0, 0])
})

it('knows the last claim of a row while its attempt runs, which goes on under a new one', async () => {
  const { attempts, begin, counts, end, ends } = underWay(1)
  const first = ends.get(1)
  begin(1, 2)
  expect([attempts.claimOf(1), attempts.claimOf(2)]).toEqual([2, 0])
  expect(counts()).toEqual([1, 1])
  // No second attempt began.
  expect(ends.get(1)).toBe(first)
  await end(1)
  expect(attempts.claimOf(1)).toBe(0)
})

it('ends an attempt under the last claim, with no fewer attempts than the store has counted by then', () => {
  const { attempts, begin } = underWay(1, 2)
  const end = { id: 1, attempts: 1, interruptions: 3 }
  expect(attempts.underClaim(end)).toEqual({ ...end, claim: 1 })
  begin(1, 3)
  expect(attempts.underClaim(end)).toEqual({ ...end, claim: 3, attempts: 2 })
  expect(attempts.underClaim({ id: 1, attempts: 4, interruptions: 0 })).toEqual({
    ...{ id: 1, claim: 3, attempts: 4, interruptions: 1 },
  })
  expect(attempts.underClaim({ ...end, id: 2 })).toEqual({ ...end, id: 2, claim: 1 })
  expect(attempts.underClaim({ ...end, id: 9 })).toEqual({ ...end, id: 9, claim: 0 })
})

it('does not count one that waits for a slow receiver among the busy ones', async () => {
  const { attempts, counts, end } = underWay(1, 2, 3)
  attempts.markSlow([row(1), row(2), row(9)])
  attempts.markSlow([row(1)])
  expect(counts()).toEqual([3, 1])
  await end(1)
  expect(counts()).toEqual([2, 1])
  await end(3)
  expect(counts()).toEqual([1, 0])
  await end(2)
  expect(counts()).toEqual([0, 0])
})

it('does not take an attempt under a later claim for one that waits', () => {
  const { attempts, begin, counts } = underWay(1)
  begin(1, 2)
  attempts.markSlow([row(1, 1)])
  expect(counts()).toEqual([1, 1])
  attempts.markSlow([row(1, 2)])
  expect(counts()).toEqual([1, 0])
})

it('counts rows that go out together as one message', async () => {
  const { attempts, begin, end } = underWay(1)
  begin(2, 1, true)
  begin(3)
  const counts = () => [attempts.size, attempts.busySize, attempts.rows, attempts.busy]
  expect(counts()).toEqual([2, 2, 3, 3])
  attempts.markSlow([row(1), row(2)])
  expect(counts()).toEqual([2, 1, 3, 1])
  await end(1)
  expect(counts()).toEqual([1, 1, 2, 1])
  await end(2)
  expect(counts()).toEqual([1, 1, 1, 1])
  await end(3)
  expect(counts()).toEqual([0, 0, 0, 0])
})

it('has ended when none is left, those included that began meanwhile', async () => {
  const { attempts, begin, end } = underWay(1)
  let isOver = false
  const over = attempts.ended().then(() => (isOver = true))
  begin(2)
  await end(1)
  await new Promise((resolve) => void setImmediate(resolve))
  expect(isOver).toBe(false)
  await end(2)
  await over
  await createAttemptsUnderWay().ended()
})
