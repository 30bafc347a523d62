/** The setting `template`: own words, escaped and within the limits of each service. */
import { describe, expect, it } from 'vitest'
import {
  discordContact,
  emailContact,
  ntfyContact,
  slackContact,
  teamsContact,
  telegramContact,
} from '../../src/contacts/index.ts'
import { decodeSettings, parse } from '../../src/fields/parse.ts'
import type { JsonObject } from '../../src/model.ts'
import type { AnyContactKind, Delivery } from '../../src/webhook/contact-kind.ts'
import { SAMPLE_EVENTS, sampleDelivery } from '../../src/webhook/sample.ts'
import { EVENTS, hostile, isWellFormed, LOOPBACK, receiver, rig, told } from './rig.ts'

interface Case {
  readonly kind: AnyContactKind
  readonly settings: JsonObject
  /** Title, body and the limit of each, in what is sent. */
  parts(content: JsonObject): readonly Part[]
}

interface Part {
  readonly text: string
  readonly max: number
  readonly bytes?: true
}

const HOOK = 'https://hooks.example.com/services/T0/B0/XXXXyyyyZZZZ1234567890ab'
const TOKEN = '123456789:AAExampleExampleExample_Example-Exa'

/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return -- bodies are looked into freely */
const CASES: Readonly<Record<string, Case>> = {
  slack: {
    kind: slackContact(),
    settings: { url: HOOK },
    parts: ({ blocks }: any) => [
      { text: blocks[0].text.text, max: 150 },
      { text: blocks[1]?.text.text ?? '', max: 3000 },
    ],
  },
  discord: {
    kind: discordContact(),
    settings: { url: HOOK },
    parts: ({ embeds }: any) => [
      { text: embeds[0].title, max: 256 },
      { text: embeds[0].description, max: 4096 },
    ],
  },
  telegram: {
    kind: telegramContact(),
    settings: { token: TOKEN, chat_id: '-1001' },
    parts: ({ text }: any) => [
      { text: text.split('\n')[0], max: 510 },
      { text: text.split('\n').slice(1).join('\n'), max: 4096 - text.split('\n')[0].length - 1 },
    ],
  },
  teams: {
    kind: teamsContact(),
    settings: { url: HOOK },
    parts: ({ attachments }: any) => {
      const lines = attachments[0].content.body.map((line: any) =>
        line.inlines.map((run: any) => run.text).join(''),
      )
      return [
        { text: lines[0], max: 256 },
        { text: lines.slice(1).join('\n'), max: 12_000 },
      ]
    },
  },
  ntfy: {
    kind: ntfyContact(),
    settings: { topic: 'a_hidden_topic' },
    parts: ({ title, message }: any) => [
      { text: title, max: 250, bytes: true },
      { text: message, max: 4096, bytes: true },
    ],
  },
  email: {
    kind: emailContact(),
    settings: { host: 'mail.example.com', from: 'a@example.com', to: ['b@example.com'] },
    parts: ({ subject, text }: any) => [
      { text: subject, max: 200 },
      { text: text.trimEnd(), max: 16_384 },
    ],
  },
}
/* eslint-enable */

async function shown(
  { kind, settings, parts }: Case,
  template: JsonObject,
  delivery: Delivery,
): Promise<readonly Part[]> {
  const parsed = parse(kind.fields, { ...settings, template })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.fields))
  const content = await kind.preview?.(decodeSettings(kind.fields, parsed.value), delivery)
  return parts(content ?? {})
}

function problems(
  { kind, settings }: Case,
  template: JsonObject,
): Readonly<Record<string, string>> {
  const parsed = parse(kind.fields, { ...settings, template })
  return parsed.ok ? {} : parsed.fields
}

describe.each(Object.entries(CASES))('%s', (name, each) => {
  it('takes title and body from the template, for all events or for one', async () => {
    const template = {
      title: '{{monitor.name}} {{event}}',
      body: 'Cause {{incident.cause_code}}',
      events: { up: { body: 'Back after {{lasted}}' } },
    }
    const [title, body] = await shown(each, template, told('down'))
    expect(title?.text).toContain('Shop down')
    expect(body?.text.replaceAll('\\', '')).toBe('Cause http_status')
    const [, back] = await shown(each, template, told('up'))
    expect(back?.text).toBe('Back after 1 h 5 min')
  })

  it('keeps its own words for parts without a template', async () => {
    const whole = await shown(each, {}, told('down'))
    const [title, body] = await shown(each, { title: 'Own' }, told('down'))
    expect(title?.text).toContain('Own')
    if (name !== 'email') expect(body).toEqual({ ...whole[1], max: body?.max })
  })

  it('stays within the limits with the longest values, in every event', async () => {
    const template = { title: '{{facts}} '.repeat(5), body: '{{facts}}\n'.repeat(40) }
    for (const delivery of [...EVENTS, hostile(), hostile('of_another_kind')]) {
      for (const { text, max, bytes } of await shown(each, template, delivery)) {
        expect(bytes === true ? Buffer.byteLength(text) : text.length).toBeLessThanOrEqual(max)
        expect(isWellFormed(text)).toBe(true)
      }
    }
  })

  it('never sends an empty message', async () => {
    const template = { title: '{{digest.first}}', body: '{{incident.ended_at}}' }
    const [title, body] = await shown(each, template, told('down'))
    expect(title?.text).toContain('Shop is down')
    expect(body?.text).not.toBe('')
  })

  it('fills a test in with an example', async () => {
    const [title, body] = await shown(
      each,
      { title: '{{monitor.name}}: {{event}}', body: 'Since {{incident.started_at}}' },
      told('test'),
    )
    expect(title?.text).toContain('Shop: test')
    expect(body?.text.replaceAll('\\', '')).toMatch(/^Since 2026-01-01T/)
  })

  it('tells how many are in a digest, and its first cause', async () => {
    const template = {
      events: { digest: { title: '{{digest.count}} at once', body: '{{digest.first}}' } },
    }
    const [title, body] = await shown(each, template, sampleDelivery('digest', 0))
    expect(title?.text).toContain('2 at once')
    expect(body?.text).toContain('Shop')
  })

  it('refuses a misspelt placeholder where it stands, and names those that there are', () => {
    expect(problems(each, { title: 'Now: {{monitor.nam}}' })).toEqual({
      'template.title': expect.stringMatching(
        /^invalid: character 6: there is no \{\{monitor\.nam\}\} here: title, .*monitor\.name, /,
      ),
    })
    expect(problems(each, { events: { up: { body: 'a {{b' } } })).toEqual({
      'template.events':
        'invalid: "up", "body": character 3: {{ and }} belong around a placeholder',
    })
    expect(problems(each, { title: '{{secret}}', body: '{{url}} {{token}}' })).toEqual({
      'template.title': expect.stringContaining('character 1: there is no {{secret}} here'),
      'template.body': expect.stringContaining('character 1: there is no {{url}} here'),
    })
  })

  it('refuses misspelt events and parts, and what no service would take', () => {
    expect(problems(each, { events: { dwon: { title: 'x' } } })).toEqual({
      'template.events': expect.stringMatching(/^invalid: "dwon": did you mean "down"\?/),
    })
    expect(problems(each, { events: { down: { titel: 'x' } } })).toEqual({
      'template.events': expect.stringMatching(/^invalid: "down", "titel": did you mean "title"\?/),
    })
    expect(problems(each, { titel: 'x' })).toEqual({
      'template.titel': 'unknown_field: did you mean "template.title"?',
    })
    expect(problems(each, { title: 'two\nlines' })).toEqual({
      'template.title': 'invalid: character 4: a title is one line',
    })
    expect(problems(each, { title: 'x'.repeat(600), body: 'x'.repeat(20_000) })).toEqual({
      'template.title': expect.stringMatching(
        /^out_of_range: 1\.\.\d+ (?:characters|bytes) without/,
      ),
      'template.body': expect.stringMatching(
        /^out_of_range: 1\.\.\d+ (?:characters|bytes) without/,
      ),
    })
    expect(problems(each, { body: '{{facts}}'.repeat(41) })).toEqual({
      'template.body': 'out_of_range: 0..40 placeholders',
    })
    expect(problems(each, { body: '  ', title: 7 })).toEqual({
      'template.title': 'invalid: a text is expected',
      'template.body': 'invalid: a text is expected',
    })
  })

  it('shows every event before it happens, without secrets', async () => {
    for (const event of SAMPLE_EVENTS) {
      const delivery = sampleDelivery(event, Date.UTC(2026, 0, 1))
      const [title] = await shown(each, { body: '{{facts}}.' }, delivery)
      expect(title?.text).toMatch(/\S/)
      const settings = decodeSettings(each.kind.fields, each.settings)
      const content = JSON.stringify(await each.kind.preview?.(settings, delivery))
      expect(content).not.toMatch(/XXXXyyyyZZZZ|AAExample|a_hidden_topic/)
    }
  })
})

const hostileName = (name: string) => told('down', { monitor: { name } })

describe('what is inserted', () => {
  it('cannot mention, link or end a span at Slack', async () => {
    const [, body] = await shown(
      CASES['slack'] as Case,
      { body: '<{{link}}|*open*> `{{monitor.name}}` <!here>' },
      told('down', {
        monitor: { name: '<!channel> ` <@U1>', target: 'https://shop.example/a|b?c=1&d=2' },
      }),
    )
    expect(body?.text).toBe(
      "<https://shop.example/a%7Cb?c=1&amp;d=2|*open*> `&lt;!channel&gt; ' &lt;@U1&gt;` <!here>",
    )
  })

  it('is text in the HTML of Telegram and of a mail', async () => {
    const name = `<b>"x" & 'y'</b>`
    const [title, body] = await shown(
      CASES['telegram'] as Case,
      {
        title: 'A & B: {{monitor.name}}',
        body: '<i>{{monitor.name}}</i> <a href="{{link}}">open</a>',
      },
      hostileName(name),
    )
    const escaped = '&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt;'
    expect(title?.text).toBe(`<b>A &amp; B: ${escaped}</b>`)
    expect(body?.text).toBe(`<i>${escaped}</i> <a href="https://shop.example/">open</a>`)
    const { kind, settings } = CASES['email'] as Case
    const html = '<p style="color:red">{{monitor.name}}</p>'
    const parsed = parse(kind.fields, { ...settings, template: { html } })
    const stored = parsed.ok ? decodeSettings(kind.fields, parsed.value) : {}
    expect(await kind.preview?.(stored, hostileName(name))).toMatchObject({
      html: `<p style="color:red">${escaped}</p>`,
    })
  })

  it('has no Markdown at Discord, and is one address in a link', async () => {
    const [, body] = await shown(
      CASES['discord'] as Case,
      { body: '**{{monitor.name}}** [open]({{link}})' },
      told('down', {
        monitor: { name: '**x** [a](b) @everyone', target: 'https://a.example/(x)' },
      }),
    )
    expect(body?.text).toBe(
      '**\\*\\*x\\*\\* \\[a\\]\\(b\\) \\@everyone** [open](https://a.example/%28x%29)',
    )
  })

  it.each([
    ['<b>open', 'character 1: <b> is not closed'],
    ['<b><i>x</b></i>', 'character 8: </b> closes what is not open'],
    ['x <script>', 'character 3: <script> is no tag of Telegram'],
    ['<b class="x">x</b>', 'character 1: <b class="x"> is no tag of Telegram'],
    ['<a href={{link}}>x</a>', 'character 1: <a href={{link}}> is no tag of Telegram'],
    ['<a href="{{monitor.name}}">x</a>', 'character 1: in a tag only ="{{link}}" is inserted'],
    ['1 < 2', 'character 3: outside of tags write &lt;'],
    ['Tom & Jerry', 'character 5: write &amp; for &'],
  ])('%s is refused for Telegram, which would refuse the alert', (body, problem) => {
    expect(problems(CASES['telegram'] as Case, { body })['template.body']).toContain(problem)
  })

  it('stands in no tag of a mail but as an address in quotes', () => {
    const mail = CASES['email'] as Case
    expect(problems(mail, { html: '<a href="{{link}}">x</a>' })).toEqual({})
    expect(problems(mail, { html: '<p class={{severity}}>x</p>' })).toEqual({
      'template.html': 'invalid: character 1: in a tag only ="{{link}}" is inserted',
    })
  })

  it('is never read as a template', async () => {
    const [, body] = await shown(
      CASES['ntfy'] as Case,
      { body: '{{monitor.name}}' },
      hostileName('{{incident.cause_text}}'),
    )
    expect(body?.text).toBe('{{incident.cause_text}}')
  })
})

it('arrives at the service as it was previewed', async () => {
  const server = await receiver()
  const slack = slackContact({ guard: LOOPBACK })
  const template = { title: '{{mark}} {{monitor.name}}', body: '*{{incident.cause_code}}*' }
  await rig(slack).attempt({ url: server.url, template }, told('down'))
  expect(server.only().json).toMatchObject({
    text: '🔴 Shop',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '🔴 Shop' } },
      { type: 'section', text: { type: 'mrkdwn', text: '*http_status*', verbatim: true } },
    ],
  })
})
