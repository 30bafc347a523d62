import { describe, expect, it } from 'vitest'
import { SHARED_CAUSES } from '../../../src/checkers/causes.ts'
import { ftp } from '../../../src/checkers/ftp.ts'
import { imap } from '../../../src/checkers/imap/index.ts'
import { pop3 } from '../../../src/checkers/pop3.ts'
import { smtp } from '../../../src/checkers/smtp.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { hostileTo } from '../../support/hostile/farm.ts'
import type { HostileServer } from '../../support/hostile/farm.ts'

const SHORTEST_MS = 400
const login = { user: 'somebody', pass: 'a-secret-of-ours' } as const

const CHECKERS = { smtp: smtp(), pop3: pop3(), imap: imap(), ftp: ftp() } as const
type Type = keyof typeof CHECKERS

const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

/** The farm's causes, where a mail checker has more to say or meets less. */
function right({ name, expect: causes = [] }: HostileServer): readonly string[] {
  // An end within the handshake has a name of its own.
  if (/after its consent to TLS|ClientHello|ServerHello/.test(name)) {
    return [...causes, 'tls_handshake']
  }
  // We speak second, so it waits for us as we wait for it.
  return /after the first bytes of the client/.test(name) ? ['banner_timeout'] : causes
}

interface Meeting {
  readonly tls: 'none' | 'starttls' | 'implicit'
  readonly timeout_ms: number
}

async function meet(type: Type, server: HostileServer, { tls, timeout_ms }: Meeting) {
  const checker = CHECKERS[type]
  const hostile = await server.start()
  try {
    const input = { host: '127.0.0.1', port: hostile.port, tls, ...login } as const
    const outcome = await check(checker, input, { timeout_ms })
    // Those that are left are the server's: it may hold its half of a connection for as long as it likes.
    await expect.poll(() => sockets() - hostile.open(), { interval: 5 }).toBe(0)
    expect(hostile.faults()).toEqual([])
    expect(outcome.duration_ms).toBeLessThan(timeout_ms + 3000)
    expect(JSON.stringify(outcome)).not.toContain(login.pass)
    if (outcome.cause_code !== null) {
      const declared = Object.keys({ ...SHARED_CAUSES, ...checker.causes })
      expect(declared).toContain(outcome.cause_code)
      expect(outcome.verdict).toBe(verdictOf(outcome))
      expect(outcome.phase, outcome.cause_code).not.toBe(null)
    }
    return outcome
  } finally {
    await hostile.close()
    await expect.poll(sockets, { interval: 5 }).toBe(0)
  }
}

/** More than is read is no fault of the server's. */
const verdictOf = ({ cause_code }: { cause_code: string | null }): string =>
  cause_code === 'too_long' ? 'unknown' : 'fail'

/** Those that do all the client wants: what they do besides is harmless without a data connection. */
const GOOD = /greets with (?:zero bytes|control characters)/

describe.each(Object.keys(CHECKERS) as Type[])('%s', (type) => {
  const own = hostileTo(type)

  it.each(own)('with STARTTLS meets $name', async (server) => {
    await withDeadline(SHORTEST_MS, async (timeout_ms) => {
      const outcome = await meet(type, server, { tls: 'starttls', timeout_ms })
      if (!GOOD.test(server.name)) expect(outcome.verdict).toBe(verdictOf(outcome))
      if (server.expect !== undefined) expect(right(server)).toContain(outcome.cause_code)
    })
  })

  it.each(own.filter((server) => server.expect === undefined))(
    'in clear meets $name',
    async (server) => {
      await withDeadline(SHORTEST_MS, (timeout_ms) =>
        meet(type, server, { tls: 'none', timeout_ms }),
      )
    },
  )

  it.each(hostileTo('any'))('meets $name', async (server) => {
    await withDeadline(SHORTEST_MS, async (timeout_ms) => {
      const outcome = await meet(type, server, { tls: 'none', timeout_ms })
      expect(outcome.verdict).toBe(verdictOf(outcome))
      if (server.expect !== undefined) expect(right(server)).toContain(outcome.cause_code)
    })
  })
})

// The handshake is the same for all four. A flood of warnings keeps OpenSSL busy within one turn of the
// loop, for which client and server share one process here: that one is the network core's matter.
const HANDSHAKES = hostileTo('tls').filter(({ name }) => !/warnings without end/.test(name))

it.each(HANDSHAKES)('smtp with TLS from the first byte meets $name', async (server) => {
  await withDeadline(SHORTEST_MS, async (timeout_ms) => {
    const outcome = await meet('smtp', server, { tls: 'implicit', timeout_ms })
    expect(outcome.verdict).toBe('fail')
    if (server.expect !== undefined) expect(right(server)).toContain(outcome.cause_code)
  })
})
