import { describe, expect, it } from 'vitest'
import { domain } from '../../src/checkers/domain/index.ts'
import type { DomainOptions } from '../../src/checkers/domain/index.ts'
import { check } from '../support/check.ts'
import type { Checked } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { hostileTo } from '../support/hostile/farm.ts'
import type { HostileServer } from '../support/hostile/farm.ts'

const SHORTEST_MS = 900

const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

/** Whatever it does, it says nothing of the name: never a failure, never good, and nothing is left open. */
function meet(
  server: HostileServer,
  cause: RegExp,
  options: (address: string, scheme: string) => DomainOptions,
): Promise<void> {
  return withDeadline(SHORTEST_MS, async (timeout_ms) => {
    expect((await tryOnce(server, timeout_ms, options)).cause_code).toMatch(cause)
  })
}

async function tryOnce(
  { start, secure }: HostileServer,
  timeout_ms: number,
  options: (address: string, scheme: string) => DomainOptions,
): Promise<Checked> {
  // Those of the server before may still be going.
  await expect.poll(sockets, { interval: 5 }).toBe(0)
  const server = await start()
  try {
    const scheme = secure === true ? 'https' : 'http'
    const checker = domain({
      bootstrapUrl: null,
      whoisRoot: null,
      gapMs: 0,
      ...options(`127.0.0.1:${server.port}`, scheme),
    })
    const outcome = await check(checker, { domain: 'example.com' }, { timeout_ms })
    expect(server.accepted()).toBeGreaterThan(0)
    expect(outcome.verdict).toBe('unknown')
    expect(Object.keys(checker.causes)).toContain(outcome.cause_code)
    // Those that are left are the server's: it may hold its half for as long as it likes.
    await expect.poll(() => sockets() - server.open(), { interval: 5 }).toBe(0)
    expect(outcome.duration_ms).toBeLessThan(timeout_ms + 3000)
    return outcome
  } finally {
    await server.close()
  }
}

describe('in place of an RDAP server', () => {
  it.each(hostileTo('any', 'http'))('$name', async (server) => {
    await meet(server, /^probe_rdap_(?:unreachable|unparsed)$/, (address, scheme) => ({
      rdapServers: { com: `${scheme}://${address}/` },
      whoisServers: { com: null },
    }))
  })
})

describe('in place of a WHOIS server', () => {
  it.each(hostileTo('any'))('$name', async (server) => {
    await meet(server, /^probe_whois_(?:unreachable|unparsed|empty)$/, (address) => ({
      rdapServers: { com: [] },
      whoisServers: { com: address },
    }))
  })
})

describe('in place of the list of IANA', () => {
  it.each(hostileTo('any'))('$name', async (server) => {
    // The table of our own is asked then, and no name is resolved here.
    await meet(server, /^probe_rdap_unreachable$/, (address, scheme) => ({
      bootstrapUrl: `${scheme}://${address}/rdap/dns.json`,
      rdapServers: {},
      whoisServers: { com: null },
    }))
  })
})
