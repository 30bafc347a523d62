/**
 * Causes of mail and FTP servers besides those of the transport.
 *
 * @module
 */

import type { Phase } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { SharedCause } from '../causes.ts'
import type { CauseTable } from '../checker.ts'

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
