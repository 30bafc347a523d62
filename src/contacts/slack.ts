/**
 * Slack by an incoming webhook
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 *
 * All text has the type `plain_text`, without formatting, and `& < >` are escaped
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping), so that the name of a
 * monitor can neither mention a channel nor hide a link. Limits: 150 characters in a header block,
 * 3000 in a section block (https://docs.slack.dev/reference/block-kit/blocks/section-block).
 *
 * @module
 */

import { field } from '../fields/vocabulary.ts'
import type { JsonObject } from '../model.ts'
import { checkOptions } from '../options.ts'
import type { ContactKind } from '../webhook/contact-kind.ts'
import { postingKind, secretsOfAddress, postingOptions } from './posting.ts'
import type { PostingOptions } from './posting.ts'
import { cutEscaped, escapeMarkup, factLines, markedTitle } from './text.ts'
import type { Message } from './message.ts'

const HEADER_CHARS = 150
const SECTION_CHARS = 3000

const fields = {
  url: field
    .secret({ description: 'Address of the incoming webhook; anyone who has it can post' })
    .required(),
}

/** @throws ConfigurationError for an invalid option */
export function slackContact(options: PostingOptions = {}): ContactKind<typeof fields, 'slack'> {
  checkOptions('slackContact', options, postingOptions)
  return postingKind(options, {
    kind: 'slack',
    title: 'Slack',
    fields,
    target: ({ url }) => ({ field: 'url', url }),
    secrets: ({ url }) => secretsOfAddress(url),
    compose: (message) => ({ body: content(message) }),
  })
}

function content(message: Message): JsonObject {
  const title = markedTitle(message)
  const lines = factLines(message.facts)
  const header = { type: 'header', text: plain(title, HEADER_CHARS) }
  const section = { type: 'section', text: plain(lines, SECTION_CHARS) }
  return {
    // Used by notifications and screen readers; the channel shows `blocks` instead.
    text: cutEscaped(title, SECTION_CHARS, escapeMarkup),
    // Slack rejects an empty text.
    blocks: lines === '' ? [header] : [header, section],
    unfurl_links: false,
    unfurl_media: false,
  }
}

function plain(text: string, max: number): JsonObject {
  return { type: 'plain_text', text: cutEscaped(text, max, escapeMarkup), emoji: false }
}
