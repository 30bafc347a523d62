/**
 * Redis, and servers that speak its protocol (Valkey, KeyDB, Dragonfly): login, PING, and the role in a
 * replication. Nothing is read from the keys and nothing is written.
 *
 * @module watchpost/checkers/extra/redis
 */

import { escapeBytes } from '../../fields/escapes.ts'
import { field } from '../../fields/vocabulary.ts'
import { hostPort } from '../../net/connection/endpoint.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'
import type { CauseTable, CheckContext } from '../checker.ts'
import { defineChecker, down, up } from '../checker.ts'
import {
  clientCertificateFields,
  clientCertificateProblems,
  identityOf,
  tlsFields,
  unusedCertificate,
} from '../client-certificate.ts'
import {
  connectionDetails,
  CONNECTION_HIGHLIGHTS,
  CONNECTION_MEASUREMENTS,
} from '../connection-details.ts'

/** https://redis.io/docs/latest/commands/info/: the section `replication` is a few hundred bytes. */
const BULK_LIMIT_BYTES = 64 * 1024

const CAUSES = {
  /**
   * settings: Try the same login with `redis-cli` from the machine of the probe. A user needs the right to run
   * PING, and INFO where a role is expected.
   */
  redis_auth_failed: { text: 'The server refused the login' },
  /** The server loads its data or has lost its master: if it lasts, check its log. */
  redis_not_ready: { text: 'The server is not ready yet' },
  /** `cause_text` contains the error of the server. */
  redis_error: { text: 'The server answered with an error' },
  /** A failover took place, or the monitor names another server than it should. */
  redis_role_mismatch: { text: 'The server has another role', phase: 'query' },
  /** The replica has lost its master: check the network between them, and the log of the replica. */
  redis_master_link_down: { text: 'The replica is not connected to its master', phase: 'query' },
  /** Check the replicas, and the network to them. */
  redis_replicas_too_few: { text: 'The master has too few replicas', phase: 'query' },
} as const satisfies CauseTable

export const redis = () =>
  defineChecker({
    type: 'redis',
    title: 'Redis server',
    description: 'Logs in, sends PING, and compares the role in the replication.',

    fields: {
      host: field.host({ description: 'Host name or IP address' }).required(),
      port: field.port({ description: 'TCP port' }).default(6379),
      ...tlsFields,
      user: field.text({ description: 'ACL user (Redis 6); only with pass', max: 512 }),
      pass: field.secret({ description: 'Password; AUTH is sent only with one' }),
      expected_role: field.oneOf(['master', 'replica'], {
        description: 'Role that the server must have; a replica must be connected to its master',
        aliases: { primary: 'master', slave: 'replica' },
      }),
      replicas_min: field.integer({
        description: 'Smallest number of replicas that the master must have',
        min: 1,
        max: 1000,
      }),
      ip_family: field.ipFamily().default('auto'),
      ...clientCertificateFields,
    },

    causes: CAUSES,
    figures: ['ping_ms', 'replicas'],
    measurements: {
      ping_ms: 'Time from PING to its answer, ms',
      role: 'Role in the replication: master or replica; only where one is expected',
      replicas: 'Number of connected replicas; only where a role or replicas are expected',
      master_link: 'up or down: the link of a replica to its master',
      ...CONNECTION_MEASUREMENTS,
    },
    highlights: {
      ...CONNECTION_HIGHLIGHTS,
      role: { title: 'Role' },
      replicas: { title: 'Replicas' },
    },
    target: ({ host, port }) => hostPort(host, port),
    refine(settings) {
      const { user, pass } = settings
      const problems = {
        ...clientCertificateProblems(settings),
        ...(user !== undefined && pass === undefined
          ? { pass: 'invalid: a user needs a password' }
          : {}),
      }
      return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
    },
    unused: (settings) => (settings.tls ? {} : unusedCertificate(settings, 'tls is off')),

    async run(ctx, settings) {
      const { host, port, tls, ignore_tls_errors, ip_family } = settings
      const connection = await ctx.net.connect({
        ...{ host, port, ip_family },
        tls: tls ? { verify: !ignore_tls_errors, identity: identityOf(settings) } : undefined,
      })
      ctx.measure(connectionDetails(connection))
      const { user, pass, expected_role, replicas_min } = settings
      if (pass !== undefined) {
        const login = user === undefined ? [pass] : [user, pass]
        await ctx.phase('auth', () => ask(connection, 'AUTH', ...login))
      }
      await ctx.phase('query', () => ping(ctx, connection))
      if (expected_role === undefined && replicas_min === undefined) return up()
      const info = await ctx.phase('query', () => ask(connection, 'INFO', 'replication'))
      const state = replication(info)
      ctx.measure({ ...state })
      return judge(state, settings)
    },
  })

async function ping(ctx: CheckContext, connection: Connection): Promise<void> {
  const from = ctx.clock.monotonic()
  const answer = await ask(connection, 'PING')
  ctx.measure({ ping_ms: ctx.clock.monotonic() - from })
  if (answer !== 'PONG') throw strange(answer)
}

interface Replication {
  readonly role: string
  readonly replicas?: number
  readonly master_link?: string
}

/** Lines `name:value`; `slave` is the word of the protocol for a replica. */
function replication(info: string): Replication {
  const values = new Map(
    info.split('\r\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1)] as const
    }),
  )
  const role = values.get('role')
  if (role === undefined) throw strange(info)
  const replicas = Number.parseInt(values.get('connected_slaves') ?? '', 10)
  const link = values.get('master_link_status')
  return {
    role: role === 'slave' ? 'replica' : escapeBytes(role, 20),
    ...(Number.isNaN(replicas) ? {} : { replicas }),
    ...(link === undefined ? {} : { master_link: escapeBytes(link, 20) }),
  }
}

interface Expected {
  readonly expected_role?: 'master' | 'replica' | undefined
  readonly replicas_min?: number | undefined
}

function judge(
  { role, replicas = 0, master_link }: Replication,
  { expected_role, replicas_min }: Expected,
) {
  if (expected_role !== undefined && role !== expected_role) {
    return down('redis_role_mismatch', `The server is a ${role}, not a ${expected_role}`)
  }
  if (expected_role === 'replica' && master_link !== 'up') {
    return down('redis_master_link_down', 'The link of the replica to its master is down')
  }
  if (replicas_min !== undefined && replicas < replicas_min) {
    const text = `The server has ${replicas} replicas, and at least ${replicas_min} are expected`
    return down('redis_replicas_too_few', text)
  }
  return up()
}

/**
 * One command and its answer (RESP 2, https://redis.io/docs/latest/develop/reference/protocol-spec/), as latin1.
 *
 * @throws CheckFailure for an error of the server
 */
async function ask(connection: Connection, ...words: readonly string[]): Promise<string> {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  await connection.write(`*${words.length}\r\n${parts.join('')}`)
  const line = await connection.readLine({ plausible: (beginning) => /^[-+$]/.test(beginning) })
  if (line.startsWith('+')) return line.slice(1)
  if (line.startsWith('-')) throw refusal(line.slice(1))
  const bytes = /^\$(\d{1,9})$/.exec(line)?.[1]
  if (bytes === undefined) throw strange(line)
  return bulk(connection, Number(bytes))
}

/** The text of a bulk string, and the line end behind it. */
async function bulk(connection: Connection, bytes: number): Promise<string> {
  if (bytes > BULK_LIMIT_BYTES) {
    const text = `The server announced ${bytes} bytes; at most ${BULK_LIMIT_BYTES} are read`
    throw new CheckFailure('too_long', text)
  }
  let text = ''
  while (text.length < bytes + 2) {
    const left = bytes + 2 - text.length
    text += (await connection.readUntil(() => true, { max: left })).toString('latin1')
  }
  return text.slice(0, bytes)
}

/** Error codes of Redis: the first word of the line. */
const CODES: Readonly<Record<string, keyof typeof CAUSES>> = {
  NOAUTH: 'redis_auth_failed',
  WRONGPASS: 'redis_auth_failed',
  NOPERM: 'redis_auth_failed',
  LOADING: 'redis_not_ready',
  MASTERDOWN: 'redis_not_ready',
  BUSY: 'redis_not_ready',
  TRYAGAIN: 'redis_not_ready',
}

function refusal(line: string): CheckFailure {
  const code = /^[A-Z]+/.exec(line)?.[0] ?? ''
  const login = /invalid password|without any password|Authentication required/i.test(line)
  const known = Object.hasOwn(CODES, code) ? CODES[code] : undefined
  const cause = known ?? (login ? 'redis_auth_failed' : 'redis_error')
  return new CheckFailure(cause, `${CAUSES[cause].text}: "${escapeBytes(line, 160)}"`)
}

function strange(said: string): CheckFailure {
  const text = `The server does not speak the Redis protocol: "${escapeBytes(said, 100)}"`
  return new CheckFailure('protocol_error', text)
}
