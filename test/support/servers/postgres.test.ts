import { expect, it } from 'vitest'
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
