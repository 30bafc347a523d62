import { strict as assert } from 'node:assert'
import { T0 } from './case.ts'
import type { Case } from './case.ts'

const reply = { request_hash: 'h', status: 201, body: '{"ok":true}', expires_at: T0 + 10 }

export const replyCases: Readonly<Record<string, Case>> = {
  'a kept answer is found by account and key until it expires': async (store) => {
    await store.replies.put(1, 'k', reply)
    assert.deepEqual(await store.replies.get(1, 'k', T0 + 9), reply)
    assert.equal(await store.replies.get(1, 'k', T0 + 10), undefined)
    assert.equal(await store.replies.get(2, 'k', T0), undefined)
    assert.equal(await store.replies.get(1, 'K', T0), undefined)
  },

  'a newer answer takes the place of the older one': async (store) => {
    await store.replies.put(1, 'k', reply)
    const newer = { request_hash: 'i', status: 422, body: '', expires_at: T0 + 99 }
    await store.replies.put(1, 'k', newer)
    assert.deepEqual(await store.replies.get(1, 'k', T0 + 50), newer)
  },

  'facts are kept by name': async (store) => {
    assert.equal(await store.meta.get('alive'), undefined)
    await store.meta.set('alive', '1')
    await store.meta.set('alive', '')
    await store.meta.set('other', 'x')
    assert.equal(await store.meta.get('alive'), '')
    assert.equal(await store.meta.get('other'), 'x')
  },
}
