/**
 * Quotes the server's words in texts: on one line, short, and without our credentials in any
 * encoding that a server may echo.
 *
 * @module
 */

import { escapeBytes } from '../../fields/escapes.ts'

export interface Login {
  readonly user: string
  readonly pass: string
}

const SHOWN = 160

/** Quotes a server line (latin1) for a text. */
export type Quote = (said: string) => string

export function quoter(login: Login | undefined): Quote {
  const forms = login === undefined ? [] : formsOf(login)
  return (said) => {
    const clean = forms.reduce((text, form) => text.replaceAll(form, '***'), said)
    return `"${escapeBytes(clean.trim(), SHOWN)}"`
  }
}

/** Quotes a text that a library has decoded. */
export function quoteText(quote: Quote, text: string): string {
  return quote(Buffer.from(text, 'utf8').toString('latin1'))
}

/** RFC 4616: an empty authorization identity, then user and password. */
export function saslPlain({ user, pass }: Login): string {
  return base64(`\0${user}\0${pass}`)
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}

/** The encodings of the password on the wire, longest first, as latin1. */
function formsOf(login: Login): readonly string[] {
  const raw = Buffer.from(login.pass, 'utf8').toString('latin1')
  const quoted = raw.replace(/["\\]/g, '\\$&')
  const forms = [saslPlain(login), base64(login.pass), quoted, raw]
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}
