import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { certificates } from '../certificates.ts'
import { hello } from './hello.ts'
import { describeWithServer, forThisTest } from './need.ts'
import type { PostgresOptions } from './postgres.ts'
import { postgresServer, SSL_REQUEST, startPostgres, startupMessage } from './postgres.ts'
import { smokeTest } from './smoke.ts'

const asU = {
  send: startupMessage({ user: 'u', database: 'app' }),
  until: /^R[^]*S|C[0-9A-Z]{5}\0/,
}

smokeTest({
  need: postgresServer,
  start: startPostgres,
  greetings: async ({ ports }) => [
    await hello(ports.postgres, { send: SSL_REQUEST, until: /^./ }),
    await hello(ports.postgres, asU),
  ],
  expected: [/^S$/, /^R[^]*SCRAM-SHA-256/],
})

const REFUSALS: readonly (readonly [PostgresOptions, RegExp])[] = [
  [{ auth: 'reject' }, /^E[^]*C28000\0/],
  [{ tls: 'required' }, /^E[^]*C28000\0/],
  [{ startingUp: true }, /^E[^]*C57P03\0/],
  [{ auth: 'trust', userLocked: true }, /E[^]*C28000\0/],
]

describeWithServer(postgresServer, 'a PostgreSQL that refuses', () => {
  it.each(REFUSALS)('with %j', async (options, expected) => {
    const { ports } = await forThisTest(startPostgres(options))
    expect(await hello(ports.postgres, asU)).toMatch(expected)
  })

  it('answers N where it has no TLS', async () => {
    const { ports } = await forThisTest(startPostgres({ tls: 'off' }))
    expect(await hello(ports.postgres, { send: SSL_REQUEST, until: /^./ })).toBe('N')
  })
})

async function logIn(port: number, ssl?: pg.ClientConfig['ssl']): Promise<pg.Client> {
  const who = { user: 'u', password: 'secret', database: 'app', host: '127.0.0.1', port }
  const client = new pg.Client({ ...who, ...(ssl !== undefined && { ssl }) })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const READ = 'SELECT name FROM items WHERE id = 2'

const FAILURES: readonly (readonly [PostgresOptions, string, string])[] = [
  [{ withoutRights: true }, READ, '42501'],
  [{ statementTimeoutMs: 50 }, 'SELECT pg_sleep(20)', '57014'],
  [{ readOnly: true }, 'CREATE TEMP TABLE x (); CREATE TABLE y ()', '25006'],
]

describeWithServer(postgresServer, 'a login to PostgreSQL', () => {
  it.each(['scram-sha-256', 'md5', 'password', 'trust'] as const)(
    'reads the table with %s, over TLS and without',
    async (auth) => {
      const { ports } = await forThisTest(startPostgres({ auth }))
      for (const ssl of [undefined, { ca: certificates().ca }]) {
        const client = await logIn(ports.postgres, ssl)
        expect((await client.query(READ)).rows).toEqual([{ name: 'two' }])
      }
    },
  )

  it.each(FAILURES)('fails with %j at %s as %s', async (options, query, code) => {
    const { ports } = await forThisTest(startPostgres(options))
    const client = await logIn(ports.postgres)
    await expect(client.query(query)).rejects.toMatchObject({ code })
  })

  it('is one too many', async () => {
    const { ports } = await forThisTest(startPostgres({ maxConnections: 1 }))
    await logIn(ports.postgres)
    await expect(logIn(ports.postgres)).rejects.toMatchObject({ code: '53300' })
  })
})
