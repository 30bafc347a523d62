/**
 * Builds the message as bytes, the same at every attempt.
 *
 * `Message-ID` is derived from the notification's id and time, so that a receiver recognizes a
 * repeated attempt (RFC 5322, 3.6.4). All messages of one incident refer to the same nonexistent
 * message, by which mail programs group them into a thread, whichever arrived.
 *
 * @module
 */

import type MailComposer from 'nodemailer/lib/mail-composer'
import { cut, escapeMarkup, factLines } from '../text.ts'
import type { Message } from '../message.ts'
import type { Severity } from '../message.ts'

/** RFC 5322, 2.1.1 allows 998 for a line; a readable subject is shorter. */
export const SUBJECT_CHARS = 200

export interface Envelope {
  readonly from: string
  readonly to: readonly string[]
}

export interface Letter extends Envelope {
  readonly message: Message
  /** The user's words. */
  readonly written?: WrittenMail
  /** Display name of the sender. */
  readonly brand: string
}

export type Composer = typeof MailComposer

export function composeMessage(Composer: Composer, letter: Letter): Promise<Buffer> {
  const { from, to, message, written = {}, brand } = letter
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const sent_at = new Date(message.sent_at)
  const own = `notification-${message.notification_id}-${sent_at.getTime()}`
  const thread =
    message.incident_key === null ? undefined : `<incident-${message.incident_key}@${domain}>`
  const mail = {
    from: { name: brand, address: from },
    to: [...to],
    date: sent_at,
    messageId: `<${own}@${domain}>`,
    ...(thread === undefined ? {} : { inReplyTo: thread, references: thread }),
    // RFC 3834, 5: prevents out-of-office replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...partsOf(message, written),
    // Random by default, which would change the bytes at each attempt.
    baseBoundary: own,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return new Composer(mail).compile().build()
}

/** Subject, text and HTML of a message. */
export interface WrittenMail {
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly html?: string | undefined
}

export function partsOf(
  message: Message,
  written: WrittenMail,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const { title, body } = written
  const shown = { ...message, title: title ?? message.title }
  const subject = title ?? cut(`${WORDS[message.severity]}: ${message.title}`, SUBJECT_CHARS)
  return {
    subject,
    text: body === undefined ? plainText(shown) : `${body.trimEnd()}\n`,
    html: written.html ?? html(shown, body),
  }
}

const WORDS: Readonly<Record<Severity, string>> = {
  down: 'DOWN',
  up: 'UP',
  warning: 'WARNING',
  info: 'INFO',
}

const COLOURS: Readonly<Record<Severity, string>> = {
  down: '#b42318',
  up: '#107a3e',
  warning: '#8a5a00',
  info: '#1f4fbf',
}

function plainText({ title, facts }: Message): string {
  return `${title}\n\n${factLines(facts)}`.trimEnd() + '\n'
}

/** The facts, or this text in their place. */
function html({ title, facts, severity }: Message, body?: string): string {
  const rows = facts.map(
    ({ label, text }) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#555;vertical-align:top">${safe(label)}</td>` +
      `<td style="padding:2px 0;white-space:pre-wrap">${safe(text)}</td></tr>`,
  )
  return [
    '<div style="font-family:sans-serif;font-size:15px;line-height:1.4">',
    `<h2 style="font-size:18px;color:${COLOURS[severity]}">${safe(title)}</h2>`,
    ...(body === undefined ? [] : [`<div style="white-space:pre-wrap">${safe(body)}</div>`]),
    ...(body !== undefined || rows.length === 0
      ? []
      : [`<table style="border-collapse:collapse">${rows.join('\n')}</table>`]),
    '</div>',
  ].join('\n')
}

function safe(text: string): string {
  return escapeMarkup(text).replaceAll('"', '&quot;')
}
