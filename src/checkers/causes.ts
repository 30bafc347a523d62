/**
 * The causes that every checker shares: those of the transport, of our own side, and of the deadline.
 * Codes are stable and only ever added to; receivers may match them by prefix.
 *
 * @module
 */

import type { Phase } from '../model.ts'

/** A cause as a checker declares it. */
export interface CauseInfo {
  /** Used where a judgement brings no text of its own. */
  readonly text: string
  /** `unknown`: our side could not measure. Default `fail`. */
  readonly verdict?: 'fail' | 'unknown'
  readonly phase?: Phase
}

export const SHARED_CAUSES = {
  dns_nxdomain: { text: 'The host name does not exist', phase: 'resolve' },
  dns_no_records: { text: 'The host name has no address of the wanted family', phase: 'resolve' },
  dns_server_failure: {
    text: 'The name servers of the host name answered with a failure',
    phase: 'resolve',
  },
  dns_refused: { text: 'The name server refused to answer', phase: 'resolve' },
  dns_timeout: { text: 'No answer from the name servers in time', phase: 'resolve' },

  connect_refused: { text: 'The connection was refused', phase: 'connect' },
  connect_timeout: { text: 'The connection was not accepted in time', phase: 'connect' },
  connect_reset: { text: 'The connection was reset' },
  connect_unreachable: { text: 'The host or network cannot be reached', phase: 'connect' },
  connect_blocked: { text: 'The address is not allowed as a target', phase: 'connect' },
  closed_early: { text: 'The connection was closed before the exchange was complete' },
  send_failed: { text: 'The data could not be sent', phase: 'send' },
  timeout: { text: 'The check was not complete in time' },

  tls_handshake: { text: 'The TLS handshake failed', phase: 'tls' },
  tls_timeout: { text: 'The TLS handshake was not complete in time', phase: 'tls' },
  tls_protocol: { text: 'No common TLS version or cipher', phase: 'tls' },
  tls_not_tls: { text: 'The server does not speak TLS on this port', phase: 'tls' },
  tls_expired: { text: 'The certificate, or one of its chain, has expired', phase: 'tls' },
  tls_not_yet_valid: {
    text: 'The certificate, or one of its chain, is not valid yet',
    phase: 'tls',
  },
  tls_self_signed: { text: 'The certificate is self-signed', phase: 'tls' },
  tls_chain_incomplete: {
    text: 'The server does not send the whole certificate chain',
    phase: 'tls',
  },
  tls_untrusted: { text: 'The certificate is not issued by a trusted authority', phase: 'tls' },
  tls_name_mismatch: { text: 'The certificate is for another name', phase: 'tls' },
  tls_revoked: { text: 'The certificate has been revoked', phase: 'tls' },
  tls_unsupported: { text: 'The server does not offer TLS', phase: 'starttls' },

  banner_timeout: { text: 'The server did not say what was expected in time', phase: 'greeting' },
  auth_timeout: { text: 'The login was not complete in time', phase: 'auth' },
  query_timeout: { text: 'The query was not complete in time', phase: 'query' },
  http_response_timeout: { text: 'No answer to the request in time', phase: 'first_byte' },
  http_body_timeout: { text: 'The body was not complete in time', phase: 'transfer' },

  protocol_error: { text: 'The server does not speak the protocol' },
  too_long: { text: 'The server sent more than is read', verdict: 'unknown' },

  probe_offline: { text: 'The location itself has no network', verdict: 'unknown' },
  probe_unsupported: { text: 'This machine cannot make this check', verdict: 'unknown' },
  probe_overloaded: { text: 'The machine was too busy to measure', verdict: 'unknown' },
  probe_resolver_broken: {
    text: "The location's own name server does not answer",
    verdict: 'unknown',
    phase: 'resolve',
  },
  probe_no_report: { text: 'The location did not report in time', verdict: 'unknown' },
  probe_stopped: { text: 'The check was stopped before it was complete', verdict: 'unknown' },
  internal_error: { text: 'The check failed for a reason of its own', verdict: 'unknown' },
} as const satisfies Readonly<Record<string, CauseInfo>>

export type SharedCause = keyof typeof SHARED_CAUSES
