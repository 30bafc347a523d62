import { strict as assert } from 'node:assert'
import type { FinishedAttempt } from '../../store/store.ts'
import { claim, DAY, HOUR, ids, MINUTE, queue, stored, T0 } from './case.ts'
import type { Case } from './case.ts'

/** The next attempt of a row that was claimed once. */
function pause(id: number, due_at: number): FinishedAttempt {
  const base = { id, claim: 1, status: 'queued', attempts: 1, interruptions: 0 } as const
  return { ...base, due_at, error: null, at: T0 }
}

/** Waiting rows while the wall clock is set, on a store that one engine owns. */
export const clockCases: Readonly<Record<string, Case>> = {
  'a store that one engine has for itself follows the clock with what waits': async (store) => {
    const created_at = T0 - 10
    const [past, passed, ahead] = [
      await queue(store, { created_at, due_at: T0 - 10 }),
      await queue(store, { created_at, due_at: T0 + 10 }),
      await queue(store, { created_at, due_at: T0 + MINUTE }),
    ]
    await claim(store, { now: T0 - 10, lease_until: T0 + 10 })
    await store.clockSet?.({ by_ms: 1000, after: T0, before: T0 + MINUTE })
    const waiting = await Promise.all([past, passed, ahead].map(({ id }) => stored(store, id)))
    assert.deepEqual(
      waiting.map(({ due_at, lease_until }) => [due_at, lease_until]),
      [
        [T0 - 10, T0 + 1010],
        [T0 + 1010, null],
        [T0 + MINUTE, null],
      ],
    )
    await store.clockSet?.({ by_ms: -1000, after: T0 + 1000, before: Infinity })
    assert.equal((await stored(store, ahead.id)).due_at, T0 + MINUTE - 1000)
  },

  'a clock that was set moves what lies between the times, with when it was made': async (
    store,
  ) => {
    const set_at = T0 - MINUTE
    const due = (due_at: number, created_at = set_at) => queue(store, { created_at, due_at })
    const at_after = await due(T0)
    const moved = await due(T0 + 1)
    const at_before = await due(T0 + HOUR)
    const made_ahead = await due(T0 + 2, set_at + 1)
    await store.clockSet?.({ by_ms: -MINUTE, after: T0, before: T0 + HOUR })
    const rows = [at_after, moved, at_before, made_ahead].map(({ id }) => stored(store, id))
    assert.deepEqual(
      (await Promise.all(rows)).map(({ due_at, created_at }) => [due_at, created_at]),
      [
        [T0, set_at],
        [T0 + 1 - MINUTE, set_at],
        [T0 + HOUR, set_at],
        [T0 + 2 - MINUTE, set_at + 1 - MINUTE],
      ],
    )
  },

  'what waits is not put off, nor sent early, by a claim after the clock was set back': async (
    store,
  ) => {
    const [tried, delayed] = [await queue(store), await queue(store, { due_at: T0 + 5 * MINUTE })]
    await claim(store, { lease_until: T0 + MINUTE })
    await store.clockSet?.({ by_ms: -MINUTE, after: T0, before: Infinity })
    assert.ok(await store.notifications.finish(pause(tried.id, T0 + MINUTE)))
    assert.deepEqual(await claim(store, { now: T0 - MINUTE }), [])
    assert.equal((await stored(store, tried.id)).due_at, T0 + MINUTE)
    assert.equal((await stored(store, delayed.id)).due_at, T0 + 4 * MINUTE)
  },
}

export const redatedCases: Readonly<Record<string, Case>> = {
  'a row dated ahead of the clock waits from the next claim on, as long as it was to wait': async (
    store,
  ) => {
    const ahead = { created_at: T0 + DAY, due_at: T0 + DAY }
    const first = await queue(store, ahead)
    const delayed = await queue(store, { ...ahead, due_at: T0 + DAY + MINUTE })
    const later = await queue(store, { due_at: T0 + DAY })
    const [taken, ...others] = await claim(store)
    assert.deepEqual([taken?.id, taken?.created_at, taken?.due_at], [first.id, T0, T0])
    assert.deepEqual(others, [])
    assert.equal(await store.notifications.nextDue(), T0 + 30_000)
    await store.notifications.finish(pause(first.id, T0 + DAY))
    assert.deepEqual(await claim(store, { now: T0 + MINUTE - 1 }), [])
    assert.deepEqual(ids(await claim(store, { now: T0 + MINUTE })), [delayed.id])
    assert.equal((await stored(store, later.id)).due_at, T0 + DAY)
  },

  'a claim that reaches the store late leaves alone what was queued meanwhile': async (store) => {
    const { id } = await queue(store, { created_at: T0 + MINUTE, due_at: T0 + 2 * MINUTE })
    assert.deepEqual(await claim(store, { now: T0 }), [])
    const { created_at, due_at } = await stored(store, id)
    assert.deepEqual([created_at, due_at], [T0 + MINUTE, T0 + 2 * MINUTE])
  },

  'a pause of a row dated ahead of the clock is kept': async (store) => {
    const { id } = await queue(store, { created_at: T0 + 5, due_at: T0 + 5 })
    await claim(store, { now: T0 + 5 })
    assert.ok(await store.notifications.finish(pause(id, T0 + 2)))
    assert.deepEqual(await claim(store, { now: T0 + 1 }), [])
    assert.deepEqual(ids(await claim(store, { now: T0 + 2 })), [id])
  },
}
