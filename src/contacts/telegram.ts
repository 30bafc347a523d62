/**
 * Telegram by the Bot API (https://core.telegram.org/bots/api#sendmessage): a bold title and the
 * facts, in HTML with `& < >` escaped and without mentions (https://core.telegram.org/bots/api#html-style), at most 4096
 * characters. The URL contains the token and is therefore a secret too. A 429 has the delay in
 * `parameters.retry_after` (https://core.telegram.org/bots/api#responseparameters).
 *
 * @module
 */

import { field } from '../fields/vocabulary.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { ContactKind } from '../webhook/contact-kind.ts'
import { escapeTelegram, telegramProblem, unmentionedAtTelegram } from './markup.ts'
import { messageTemplate } from './message-template.ts'
import type { MessageRules } from './message-template.ts'
import { baseOf, postingKind, postingOptions } from './posting.ts'
import type { PostingOptions, Written } from './posting.ts'
import { cutEscaped, escapeMarkup, factLines, markedTitle, plainWords } from './text.ts'
import type { Message } from './message.ts'

/** Telegram counts the text without tags; counting them too is on the safe side. */
const TEXT_CHARS = 4096

/** https://core.telegram.org/bots/features#botfather; no character that could change the path. */
const TOKEN = /^\d{1,20}:[\w-]{10,100}$/
/** An id, negative for groups, or the public name of a channel. */
const CHAT = /^(?:-?\d{1,20}|@\w{1,64})$/

/** Together below the limit of a message, with the tags of the title. */
const TITLE_CHARS = 500

/** The title is text, shown bold; the body is HTML with the tags that Telegram knows. */
const rules: MessageRules = {
  title: { max: TITLE_CHARS, lines: false, plain: true, escape: escapeTelegram },
  body: {
    max: TEXT_CHARS - TITLE_CHARS - '<b></b>\n'.length,
    lines: true,
    escape: escapeTelegram,
    problem: telegramProblem,
  },
}

const fields = {
  token: field.secret({ description: 'Token of the bot, from @BotFather' }).required(),
  chat_id: field
    .text({
      description: 'Chat to write to: its id, or @name of a public channel',
      max: 65,
      trim: true,
      example: '-1001234567890',
    })
    .required(),
  thread_id: field.integer({
    description: 'Topic of a group that has topics',
    min: 1,
    max: 2 ** 31 - 1,
  }),
  template: messageTemplate(rules),
}

export interface TelegramOptions extends PostingOptions {
  /** Your own Bot API server. Default `https://api.telegram.org`. */
  readonly baseUrl?: string | undefined
}

/** @throws ConfigurationError for an invalid option */
export function telegramContact(
  options: TelegramOptions = {},
): ContactKind<typeof fields, 'telegram'> {
  checkOptions('telegramContact', options, { ...postingOptions, baseUrl: option.text })
  const base = baseOf(options.baseUrl ?? 'https://api.telegram.org')
  return postingKind(options, {
    kind: 'telegram',
    title: 'Telegram',
    fields,
    target: ({ token }) => ({ field: 'token', url: `${base}/bot${token}/sendMessage` }),
    refine: ({ token, chat_id }) => ({
      ...(TOKEN.test(token) ? {} : { token: 'invalid: 123456:ABC… is expected' }),
      ...(CHAT.test(chat_id) ? {} : { chat_id: 'invalid: an id or @name is expected' }),
    }),
    secrets: ({ token }) => [token, encodeURIComponent(token), token.replace(/^\d+:/, '')],
    rules,
    compose: (message, { chat_id, thread_id }, written) => ({
      body: {
        chat_id,
        ...(thread_id === undefined ? {} : { message_thread_id: thread_id }),
        text: html(message, written),
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
      },
    }),
    // To the chat itself: the topic may be what was refused, as one that was deleted.
    plain: (message, { chat_id }) => ({
      chat_id,
      text: cutEscaped(plainWords(message), TEXT_CHARS, unmentionedAtTelegram),
      link_preview_options: { is_disabled: true },
    }),
  })
}

function html(message: Message, written: Written): string {
  const title = `<b>${written.title ?? escaped(markedTitle(message))}</b>`
  const left = TEXT_CHARS - title.length - 1
  const body = written.body ?? cutEscaped(factLines(message.facts), left, escaped)
  return `${title}\n${body}`.trim()
}

function escaped(text: string): string {
  return escapeMarkup(unmentionedAtTelegram(text))
}
