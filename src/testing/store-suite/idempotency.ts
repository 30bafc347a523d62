import { strict as assert } from 'node:assert'
import { anotherAccount, T0 } from './case.ts'
import type { Case } from './case.ts'

const response = { request_hash: 'h', status: 201, body: '{"ok":true}', expires_at: T0 + 10 }

export const idempotencyResponseCases: Readonly<Record<string, Case>> = {
  'a kept answer is found by account and key until it expires': async (store) => {
    await store.idempotencyResponses.put(1, 'k', response)
    assert.deepEqual(await store.idempotencyResponses.get(1, 'k', T0 + 9), response)
    assert.equal(await store.idempotencyResponses.get(1, 'k', T0 + 10), undefined)
    assert.equal(await store.idempotencyResponses.get(2, 'k', T0), undefined)
    assert.equal(await store.idempotencyResponses.get(1, 'K', T0), undefined)
  },

  'a newer answer takes the place of the older one': async (store) => {
    await store.idempotencyResponses.put(1, 'k', response)
    const newer = { request_hash: 'i', status: 422, body: '', expires_at: T0 + 99 }
    await store.idempotencyResponses.put(1, 'k', newer)
    assert.deepEqual(await store.idempotencyResponses.get(1, 'k', T0 + 50), newer)
  },

  'of the answers of an account no more are kept than it may have, those that expire last': async (
    store,
  ) => {
    const account_id = await anotherAccount(store)
    await store.idempotencyResponses.put(account_id, 'a', response)
    const put = (key: string, wait: number, body: string, most = { count: 3, bytes: 100 }) =>
      store.idempotencyResponses.put(1, key, { ...response, body, expires_at: T0 + wait }, most)
    const kept = async (): Promise<string[]> => {
      const keys = ['a', 'b', 'c', 'd', 'e', 'f']
      const found = await Promise.all(keys.map((key) => store.idempotencyResponses.get(1, key, T0)))
      return keys.filter((_, index) => found[index] !== undefined)
    }
    await put('b', 20, 'x')
    await put('a', 10, 'x')
    await put('c', 30, 'x')
    assert.deepEqual(await kept(), ['a', 'b', 'c'])
    // The one that was put second expires first.
    await put('d', 50, 'x')
    assert.deepEqual(await kept(), ['b', 'c', 'd'])
    await put('a', 40, 'y')
    assert.deepEqual(await kept(), ['a', 'c', 'd'])
    await put('b', 20, 'x', { count: 4, bytes: 100 })
    await put('d', 1, 'x', { count: 4, bytes: 100 })
    await put('c', 30, 'x')
    assert.deepEqual(await kept(), ['a', 'b', 'c'])
    await put('a', 40, 'y')
    assert.deepEqual(await kept(), ['a', 'b', 'c'])
    await put('d', 50, 'x')
    assert.deepEqual(await kept(), ['a', 'c', 'd'])
    // 49 letters of two bytes each.
    await put('e', 60, 'ä'.repeat(49))
    assert.deepEqual(await kept(), ['a', 'd', 'e'])
    await put('e', 70, 'ä'.repeat(50))
    assert.deepEqual(await kept(), ['e'])
    // The newest response stays, whatever its size.
    await put('f', 5, 'z'.repeat(101))
    assert.deepEqual(await kept(), ['f'])
    assert.notEqual(await store.idempotencyResponses.get(account_id, 'a', T0), undefined)
  },

  'answers far beyond what an account may have go at once, but for those that expire last': async (
    store,
  ) => {
    const keys = Array.from({ length: 250 }, (_, at) => `k${at}`)
    for (const [at, key] of keys.entries())
      await store.idempotencyResponses.put(1, key, { ...response, expires_at: T0 + at + 1 })
    const most = { count: 3, bytes: 1e6 }
    await store.idempotencyResponses.put(1, 'new', { ...response, expires_at: T0 + 5 }, most)
    const found = await Promise.all(
      [...keys, 'new'].map((key) => store.idempotencyResponses.get(1, key, T0)),
    )
    assert.deepEqual(
      [...keys, 'new'].filter((_, at) => found[at] !== undefined),
      ['k248', 'k249', 'new'],
    )
  },
}

export const metaCases: Readonly<Record<string, Case>> = {
  'facts are kept by name': async (store) => {
    assert.equal(await store.meta.get('alive'), undefined)
    await store.meta.set('alive', '1')
    await store.meta.set('alive', '')
    await store.meta.set('other', 'x')
    assert.equal(await store.meta.get('alive'), '')
    assert.equal(await store.meta.get('other'), 'x')
  },
}
