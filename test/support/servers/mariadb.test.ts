import { expect, it } from 'vitest'
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
