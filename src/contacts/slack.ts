/**
 * Slack by an incoming webhook
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
 *
 * All text but a template's has the type `plain_text`, without formatting, and `& < >` are escaped
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
import { escapeMrkdwn } from './markup.ts'
import { messageTemplate } from './message-template.ts'
import type { MessageRules } from './message-template.ts'
import { postingKind, secretsOfAddress, postingOptions } from './posting.ts'
import type { PostingOptions, Written } from './posting.ts'
import { cutEscaped, escapeMarkup, factLines, markedTitle, plainWords } from './text.ts'
import type { Message } from './message.ts'

const HEADER_CHARS = 150
const SECTION_CHARS = 3000

/** A title is plain text; the body is mrkdwn, in which the user may write links and mentions. */
const rules: MessageRules = {
  title: { max: HEADER_CHARS, lines: false, plain: true, escape: escapeMarkup },
  body: { max: SECTION_CHARS, lines: true, escape: escapeMrkdwn },
}

const fields = {
  url: field
    .secret({ description: 'Address of the incoming webhook; anyone who has it can post' })
    .required(),
  template: messageTemplate(rules),
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
    rules,
    compose: (message, _, written) => ({ body: content(message, written) }),
    plain: (message) => ({
      text: cutEscaped(plainWords(message), SECTION_CHARS, escapeMarkup),
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    }),
  })
}

function content(message: Message, { title, body }: Written): JsonObject {
  const own = markedTitle(message)
  const lines = factLines(message.facts)
  const header = title === undefined ? plain(own, HEADER_CHARS) : plainText(title)
  const section =
    body === undefined
      ? plain(lines, SECTION_CHARS)
      : // Verbatim: no name of a channel becomes a link by itself.
        { type: 'mrkdwn', text: body, verbatim: true }
  return {
    // Used by notifications and screen readers; the channel shows `blocks` instead.
    text: title ?? cutEscaped(own, SECTION_CHARS, escapeMarkup),
    // Slack rejects an empty text.
    blocks: [
      { type: 'header', text: header },
      ...(section.text === '' ? [] : [{ type: 'section', text: section }]),
    ],
    unfurl_links: false,
    unfurl_media: false,
  }
}

function plain(text: string, max: number) {
  return plainText(cutEscaped(text, max, escapeMarkup))
}

function plainText(text: string) {
  return { type: 'plain_text', text, emoji: false }
}
