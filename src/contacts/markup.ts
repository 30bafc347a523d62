/**
 * Markup of services: what is escaped in a value, and what is checked in a template with HTML.
 *
 * @module
 */

import { at } from './template.ts'
import { escapeMarkup } from './text.ts'

export function escapeHtml(value: string): string {
  return escapeMarkup(value).replaceAll('"', '&quot;').replaceAll("'", '&#39;')
}

/** Telegram makes a mention of every `@name` in a text; with a zero-width space it is none. */
export function unmentionedAtTelegram(value: string): string {
  return value.replaceAll('@', '@\u200b')
}

/** In an address `@` has to stay as it is. */
export function escapeTelegram(value: string, name: string): string {
  return escapeHtml(name === 'link' ? value : unmentionedAtTelegram(value))
}

/**
 * Slack's mrkdwn has escapes for `& < >` alone
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping), without which there is neither a link nor a
 * mention. A backtick would end a code span of the template, and `|` the address of a link.
 */
export function escapeMrkdwn(value: string, name: string): string {
  const text = name === 'link' ? value.replaceAll('|', '%7C') : value
  return escapeMarkup(text.replaceAll('`', "'"))
}

/** Every character with a meaning in Discord's Markdown. An address is percent-encoded: it stands in `[text](…)`. */
export function escapeDiscord(value: string, name: string): string {
  if (name === 'link')
    return value.replace(
      /[\\*~`|<>[\]()@]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  return value.replace(/[\\*_~`|<>[\]()#:@-]/g, '\\$&')
}

/** Tags without attributes (https://core.telegram.org/bots/api#html-style); `a` alone has one. */
const TELEGRAM_TAGS = new Set(
  'b strong i em u ins s strike del tg-spoiler code pre blockquote'.split(' '),
)

/**
 * Telegram refuses a message with a tag that it does not know, or that is not closed, and with it the alert: such a
 * template is not saved.
 */
export function telegramProblem(text: string): string | undefined {
  const open: { readonly name: string; readonly index: number }[] = []
  for (const { 0: tag, index } of tagsIn(text)) {
    const inside = tag.slice(1, -1)
    const slash = inside.startsWith('/') ? '/' : ''
    const [name = ''] = /^[a-z-]+/.exec(inside.slice(slash.length)) ?? []
    const rest = inside.slice(slash.length + name.length)
    const isLink = name === 'a' && slash === '' && /^ href="[^"<>]+"$/.test(rest)
    const isKnown = (TELEGRAM_TAGS.has(name) || (name === 'a' && slash !== '')) && rest === ''
    if (!isLink && !isKnown)
      return at(index, `invalid: ${tag.slice(0, 40)} is no tag of Telegram, or has attributes`)
    if (slash === '') open.push({ name, index })
    else if (open.pop()?.name !== name) return at(index, `invalid: ${tag} closes what is not open`)
  }
  const [unclosed] = open
  if (unclosed !== undefined) return at(unclosed.index, `invalid: <${unclosed.name}> is not closed`)
  return htmlProblem(text) ?? entityProblem(text)
}

/** Angle brackets in pairs, and in a tag no value but that of an address in quotes. */
export function htmlProblem(text: string): string | undefined {
  const bare = text.replace(TAG, (tag) => ' '.repeat(tag.length)).search(/[<>]/)
  if (bare >= 0) return at(bare, 'invalid: outside of tags write &lt; and &gt;')
  for (const { 0: tag, index } of tagsIn(text)) {
    const left = tag.replace(/="\{\{\s*link\s*\}\}"/g, '').indexOf('{{')
    if (left >= 0) return at(index, 'invalid: in a tag only ="{{link}}" is inserted')
  }
  return undefined
}

function entityProblem(text: string): string | undefined {
  const index = text.search(/&(?!(?:amp|lt|gt|quot|#\d{1,7}|#x[\da-f]{1,6});)/i)
  return index < 0 ? undefined : at(index, 'invalid: write &amp; for &')
}

const TAG = /<[^<>]*>/g

function tagsIn(text: string): readonly (RegExpExecArray & { readonly 0: string })[] {
  return [...text.matchAll(TAG)]
}
