/**
 * Errors that end a check: thrown by the network, and by checkers for their own protocols.
 *
 * @module
 */

import { WatchpostError } from '../errors.ts'
import type { Phase } from '../model.ts'

export interface FailureOptions extends ErrorOptions {
  readonly phase?: Phase | undefined
}

/**
 * A failure with a known cause. `message` is the cause text, without secrets and without a stack.
 */
export class CheckFailure extends WatchpostError {
  readonly phase: Phase | undefined

  constructor(cause_code: string, cause_text: string, options: FailureOptions = {}) {
    super(cause_code, cause_text, options)
    this.phase = options.phase
  }
}

/** The causes that the network itself produces; all of them are shared causes of the checkers. */

export type TransportCause =
  | `dns_${'nxdomain' | 'no_records' | 'server_failure' | 'refused' | 'timeout'}`
  | `connect_${'refused' | 'timeout' | 'reset' | 'unreachable' | 'blocked'}`
  | 'closed_early'
  | 'send_failed'
  | 'timeout'
  | `tls_${'handshake' | 'timeout' | 'protocol' | 'not_tls' | 'expired' | 'not_yet_valid'}`
  | `tls_${'self_signed' | 'chain_incomplete' | 'untrusted' | 'name_mismatch' | 'revoked'}`
  | `tls_client_cert_${'required' | 'refused' | 'expired'}`
  | `${'banner' | 'auth' | 'query' | 'http_response' | 'http_body'}_timeout`
  | 'protocol_error'
  | 'too_long'
  | `probe_${'offline' | 'unsupported' | 'overloaded' | 'resolver_broken' | 'stopped'}`
  | 'internal_error'
/** Code and text. */

export type Cause = readonly [code: TransportCause | ProxyCause | OAuthCause, text: string]

/** Of checkers that get a token from an authorization server first. */
export type OAuthCause = `oauth_${'unreachable' | 'timeout' | 'refused' | 'protocol_error'}`

/** Of checkers that can go through a proxy. */
export type ProxyCause =
  `proxy_${'unreachable' | 'auth' | 'refused' | 'target_unreachable' | 'timeout'}`
