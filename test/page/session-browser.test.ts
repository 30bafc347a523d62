/** The cookie of a session over https, in a browser, beside another host of the same domain. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { toNodeHandler } from '../../src/rest/node.ts'
import { certificates } from '../support/certificates.ts'
import { chromiumBrowser } from '../support/servers/chromium.ts'
import { describeWithServer } from '../support/servers/need.ts'
import { KEY, OTHER_KEY, site } from './visit.ts'

async function served(handler: RequestListener): Promise<number> {
  const { chain, key } = certificates().good
  const server = createServer({ cert: chain, key }, handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describeWithServer(chromiumBrowser, 'the cookie of a session, in a browser', () => {
  it('is set by the page alone, whatever another host of the domain sets', async () => {
    const { page, engine, visitor } = await site()
    // A session of its own, in which its maker would have others work.
    const maker = visitor()
    await maker.signIn(OTHER_KEY)
    const session = maker.cookies.get('watchpost_session') ?? ''
    const port = await served(toNodeHandler(page))
    const away = await served((_request, response) => {
      const end = `=${session}; Domain=example.test; Path=/; Secure`
      const names = ['watchpost_session', '__Host-watchpost_session']
      response.setHeader(
        'Set-Cookie',
        names.map((name) => name + end),
      )
      response.end('set')
    })
    const browser = await chromium.launch({
      executablePath: chromiumBrowser.locate() ?? '',
      args: [
        '--host-resolver-rules=MAP *.example.test 127.0.0.1',
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
      timeout: 300_000,
    })
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      context.setDefaultTimeout(300_000)
      const window = await context.newPage()
      await window.goto(`https://away.example.test:${away}/`)
      const own = `https://watch.example.test:${port}`
      expect((await context.cookies(own)).map(({ name }) => name)).toEqual(['watchpost_session'])
      await window.goto(`${own}/`)
      expect(window.url()).toContain('/sign-in')
      await window.fill('#key', KEY)
      await window.click('button.primary')
      await window.waitForURL(`${own}/`)
      const cookies = await context.cookies(own)
      expect(cookies.find(({ name }) => name.startsWith('__Host-'))).toMatchObject({
        ...{ domain: 'watch.example.test', path: '/', httpOnly: true, secure: true },
        sameSite: 'Strict',
      })
      await window.goto(`https://away.example.test:${away}/`)
      await window.goto(`${own}/keys`)
      expect(await window.textContent('table')).toContain('one')
    } finally {
      await browser.close()
      await engine.stop()
    }
  })
})
