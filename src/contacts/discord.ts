/**
 * Discord by a webhook (https://discord.com/developers/docs/resources/webhook#execute-webhook).
 *
 * One embed: title 256 characters, description 4096
 * (https://discord.com/developers/docs/resources/message#embed-object-embed-limits).
 * `allowed_mentions` is empty, so that the name of a monitor mentions no user, and Markdown is
 * escaped. A 429 has the delay in `retry_after`
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
import { cutEscaped, factLines, markedTitle } from './text.ts'
import type { Message } from './message.ts'

const TITLE_CHARS = 256
const DESCRIPTION_CHARS = 4096

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
  })
}

function content(message: Message, { title, body }: Written): JsonObject {
  const embed = {
    title: title ?? cutEscaped(markedTitle(message), TITLE_CHARS, escapeMarkdown),
    description: body ?? cutEscaped(factLines(message.facts), DESCRIPTION_CHARS, escapeMarkdown),
    color: COLOURS[message.severity],
    timestamp: message.sent_at,
    ...(message.link === null ? {} : { url: message.link }),
  }
  return { embeds: [embed], allowed_mentions: { parse: [] } }
}

function escapeMarkdown(text: string): string {
  return escapeDiscord(text, '')
}
