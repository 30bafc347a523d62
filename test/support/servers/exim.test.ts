import { expect, it } from 'vitest'
import type { EximOptions } from './exim.ts'
import { eximServer, startExim } from './exim.ts'
import { hello } from './hello.ts'
import { describeWithServer, forThisTest } from './need.ts'
import { smokeTest } from './smoke.ts'

smokeTest({
  need: eximServer,
  start: startExim,
  greetings: async ({ ports }) => [
    await hello(ports.smtp),
    await hello(ports.smtps, { tls: true }),
  ],
  expected: [/^220 mx\.example\.test ESMTP/, /^220 mx\.example\.test ESMTP/],
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const send = `EHLO test\r\nAUTH PLAIN ${base64('\0u\0secret')}\r\nQUIT\r\n`

const TALKS: readonly (readonly [EximOptions, RegExp])[] = [
  [{}, /STARTTLS[^]*^235 /m],
  [{ ehlo: 'deny' }, /^220 [^]*^550 /m],
  [{ auth: 'broken' }, /^435 /m],
  [{ auth: 'over_tls' }, /^503 /m],
  [{ tls: 'off', banner: 'Hello' }, /^220 Hello\r\n(?![^]*STARTTLS)[^]*^235 /m],
]

const GREETINGS: readonly (readonly [EximOptions, RegExp])[] = [
  [{ greeting: 'deny' }, /^554 /],
  [{ greeting: 'defer' }, /^421 /],
  [{ greeting: 'drop' }, /^550 /],
]

describeWithServer(eximServer, 'the options of Exim', () => {
  it.each(GREETINGS)('greet with %j', async (options, expected) => {
    const { ports } = await forThisTest(startExim(options))
    expect(await hello(ports.smtp)).toMatch(expected)
  })

  it.each(TALKS)('with %j', async (options, expected) => {
    const { ports } = await forThisTest(startExim(options))
    expect(await hello(ports.smtp, { after: /\n/, send, until: /^221 /m })).toMatch(expected)
  })
})
