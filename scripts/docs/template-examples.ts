/** Templates of messages and what they make of an event, as docs/guide/contacts.md shows them: by running the kinds. */

import {
  discordContact,
  emailContact,
  slackContact,
  telegramContact,
} from '../../src/contacts/index.ts'
import { decodeSettings, parse } from '../../src/fields/parse.ts'
import type { JsonObject } from '../../src/model.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'
import { sampleDelivery } from '../../src/webhook/sample.ts'
import { block, code, json } from './markdown.ts'

interface Example {
  readonly kind: AnyContactKind
  readonly settings: JsonObject
  readonly template: JsonObject
  readonly events: readonly string[]
  /** The part of what is sent that is shown. */
  shown(content: JsonObject): readonly string[]
}

const AT = Date.UTC(2026, 4, 4, 9, 5)

const texts = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(texts)
      : []

/** Texts of a message in the order in which they stand. */
const textsOf =
  (...names: readonly string[]) =>
  (content: JsonObject): readonly string[] =>
    names.flatMap((name) => texts(content[name])).filter((text) => !NO_TEXTS.has(text))

const NO_TEXTS = new Set(['header', 'section', 'plain_text', 'mrkdwn'])

const EXAMPLES: readonly Example[] = [
  {
    kind: slackContact(),
    settings: { url: 'https://hooks.slack.com/services/T0/B0/X' },
    template: {
      title: '{{mark}} {{monitor.name}}: {{event}}',
      body: '*{{incident.cause_text}}*\n<{{link}}|Open> · <https://wiki.example.com/on-call|What to do>',
      events: { up: { body: 'Back after {{lasted}}.' } },
    },
    events: ['down', 'up'],
    shown: textsOf('blocks'),
  },
  {
    kind: telegramContact(),
    settings: { token: '123456789:AAExampleExampleExampleExampleExampleEx', chat_id: '-1001' },
    template: {
      title: '{{title:80}}',
      body: '<code>{{incident.cause_code}}</code> {{incident.cause_text:120}}\n<a href="{{link}}">Open</a>',
      events: { digest: { title: '{{digest.count}} at once', body: 'First: {{digest.first}}' } },
    },
    events: ['down', 'digest'],
    shown: textsOf('text'),
  },
  {
    kind: discordContact(),
    settings: { url: 'https://discord.com/api/webhooks/1/x' },
    template: { body: '**{{severity}}** since {{incident.started_at}}\n{{facts}}' },
    events: ['down'],
    shown: ({ embeds }) => texts([embeds]).slice(0, 2),
  },
  {
    kind: emailContact(),
    settings: { host: 'mail.example.com', from: 'a@example.com', to: ['b@example.com'] },
    template: {
      title: '[{{severity}}] {{monitor.name}}',
      body: 'Hello on-call,\n\n{{title}}.\n{{facts}}\n\nhttps://wiki.example.com/on-call',
    },
    events: ['down'],
    shown: textsOf('subject', 'text'),
  },
]

export async function templateExamples(): Promise<string> {
  const shown: string[] = []
  for (const example of EXAMPLES) {
    const { kind, settings, template } = example
    shown.push(json({ kind: kind.kind, name: `${kind.title} in own words`, ...settings, template }))
    for (const event of example.events) {
      shown.push(
        `For ${code(event)}:`,
        block('text', (await outputOf(example, event)).join('\n').trimEnd()),
      )
    }
  }
  return shown.join('\n\n')
}

/** @throws Error if the kind refuses its example */
async function outputOf(
  { kind, settings, template, shown }: Example,
  event: string,
): Promise<readonly string[]> {
  const parsed = parse(kind.fields, { ...settings, template })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.fields))
  const decoded = decodeSettings(kind.fields, parsed.value)
  return shown((await kind.preview?.(decoded, sampleDelivery(event, AT))) ?? {})
}
