import { createConnection } from 'mysql2/promise'
import type { Connection, ConnectionOptions } from 'mysql2/promise'
import { expect, it, onTestFinished } from 'vitest'
import { certificates } from '../certificates.ts'
import type { MariadbOptions } from './mariadb.ts'
import { greeting, mariadbServer, startMariadb } from './mariadb.ts'
import { describeWithServer, forThisTest } from './need.ts'
import { smokeTest } from './smoke.ts'

smokeTest({
  need: mariadbServer,
  start: startMariadb,
  greetings: async ({ ports }) => [await greeting(ports.mysql)],
  expected: [/^[^]{3}\0\x0a[\d.-]+MariaDB/],
})

describeWithServer(mariadbServer, 'a MariaDB that refuses', () => {
  it('says so in place of a greeting where nobody may come from this host', async () => {
    const { ports } = await forThisTest(startMariadb({ userHost: '192.0.2.%' }))
    // Error packet: 0xff, then the number in two bytes, 1130 = 0x046a.
    expect(await greeting(ports.mysql)).toMatch(/^[^]{3}\0\xff\x6a\x04Host '127\.0\.0\.1' is not/)
  })
})

async function logIn(port: number, options: ConnectionOptions = {}): Promise<Connection> {
  const who = { user: 'u', password: 'secret', host: '127.0.0.1', port }
  const connection = await createConnection({ ...who, ...options })
  onTestFinished(() => connection.destroy())
  return connection
}

async function rows(port: number, options: ConnectionOptions = {}): Promise<unknown> {
  const connection = await logIn(port, options)
  return (await connection.query('SELECT name FROM app.items WHERE id = 2'))[0]
}

const REFUSALS: [MariadbOptions, number][] = [
  [{ tls: 'required' }, 1045],
  [{ userLocked: true }, 4151],
  [{ passwordExpired: true }, 1820],
  [{ withoutRights: true }, 1142],
]

describeWithServer(mariadbServer, 'a login to MariaDB', () => {
  it('reads the table, over TLS and without', async () => {
    const { ports } = await forThisTest(startMariadb())
    expect(await rows(ports.mysql)).toEqual([{ name: 'two' }])
    const ssl = { ca: certificates().ca, verifyIdentity: false }
    expect(await rows(ports.mysql, { ssl })).toEqual([{ name: 'two' }])
  })

  it.each(REFUSALS)('fails with %j as number %i', async (options, errno) => {
    const { ports } = await forThisTest(startMariadb(options))
    await expect(rows(ports.mysql)).rejects.toMatchObject({ errno })
  })

  it('works over TLS where it has to', async () => {
    const { ports } = await forThisTest(startMariadb({ tls: 'required' }))
    const ssl = { ca: certificates().ca, verifyIdentity: false }
    expect(await rows(ports.mysql, { ssl })).toEqual([{ name: 'two' }])
  })

  it('is one too many', async () => {
    const { ports } = await forThisTest(startMariadb({ maxConnections: 10 }))
    for (let i = 0; i < 10; i++) await logIn(ports.mysql)
    await expect(logIn(ports.mysql)).rejects.toMatchObject({ errno: 1040 })
  })

  it('is one too many for this user', async () => {
    const { ports } = await forThisTest(startMariadb({ maxUserConnections: 1 }))
    await logIn(ports.mysql)
    await expect(logIn(ports.mysql)).rejects.toMatchObject({ errno: 1203 })
  })
})
