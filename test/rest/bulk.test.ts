import { describe, expect, it } from 'vitest'
import { client, tcpMonitor } from './client.ts'
import { OTHER_KEY } from './service.ts'

const PATH = '/api/v1/monitors/bulk'

async function three(options: Parameters<typeof client>[0] = {}) {
  const made = client(options)
  for (const tags of [['a'], ['a', 'b'], ['c']]) await made.create({ ...tcpMonitor, tags })
  return made
}

describe('POST /monitors/bulk', () => {
  it('changes what the filter matches, and says how many', async () => {
    const { ask } = await three()
    const body = { action: 'pause', filter: { tag: ['a'], type: ['tcp'] } }
    const answer = await ask('POST', PATH, { body })
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ok: true,
        bulk: { matched: 2, changed: 2, unchanged: 0, failed: 0, failures: [] },
        next_cursor: null,
      },
    ])
    const paused = await ask('GET', '/api/v1/monitors?status=paused')
    expect(paused.body.monitors).toHaveLength(2)
  })

  it('names what was refused', async () => {
    const { ask } = await three()
    const body = { action: 'remove', filter: { ids: [3, 77] } }
    const { bulk } = (await ask('POST', PATH, { body })).body
    expect(bulk).toMatchObject({ matched: 2, changed: 1, failed: 1 })
    expect(bulk.failures).toMatchObject([{ monitor_id: 77, error: 'not_found' }])
  })

  it('continues at a cursor', async () => {
    const { ask } = await three()
    const body = { action: 'tag', add_tags: ['x'], filter: { all: true }, limit: 2 }
    const first = (await ask('POST', PATH, { body })).body
    expect([first.bulk.matched, typeof first.next_cursor]).toEqual([2, 'string'])
    const rest = { ...body, cursor: first.next_cursor as string }
    const second = (await ask('POST', PATH, { body: rest })).body
    expect([second.bulk.changed, second.next_cursor]).toEqual([1, null])
  })

  it('takes effect once for one Idempotency-Key', async () => {
    const { ask } = await three()
    const asked = {
      body: { action: 'pause', filter: { all: true } },
      headers: { 'Idempotency-Key': 'once' },
    }
    const first = await ask('POST', PATH, asked)
    expect((await ask('POST', PATH, asked)).body).toEqual(first.body)
    expect(first.body.bulk.changed).toBe(3)
  })

  it.each([
    [{ action: 'remove' }, 'filter'],
    [{ action: 'remove', filter: {} }, 'filter'],
    [{ action: 'remove', filter: { all: true }, after: 2 }, 'after'],
    [{ action: 'remove', filter: { all: true }, cursor: 'x' }, 'cursor'],
  ])('refuses %j with 422', async (body, field) => {
    const { ask } = await three()
    const { status, body: answer } = await ask('POST', PATH, { body })
    expect([status, Object.keys(answer.fields)]).toEqual([422, [field]])
  })

  it('reaches no other account', async () => {
    const { ask } = await three()
    const body = { action: 'remove', filter: { all: true } }
    const { bulk } = (await ask('POST', PATH, { body, key: OTHER_KEY })).body
    expect(bulk.matched).toBe(0)
  })

  it('admits thirty bulk checks in a minute', async () => {
    const { ask, engine } = await three({ rateLimit: { requests: 100 } })
    await engine.start()
    const body = { action: 'check', filter: { ids: [1] } }
    for (let n = 0; n < 30; n++) expect((await ask('POST', PATH, { body })).status).toBe(200)
    const { status, body: refused } = await ask('POST', PATH, { body })
    expect([status, refused.error]).toEqual([429, 'check_too_soon'])
  })

  it('uses up none of them for a key that may not check', async () => {
    const { ask, engine } = await three({ rateLimit: { requests: 100 } })
    await engine.start()
    const key = 'a-key-that-may-only-write'
    await engine.keys.create({ key, scopes: ['monitors:write'] })
    const body = { action: 'check', filter: { tag: ['nowhere'] } }
    const answers = new Set<number>()
    for (let n = 0; n < 31; n++) answers.add((await ask('POST', PATH, { body, key })).status)
    expect([...answers]).toEqual([403])
  })

  it('answers 409 for checks where the engine does not run', async () => {
    const { ask } = await three()
    const { status, body } = await ask('POST', PATH, {
      body: { action: 'check', filter: { all: true } },
    })
    expect([status, body.error]).toEqual([409, 'not_running'])
  })
})
