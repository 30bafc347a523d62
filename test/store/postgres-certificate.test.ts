/** Node 20 and 22 end the process where they list the usages of a certificate that has one with a long identifier. */
import { expect, onTestFinished, test } from 'vitest'
import { postgresStore } from '../../src/store/postgres/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { mint } from '../checkers/ssl/mint.ts'
import { certificates } from '../support/certificates.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { postgresServer, startPostgres } from '../support/servers/postgres.ts'

describeWithServer(postgresServer, 'the store in a PostgreSQL with TLS', () => {
  async function storeAt(
    certificate: ReturnType<typeof mint>,
    tls: object = {},
  ): Promise<FullStore> {
    const { ports } = await forThisTest(startPostgres({ certificate, auth: 'trust' }))
    const ssl = { ca: certificates().ca, ...tls }
    const connection = { host: 'localhost', port: ports.postgres, database: 'app', ssl }
    const store = postgresStore({ connection: { user: 'postgres', ...connection } })
    onTestFinished(() => store.close())
    return store
  }

  test('reads a certificate with a long usage as any other, on each of its connections', async () => {
    const store = await storeAt(mint({ usage: `serverAuth,1.2.${'1'.repeat(1500)}` }))
    await store.open()
    expect(await store.accounts.list()).toEqual([])
  })

  test('is not that of another name', async () => {
    const store = await storeAt(mint({ names: 'DNS:other.example' }))
    await expect(store.open()).rejects.toThrow(/does not match certificate/)
  })

  test('is judged by what the host says of its certificate', async () => {
    const seen: unknown[] = []
    const checkServerIdentity = (_name: string, { ext_key_usage }: { ext_key_usage?: unknown }) =>
      void seen.push(ext_key_usage)
    const store = await storeAt(mint(), { checkServerIdentity })
    await store.open()
    expect(seen).toContainEqual(['1.3.6.1.5.5.7.3.1'])
  })
})
