/** What a stranger may do to a server as it is served: wrong keys, forged addresses, names inside. */
import { describe, expect, it } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import type { Server } from '../support/command-line.ts'

const watchpost = commandLine()

const WRONG = 'a-key-that-is-not-there'

/** One wrong or right key at each door: REST, figures, sign-in (where 303 is the way in). */
const DOORS: Readonly<
  Record<string, (server: Server, key: string, from: string | undefined) => Promise<number>>
> = {
  '/api/v1/me': (server, key, from) => bearer(server, '/api/v1/me', { key, from }),
  '/metrics': (server, key, from) => bearer(server, '/metrics', { key, from }),
  async '/sign-in'(server, key, from) {
    const response = await fetch(`${server.url}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ key }),
      redirect: 'manual',
      headers: { Origin: server.url, ...forwarded(from) },
    })
    await response.arrayBuffer()
    return response.status === 303 ? 200 : response.status
  },
}

async function bearer(
  server: Server,
  path: string,
  { key, from }: { readonly key: string; readonly from: string | undefined },
): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, ...forwarded(from) }
  const response = await fetch(server.url + path, { headers })
  await response.arrayBuffer()
  return response.status
}

function forwarded(from: string | undefined): Record<string, string> {
  return from === undefined ? {} : { 'X-Forwarded-For': from }
}

/** How often each status came. */
async function tally(times: number, ask: (n: number) => Promise<number>) {
  const seen: Record<number, number> = {}
  for (let n = 0; n < times; n++) {
    const status = await ask(n)
    seen[status] = (seen[status] ?? 0) + 1
  }
  return seen
}

const LIMITED = { 401: 20, 429: 5 }
const STRANGER = '198.51.100.66'
const OTHER = '203.0.113.7'

describe.each(Object.entries(DOORS))('wrong keys at %s', (_path, door) => {
  it('behind a trusted proxy lock out nobody but who sent them', async () => {
    const server = await watchpost.serve({ env: { WATCHPOST_TRUST_PROXY: 'loopback' } })
    expect(await tally(25, () => door(server, WRONG, STRANGER))).toEqual(LIMITED)
    expect(await door(server, WRONG, OTHER)).toBe(401)
    expect(await door(server, server.key, OTHER)).toBe(200)
    // What the client wrote stands before what the proxy added.
    const forged = (n: number) => door(server, WRONG, `192.0.2.${n}, 198.51.100.67`)
    expect(await tally(25, forged)).toEqual(LIMITED)
  })

  it.each([{}, { WATCHPOST_TRUST_PROXY: '10.0.0.0/8' }])(
    'with forged addresses from nobody trusted count as one, %j',
    async (env) => {
      const server = await watchpost.serve({ env })
      expect(await tally(25, (n) => door(server, WRONG, `192.0.2.${n}`))).toEqual(LIMITED)
      expect(await door(server, server.key, undefined)).toBe(200)
    },
  )
})

describe('with WATCHPOST_TARGETS=public', () => {
  it.each([
    { dns_name: 'vault.internal' },
    { dns_name: 'printer.lan', rrtype: 'TXT' },
    { dns_name: '10.0.0.1', rrtype: 'PTR' },
    { dns_name: '1.0.168.192.in-addr.arpa', rrtype: 'PTR' },
    { dns_name: 'd.f.ip6.arpa', rrtype: 'NS' },
  ])('a dns check of %j is refused, and no resolver of ours is named', async (asked) => {
    const server = await watchpost.serve({ env: { WATCHPOST_TARGETS: 'public' } })
    const body = { type: 'dns', name: 'Inside', ...asked }
    const made = await server.call('/api/v1/monitors', { body })
    expect(made.status).toBe(201)
    const { id } = made.body.monitor as { readonly id: number }
    const done = await server.call(`/api/v1/monitors/${id}/check?wait=1`, { method: 'POST' })
    expect(done.body.results).toMatchObject([
      { verdict: 'fail', cause_code: 'connect_blocked', phase: 'resolve', remote_ip: null },
    ])
  })
})
