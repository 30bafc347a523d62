/**
 * The members that only shared stores have: shards, change broadcasts, a common count of requests, idempotency locks.
 *
 * @module
 */

import { strict as assert } from 'node:assert'
import type { FullStore } from '../../store/store.ts'
import {
  anotherAccount,
  commitOne,
  machine,
  MINUTE,
  monitor,
  notice,
  on,
  result,
  T0,
} from './case.ts'

/** `beside` opens another store on the same data; it is closed when the case ends. */
export type SharedCase = (store: FullStore, beside: () => Promise<FullStore>) => Promise<void>

export function shardCases(): Record<string, SharedCase> {
  const every = Array.from({ length: 256 }, (_, index) => index)
  const beat = (now: number) => ({ now, until: now + 15_000 })
  /** Two beats per engine, so that released shards reach the others; no shard may have two owners. */
  const settled = async (now: number, engines: readonly (readonly [FullStore, string])[]) => {
    let shares: (readonly number[])[] = []
    for (let turn = 0; turn < 2; turn++) {
      shares = []
      for (const [store, owner] of engines) {
        shares.push((await store.shards?.hold({ owner, ...beat(now) })) ?? [])
      }
    }
    assert.deepEqual(
      shares.flat().toSorted((a, b) => a - b),
      every,
    )
    return shares.map(({ length }) => length)
  }
  return {
    'a lone engine holds every shard, beat by beat': async (store) => {
      assert.deepEqual(await store.shards?.hold({ owner: 'a', ...beat(T0) }), every)
      assert.deepEqual(await store.shards?.hold({ owner: 'a', ...beat(T0 + 5000) }), every)
    },

    'engines that join and leave have fair shares, and no shard has two': async (store, beside) => {
      const other = await beside()
      assert.deepEqual(await settled(T0, [[store, 'a']]), [256])
      const two = [[store, 'a'] as const, [other, 'b'] as const]
      assert.deepEqual(await settled(T0, two), [128, 128])
      const three = [...two, [other, 'c'] as const]
      const shares = await settled(T0, three)
      assert.ok(Math.max(...shares) <= 86, `shares are ${shares.join()}`)
      await store.shards?.release('a')
      assert.deepEqual(await settled(T0, three.slice(1)), [128, 128])
    },

    'an engine keeps what it has while others come and go, as far as that is fair': async (
      store,
      beside,
    ) => {
      const { shards } = await beside()
      await store.shards?.hold({ owner: 'a', ...beat(T0) })
      await shards?.hold({ owner: 'b', ...beat(T0) })
      const half = (await store.shards?.hold({ owner: 'a', ...beat(T0) })) ?? []
      await shards?.hold({ owner: 'b', ...beat(T0) })
      assert.deepEqual(await store.shards?.hold({ owner: 'a', ...beat(T0 + 1) }), half)
      await shards?.release('b')
      const all = (await store.shards?.hold({ owner: 'a', ...beat(T0 + 2) })) ?? []
      assert.ok(half.every((shard) => all.includes(shard)))
    },

    'the shards of an engine that is heard of no more are taken when it lapses': async (
      store,
      beside,
    ) => {
      const other = await beside()
      await settled(T0, [
        [store, 'a'],
        [other, 'b'],
      ])
      const before = await other.shards?.hold({ owner: 'b', ...beat(T0 + 14_999) })
      assert.equal(before?.length, 128)
      assert.deepEqual(await other.shards?.hold({ owner: 'b', ...beat(T0 + 15_000) }), every)
      // An engine that returns starts with the free shards.
      assert.deepEqual(await store.shards?.hold({ owner: 'a', ...beat(T0 + 15_001) }), [])
    },

    'the shards of an engine whose clock was hours ahead are taken once the others have the right time':
      async (store, beside) => {
        const other = await beside()
        const hours = 6 * 60 * MINUTE
        await settled(T0 + hours, [
          [store, 'a'],
          [other, 'b'],
        ])
        const after = await other.shards?.hold({ owner: 'b', ...beat(T0) })
        assert.deepEqual(after, every)
        // One that is a minute ahead is alive.
        await store.shards?.release('b')
        await store.shards?.hold({ owner: 'a', ...beat(T0 + MINUTE) })
        assert.deepEqual(await other.shards?.hold({ owner: 'b', ...beat(T0) }), [])
      },

    'beats at the same time hand out no shard twice': async (store, beside) => {
      const stores = [store, await beside()]
      for (let round = 0; round < 5; round++) {
        const owners = ['a', 'b', 'c', 'd'].slice(0, 2 + (round % 3))
        const shares = await Promise.all(
          owners.map(async (owner, index) =>
            stores[index % 2]?.shards?.hold({ owner, ...beat(T0 + round * 20_000) }),
          ),
        )
        const held = shares.flatMap((share) => share ?? [])
        // An engine whose beat preceded the others' still owns what it releases at its next beat.
        await settled(
          T0 + round * 20_000,
          owners.map((owner) => [store, owner]),
        )
        assert.ok(held.length >= every.length)
      }
    },
  }
}

/** Collects what a store broadcasts, with a promise that resolves when a monitor was reported. */
async function hearing(store: FullStore) {
  const heard: (number | null)[] = []
  const waiting = new Map<number, () => void>()
  const stop = await store.changes?.listen((monitor_id) => {
    heard.push(monitor_id)
    if (monitor_id !== null) waiting.get(monitor_id)?.()
  })
  const until = (monitor_id: number): Promise<void> =>
    new Promise((resolve) => {
      if (heard.includes(monitor_id)) resolve()
      else waiting.set(monitor_id, resolve)
    })
  return { heard, until, stop: async () => stop?.() }
}

export function newsCases(): Record<string, SharedCase> {
  return {
    'what users do to monitors is heard by every store, and in order': async (store, beside) => {
      const other = await beside()
      const there = await hearing(other)
      const here = await hearing(store)
      const made = await store.monitors.create(monitor())
      const { common, settings, target } = made
      await commitOne(store, on(made, { settings: { common, settings, target } }))
      await commitOne(other, on(made, { token: { token: 't', token_hash: 'h' } }))
      await commitOne(store, on(made, { machine: machine({ state: 'paused' }) }))
      await commitOne(store, on(made, { machine: machine({ state: 'pending' }) }))
      await commitOne(store, on(made, { remove: true }))
      const last = await other.monitors.create(monitor())
      await Promise.all([there.until(last.id), here.until(last.id)])
      const expected = [...Array.from({ length: 6 }, () => made.id), last.id]
      assert.deepEqual(there.heard, expected)
      assert.deepEqual(here.heard, expected)
      await Promise.all([there.stop(), here.stop()])
    },

    'rounds are no news, nor are changes that were refused': async (store, beside) => {
      const made = await store.monitors.create(monitor())
      const there = await hearing(await beside())
      const { common, settings, target } = made
      await commitOne(store, on(made, { results: [result()], machine: machine({ state: 'up' }) }))
      await commitOne(store, on(made, { machine: machine({ state: 'down' }), notify: [notice()] }))
      await store.commit([on(made, { settings: { common, settings, target } })])
      const last = await store.monitors.create(monitor())
      await there.until(last.id)
      assert.deepEqual(there.heard, [last.id])
      await there.stop()
    },

    'who has stopped listening hears nothing more': async (store, beside) => {
      const other = await beside()
      const first = await hearing(other)
      const second = await hearing(other)
      await first.stop()
      const made = await store.monitors.create(monitor())
      await second.until(made.id)
      assert.deepEqual(first.heard, [])
      await second.stop()
      // A store can listen again.
      const third = await hearing(other)
      const next = await store.monitors.create(monitor())
      await third.until(next.id)
      assert.deepEqual(second.heard, [made.id])
      await third.stop()
    },
  }
}

export function requestCases(): Record<string, SharedCase> {
  const window = { window_ms: MINUTE, limit: 7 }
  return {
    'a key has as many requests in any window as allowed, over all stores': async (
      store,
      beside,
    ) => {
      const stores = [store, await beside()]
      const asked = Array.from({ length: 20 }, async (_, index) =>
        stores[index % 2]?.requests?.admit({ key_id: 1, now: T0 + index, ...window }),
      )
      const answers = await Promise.all(asked)
      assert.equal(answers.filter((answer) => answer?.admitted).length, 7)
      const other_key = await store.requests?.admit({ key_id: 2, now: T0, ...window })
      assert.deepEqual(other_key, { admitted: true, remaining: 6, retry_at: null })
    },

    'the window slides: each request makes room when it leaves': async (store) => {
      const { requests } = store
      if (requests === undefined) return
      const admit = (now: number) => requests.admit({ key_id: 1, now, ...window })
      for (let index = 0; index < 6; index++) await admit(T0 + index * 1000)
      assert.deepEqual(await admit(T0 + 6000), {
        admitted: true,
        remaining: 0,
        retry_at: T0 + MINUTE,
      })
      const refused = { admitted: false, remaining: 0, retry_at: T0 + MINUTE }
      assert.deepEqual(await admit(T0 + MINUTE - 1), refused)
      const next = { admitted: true, remaining: 0, retry_at: T0 + MINUTE + 1000 }
      assert.deepEqual(await admit(T0 + MINUTE), next)
      assert.equal((await admit(T0 + MINUTE + 999)).admitted, false)
      const later = await admit(T0 + 3 * MINUTE)
      assert.deepEqual(later, { admitted: true, remaining: 6, retry_at: null })
    },
  }
}

export function idempotencyLockCases(): Record<string, SharedCase> {
  const lock = { account_id: 1, key: 'k', now: T0, until: T0 + 10 }
  return {
    'of many who want the same lock one has it, until it ends or lapses': async (store, beside) => {
      const stores = [store, await beside()]
      const asked = Array.from({ length: 10 }, async (_, index) =>
        stores[index % 2]?.idempotencyLocks?.acquire({ ...lock, owner: `${index}` }),
      )
      const answers = await Promise.all(asked)
      assert.equal(answers.filter(Boolean).length, 1)
      assert.equal(
        await store.idempotencyLocks?.acquire({ ...lock, owner: 'x', now: T0 + 9 }),
        false,
      )
      const owner = `${answers.indexOf(true)}`
      await stores[1]?.idempotencyLocks?.release({ ...lock, owner })
      assert.equal(await store.idempotencyLocks?.acquire({ ...lock, owner: 'x' }), true)
      // The lock expires, and its former owner cannot end the next one's.
      const next = { ...lock, owner: 'y', now: T0 + 10, until: T0 + 20 }
      assert.equal(await store.idempotencyLocks?.acquire(next), true)
      await store.idempotencyLocks?.release({ ...lock, owner: 'x' })
      assert.equal(await store.idempotencyLocks?.acquire({ ...next, owner: 'z' }), false)
    },

    'locks of other keys and accounts are others': async (store) => {
      for (const other of [{}, { key: 'K' }, { account_id: 2 }])
        assert.equal(await store.idempotencyLocks?.acquire({ ...lock, owner: 'x', ...other }), true)
    },
  }
}

export function removalNewsCases(): Record<string, SharedCase> {
  return {
    'the monitors of an account that was removed are heard of': async (store, beside) => {
      const other = await beside()
      const account_id = await anotherAccount(store)
      const gone = await store.monitors.create(monitor({ account_id }))
      const stays = await store.monitors.create(monitor())
      const there = await hearing(other)
      await store.accounts.remove(account_id, 99)
      const last = await store.monitors.create(monitor())
      await there.until(last.id)
      assert.ok(there.heard.includes(gone.id))
      assert.ok(!there.heard.includes(stays.id))
      await there.stop()
    },
  }
}
