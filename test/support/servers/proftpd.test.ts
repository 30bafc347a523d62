import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { hello } from './hello.ts'
import { describeWithServer, forThisTest } from './need.ts'
import type { ProftpdOptions } from './proftpd.ts'
import { proftpdServer, startProftpd } from './proftpd.ts'
import { smokeTest } from './smoke.ts'

smokeTest({
  need: proftpdServer,
  start: startProftpd,
  greetings: async ({ ports }) => [await hello(ports.ftp), await hello(ports.ftps, { tls: true })],
  expected: [/^220 ProFTPD test/, /^220 ProFTPD test/],
})

const LOGIN = {
  after: /^\d\d\d .*\r\n/m,
  send: 'FEAT\r\nUSER u\r\nPASS secret\r\nQUIT\r\n',
  until: /^221 .*\r\n/m,
}

const TALKS: readonly (readonly [ProftpdOptions, RegExp])[] = [
  [{}, /^ AUTH TLS[^]*^230 /m],
  [{ tls: 'off' }, /^(?![^]*AUTH TLS)[^]*^230 /m],
  [{ tls: 'required' }, /^550 /m],
  [{ deny: 'connection' }, /^$/],
  [{ deny: 'login' }, /^530 /m],
  [{ greetingLines: 3, serverIdent: 'Files' }, /^220-One[^]*^220 Files/m],
]

describeWithServer(proftpdServer, 'the options of ProFTPD', () => {
  it.each(TALKS)('with %j', async (options, expected) => {
    const { ports } = await forThisTest(startProftpd(options))
    expect(await hello(ports.ftp, LOGIN)).toMatch(expected)
  })

  it('refuses one client too many', async () => {
    const { ports } = await forThisTest(startProftpd({ maxClients: 1 }))
    const first = connect(ports.ftp, '127.0.0.1')
    onTestFinished(() => void first.destroy())
    await once(first, 'data')
    first.write('USER u\r\n')
    await once(first, 'data')
    first.write('PASS secret\r\n')
    await once(first, 'data')
    expect(await hello(ports.ftp, LOGIN)).toMatch(/^530 Too many users/m)
  })
})
