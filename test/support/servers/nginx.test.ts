import { expect, it } from 'vitest'
import { hello } from './hello.ts'
import { describeWithServer, forThisTest } from './need.ts'
import { nginxServer, startNginx } from './nginx.ts'
import { smokeTest } from './smoke.ts'

const get = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
const END = /\r\n\r\n[^]*$/

smokeTest({
  need: nginxServer,
  start: startNginx,
  greetings: async ({ ports }) => [
    await hello(ports.http, { send: get('/'), until: /page/ }),
    await hello(ports.https, { send: get('/'), until: /page/, tls: true }),
  ],
  expected: [/^HTTP\/1\.1 200 [^]*watchpost test page/, /^HTTP\/1\.1 200 [^]*watchpost test page/],
})

describeWithServer(nginxServer, 'the pages of nginx', () => {
  it('answer as they say', async () => {
    const { ports } = await forThisTest(startNginx({ slowMs: 50 }))
    const page = (path: string): Promise<string> =>
      hello(ports.http, { send: get(path), until: END })
    expect(await page('/status/503')).toMatch(/^HTTP\/1\.1 503 /)
    expect(await page('/slow')).toMatch(/^HTTP\/1\.1 200 /)
    expect(await page('/private')).toMatch(/^HTTP\/1\.1 401 /)
    expect(await page('/redirect/loop')).toMatch(/^HTTP\/1\.1 302 [^]*Location: .*\/redirect\/loop/)
    expect(await page('/redirect/https')).toContain(`Location: https://localhost:${ports.https}/`)
    expect(await page('/post-only')).toMatch(/^HTTP\/1\.1 405 /)
    expect(await page('/close')).toBe('')
  })

  it('can all be one status', async () => {
    const { ports } = await forThisTest(startNginx({ everything: 503 }))
    expect(await hello(ports.http, { send: get('/') })).toMatch(/^HTTP\/1\.1 503 /)
  })

  it('are served with a weak certificate too', async () => {
    const { ports } = await forThisTest(startNginx({ certificate: 'weak' }))
    expect(await hello(ports.http, { send: get('/') })).toMatch(/^HTTP\/1\.1 200 /)
  })
})
