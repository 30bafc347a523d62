/**
 * Microsoft Teams by a webhook of the Workflows app, the successor of the connectors
 * (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using):
 * one Adaptive Card in a message of at most 28 KB.
 *
 * Texts are text runs, which have no Markdown (https://adaptivecards.io/explorer/TextRun.html), so
 * they need no escaping.
 *
 * @module
 */

import { field } from '../fields/vocabulary.ts'
import type { JsonObject } from '../model.ts'
import { checkOptions } from '../options.ts'
import type { ContactKind } from '../webhook/contact-kind.ts'
import { messageTemplate } from './message-template.ts'
import type { MessageRules } from './message-template.ts'
import { postingKind, secretsOfAddress, postingOptions } from './posting.ts'
import type { PostingOptions, Written } from './posting.ts'
import { markedTitle } from './text.ts'
import type { Message } from './message.ts'
import type { Fact } from './message.ts'
import type { Severity } from './message.ts'

const COLOURS: Readonly<Record<Severity, string>> = {
  down: 'Attention',
  up: 'Good',
  warning: 'Warning',
  info: 'Accent',
}

/** Text runs without markup; well below 28 KB, also where each character takes six bytes of JSON. */
const rules: MessageRules = {
  title: { max: 256, lines: false, escape: (text) => text },
  body: { max: 3500, lines: true, escape: (text) => text },
}

const fields = {
  url: field
    .secret({
      description: 'Address of the workflow "when a webhook request is received"; a secret',
    })
    .required(),
  template: messageTemplate(rules),
}

/** @throws ConfigurationError for an invalid option */
export function teamsContact(options: PostingOptions = {}): ContactKind<typeof fields, 'teams'> {
  checkOptions('teamsContact', options, postingOptions)
  return postingKind(options, {
    kind: 'teams',
    title: 'Microsoft Teams',
    fields,
    target: ({ url }) => ({ field: 'url', url }),
    secrets: ({ url }) => secretsOfAddress(url),
    rules,
    compose: (message, _, written) => ({ body: content(message, written) }),
  })
}

function content(message: Message, written: Written): JsonObject {
  const { link, severity, facts } = message
  const title = { weight: 'Bolder', size: 'Large', color: COLOURS[severity] }
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    // The first version with text runs.
    version: '1.2',
    fallbackText: written.title ?? message.title,
    body: [
      line({ ...title, text: written.title ?? markedTitle(message) }),
      ...(written.body?.split('\n').map((text) => line({ text })) ?? facts.map(factLine)),
    ],
    ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: link }] }),
  }
  const attachment = {
    contentType: 'application/vnd.microsoft.card.adaptive',
    contentUrl: null,
    content: card,
  }
  return { type: 'message', attachments: [attachment] }
}

function factLine({ label, text }: Fact): JsonObject {
  return line({ text: `${label}: `, weight: 'Bolder' }, { text })
}

function line(...runs: readonly JsonObject[]): JsonObject {
  return {
    type: 'RichTextBlock',
    inlines: runs.map((run) => ({ type: 'TextRun', ...run })),
  }
}
