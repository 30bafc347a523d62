/** The account as REST shows it: who asks, the balance of the host, the notification log. */
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/logger.ts'
import type { KeyScope } from '../../src/model/scopes.ts'
import type { Balance } from '../../src/rest/index.ts'
import { client, idsOf, tcpMonitor } from './client.ts'

describe('GET /me', () => {
  it('shows of a key of the host what the host says of it', async () => {
    const keyOf = async (key: object) => {
      const authenticate = () => ({ account_id: 1, key: { id: 'session', ...key } })
      return (await client({ authenticate }).ask('GET', '/api/v1/me')).body.me.key as object
    }
    expect(await keyOf({})).toEqual({
      ...{ id: 'session', name: null, scopes: ['read', 'write'] },
      ...{ created_at: null, last_used_at: null },
    })
    const all = {
      ...{ name: 'Ann', scopes: ['read'] },
      ...{ created_at: '2026-01-01T00:00:00.000Z', last_used_at: '2026-01-02T00:00:00.000Z' },
    }
    expect(await keyOf(all)).toEqual({ id: 'session', ...all })
  })

  it('tells the defaults of monitors to a key that may only read monitors', async () => {
    const { ask, engine } = client()
    await engine.accounts.update(1, { monitor_defaults: { interval_sec: 300 } })
    const toldWith = async (scope: KeyScope) => {
      const { key } = await engine.keys.create({ name: 'dashboard', scopes: [scope] })
      return (await ask('GET', '/api/v1/me', { key })).body.me.monitor_defaults as unknown
    }
    expect(await toldWith('monitors:read')).toEqual({ interval_sec: 300 })
    expect(await toldWith('incidents:read')).toBeNull()
  })

  it('shows the whole requests of a minute', async () => {
    const { ask } = client({ rateLimit: { requests: 1, windowSec: 7 } })
    expect((await ask('GET', '/api/v1/me')).body.me.limits.requests_per_minute).toBe(8)
  })
})

describe('the balance', () => {
  it.each(['0', '12', '-12', '1234567890123456789.10'])('may be %s', async (amount) => {
    const { ask } = client({ balance: () => ({ amount }) })
    expect((await ask('GET', '/api/v1/balance')).body.balance).toEqual({ amount })
  })

  it.each([12.5, '', '1.', '.5', '1,5', '+1', '1e3', 'x1', '1x', '1.5.5', undefined])(
    'is not %s, which the log explains',
    async (amount) => {
      const said: unknown[] = []
      const logger = { ...silentLogger, error: ({ err }: { err?: unknown }) => void said.push(err) }
      const balance = () => ({ amount }) as Balance
      const { status } = await client({ balance, logger }).ask('GET', '/api/v1/balance')
      expect(status).toBe(500)
      expect(said).toMatchObject([
        { message: '`balance` must yield the amount as a decimal text or null' },
      ])
    },
  )
})

describe('the notification log', () => {
  async function setUp() {
    const made = client()
    const { ask, engine } = made
    await engine.start()
    const hook = { kind: 'webhook', url: 'http://127.0.0.1:9/hook', all_monitors: true }
    for (const name of ['Ops', 'Night']) await engine.contacts.create({ ...hook, name })
    for (const id of [1, 2]) {
      await made.create({ ...tcpMonitor, host: 'down.example', fail_threshold: 1 })
      await ask('POST', `/api/v1/monitors/${id}/check?wait=1`)
    }
    await expect.poll(() => made.webhooks.requests.length).toBe(4)
    const listed = async (query: string) => {
      const { body } = await ask('GET', `/api/v1/notifications?${query}`)
      return body as {
        readonly notifications: readonly { readonly id: number }[]
        readonly next_cursor: string | null
      }
    }
    return { ...made, listed }
  }

  it('is listed of a monitor, an incident or a contact, and in pages', async () => {
    const { listed } = await setUp()
    const all = idsOf((await listed('')).notifications)
    expect(all).toHaveLength(4)
    expect(all).toEqual(all.toSorted((a, b) => b - a))
    const countOf = async (query: string) => (await listed(query)).notifications.length
    expect([await countOf('monitor_id=1'), await countOf('monitor_id=9')]).toEqual([2, 0])
    expect([await countOf('incident_id=2'), await countOf('incident_id=9')]).toEqual([2, 0])
    expect(await countOf('contact_id=2&monitor_id=2')).toBe(1)
    const first = await listed('limit=3')
    const rest = await listed(`limit=3&cursor=${first.next_cursor}`)
    expect([...idsOf(first.notifications), ...idsOf(rest.notifications)]).toEqual(all)
    expect(rest.next_cursor).toBeNull()
  })

  it('sends one more of a notification for each Idempotency-Key', async () => {
    const { ask, listed } = await setUp()
    const headers = { 'Idempotency-Key': 'once' }
    const [first] = idsOf((await listed('')).notifications)
    const path = `/api/v1/notifications/${first}/resend`
    const sent = await ask('POST', path, { headers })
    expect(sent.status).toBe(202)
    expect((await ask('POST', path, { headers })).text).toBe(sent.text)
    expect((await listed('')).notifications).toHaveLength(5)
    const tested = await ask('POST', '/api/v1/contacts/1/test', {
      headers: { ...headers, 'Idempotency-Key': 'b' },
    })
    expect([tested.status, tested.body.notification.event]).toEqual([200, 'test'])
  })
})
