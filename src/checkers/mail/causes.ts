/**
 * Causes of mail and FTP servers besides those of the transport, and the quotes in their texts: the
 * words of the server, on one line, short, and without our credentials in any encoding that a server
 * may echo.
 *
 * @module
 */

import type { Phase } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { SharedCause } from '../causes.ts'
import type { CauseTable } from '../checker.ts'
import { escapeBytes } from '../../fields/escapes.ts'

export const MAIL_CAUSES = {
  /** As `protocol_error`. */
  greeting_rejected: { text: 'The server does not want to talk to us', phase: 'greeting' },
  /** As `auth_temporary`. */
  service_closing: { text: 'The server is up and closes the service, or is too busy' },
  /**
   * settings: Try the same login from the machine of the probe: the password changed or expired, or the
   * user is locked or not allowed from its address.
   */
  auth_failed: { text: 'The server refused user or password', phase: 'auth' },
  /**
   * settings: The server requires TLS before a login, or an unsupported method: the page of the type
   * lists the supported ones.
   */
  auth_unsupported: { text: 'The server offers no login that can be used', phase: 'auth' },
  /**
   * The server is up; its backend (a directory, a store) is down or its connections are used up. If this
   * passes by itself, raise `fail_threshold`.
   */
  auth_temporary: { text: 'The server cannot check the login at present', phase: 'auth' },
} as const satisfies CauseTable

/** Causes of the checkers that examine the greeting. */
export const BANNER_CAUSES = {
  /** As `protocol_error`. */
  banner_mismatch: { text: 'The greeting is another one', phase: 'greeting' },
} as const satisfies CauseTable

export type MailCause = keyof typeof MAIL_CAUSES | keyof typeof BANNER_CAUSES | SharedCause

/** A failure to throw from the dialogue. */
export function failure(cause_code: MailCause, cause_text: string, phase?: Phase): CheckFailure {
  return new CheckFailure(cause_code, cause_text, { phase })
}

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
