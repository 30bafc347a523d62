/**
 * Discord by a webhook (https://discord.com/developers/docs/resources/webhook#execute-webhook).
 *
 * One embed: title 256 characters, description 4096
 * (https://discord.com/developers/docs/resources/message#embed-object-embed-limits).
 * `allowed_mentions` is empty, so that the name of a monitor mentions no user, and Markdown is
 * escaped. An embed whose link has a host that is no full name is refused, and with it the whole message
 * (https://github.com/bugsink/bugsink/issues/280): it has no link then. A 429 has the delay in `retry_after`
 * (https://discord.com/developers/docs/topics/rate-limits).
 *
 * @module
 */

import { field } from '../fields/vocabulary.ts'
import type { JsonObject } from '../model.ts'
import { checkOptions } from '../options.ts'
import type { ContactKind } from '../webhook/contact-kind.ts'
import { escapeDiscord } from './markup.ts'
import { messageTemplate } from './message-template.ts'
import type { MessageRules } from './message-template.ts'
import { postingKind, secretsOfAddress, postingOptions } from './posting.ts'
import type { PostingOptions, Written } from './posting.ts'
import { cutEscaped, factLines, markedTitle, plainWords } from './text.ts'
import type { Message } from './message.ts'

const TITLE_CHARS = 256
const DESCRIPTION_CHARS = 4096
/** Of a message without an embed. */
const CONTENT_CHARS = 2000

const COLOURS = { down: 0xd92d20, up: 0x12a150, warning: 0xf5a524, info: 0x2f6fed } as const

/** Both are Markdown. */
const rules: MessageRules = {
  title: { max: TITLE_CHARS, lines: false, escape: escapeDiscord },
  body: { max: DESCRIPTION_CHARS, lines: true, escape: escapeDiscord },
}

const fields = {
  url: field
    .secret({ description: 'Address of the webhook; anyone who has it can post' })
    .required(),
  template: messageTemplate(rules),
}

/** @throws ConfigurationError for an invalid option */
export function discordContact(
  options: PostingOptions = {},
): ContactKind<typeof fields, 'discord'> {
  checkOptions('discordContact', options, postingOptions)
  return postingKind(options, {
    kind: 'discord',
    title: 'Discord',
    fields,
    target: ({ url }) => ({ field: 'url', url }),
    secrets: ({ url }) => secretsOfAddress(url),
    rules,
    compose: (message, _, written) => ({ body: content(message, written) }),
    plain: (message) => ({
      content: cutEscaped(plainWords(message), CONTENT_CHARS, escapeMarkdown),
      allowed_mentions: { parse: [] },
    }),
  })
}

function content(message: Message, { title, body }: Written): JsonObject {
  const embed = {
    title: title ?? cutEscaped(markedTitle(message), TITLE_CHARS, escapeMarkdown),
    description: body ?? cutEscaped(factLines(message.facts), DESCRIPTION_CHARS, escapeMarkdown),
    color: COLOURS[message.severity],
    timestamp: message.sent_at,
    ...linkOf(message),
  }
  return { embeds: [embed], allowed_mentions: { parse: [] } }
}

/** A name of at least two labels, the last of letters or an A-label (RFC 5890). */
const FULL_NAME = /^(?:[a-z\d-]+\.)+(?:[a-z]{2,63}|xn--[a-z\d-]+)$/

function linkOf({ link }: Message): { readonly url?: string } {
  if (link === null) return {}
  const url = new URL(link)
  // The dot of the root would be taken for an empty label.
  url.hostname = url.hostname.replace(/\.$/, '')
  return FULL_NAME.test(url.hostname) ? { url: url.href } : {}
}

function escapeMarkdown(text: string): string {
  return escapeDiscord(text, '')
}
