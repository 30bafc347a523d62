/** A checker and a contact kind that nobody has yet: each one source, one test, and one page or section. */

export const NEW_CHECKER: Readonly<Record<string, string>> = {
  'src/checkers/extra/daytime.ts': `/**
 * Daytime (RFC 867): the server says the time in a line of its own.
 *
 * @module watchpost/checkers/extra/daytime
 */

import { field } from '../../fields/vocabulary.ts'
import { defineChecker, down, up } from '../checker.ts'

export const daytime = () =>
  defineChecker({
    type: 'daytime',
    title: 'Daytime',
    description: 'Connects and reads the line that the server says.',
    fields: {
      host: field.host({ description: 'Host name or IP address' }).required(),
      port: field.port({ description: 'TCP port' }).default(13),
      year: field.integer({ description: 'Year that the line must name', min: 1970, max: 9999 }),
    },
    causes: {
      /** settings: Compare \`details.line\` with the year that is set. */
      daytime_unexpected: { text: 'The line names another year', phase: 'greeting' },
    },
    measurements: { line: 'What the server said' },
    target: ({ host, port }) => \`\${host}:\${port}\`,
    async run(ctx, { host, port, year }) {
      const connection = await ctx.net.connect({ host, port })
      const line = await ctx.phase('greeting', () => connection.readLine({ max: 256 }))
      ctx.measure({ line })
      if (year === undefined || line.includes(String(year))) return up()
      return down('daytime_unexpected', \`The server said "\${line}"\`)
    },
  })
`,
  'test/checkers/extra/daytime.test.ts': `import { expect, it } from 'vitest'
import { daytime } from '../../../src/checkers/extra/daytime.ts'
import { check } from '../../support/check.ts'
import { scriptedServer } from '../../support/scripted-server.ts'

it.each([
  [2026, 'ok', null],
  [2027, 'fail', 'daytime_unexpected'],
])('the year %i is %s', async (year, verdict, cause_code) => {
  const server = await scriptedServer((socket) => void socket.end('2026-05-04 09:00\\r\\n'))
  const outcome = await check(daytime(), { host: '127.0.0.1', port: server.port, year })
  expect(outcome).toMatchObject({ verdict, cause_code })
})
`,
  'docs/checkers/daytime.md': `# daytime: the time in a line

## Fields

<!-- fields:begin -->

<!-- fields:end -->

## Causes

<!-- causes:begin -->

<!-- causes:end -->
`,
}

export const NEW_KIND: Readonly<Record<string, string>> = {
  'src/contacts/gong.ts': `/**
 * Gong, a chat that takes a text.
 *
 * @module
 */

import { field } from '../fields/vocabulary.ts'
import { checkOptions } from '../options.ts'
import type { ContactKind } from '../webhook/contact-kind.ts'
import { postingKind, postingOptions, secretsOfAddress } from './posting.ts'
import type { PostingOptions } from './posting.ts'
import { factLines } from './text.ts'

const fields = {
  url: field.secret({ description: 'Address to post to' }).required(),
}

/** @throws ConfigurationError where an option is wrong */
export function gongContact(options: PostingOptions = {}): ContactKind<typeof fields, 'gong'> {
  checkOptions('gongContact', options, postingOptions)
  return postingKind(options, {
    kind: 'gong',
    title: 'Gong',
    fields,
    target: ({ url }) => ({ field: 'url', url }),
    secrets: ({ url }) => secretsOfAddress(url),
    compose: ({ title, facts }) => ({ body: { text: [title, factLines(facts)].join('\\n') } }),
  })
}
`,
  'test/contacts/gong.test.ts': `import { expect, it } from 'vitest'
import { gongContact } from '../../src/contacts/index.ts'
import { LOOPBACK, receiver, rig, told } from './rig.ts'

it('is told in a text', async () => {
  const server = await receiver()
  await rig(gongContact({ guard: LOOPBACK })).attempt({ url: server.url }, told('down'))
  const { json } = server.only()
  expect(json).toEqual({ text: expect.stringMatching(/^Shop is down\\n/) as unknown })
})
`,
}

/** Stands at the end of docs/guide/contacts.md. */
export const KIND_SECTION = `
## gong

\`\`\`json
{ "kind": "gong", "name": "ops", "url": "https://gong.example.com/hooks/a-long-token" }
\`\`\`
`
