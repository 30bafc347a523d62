/**
 * The causes that all checkers share: those of the transport, of the location, and of the deadline.
 * Codes are stable and none is removed; receivers may match them by prefix.
 *
 * @module
 */

import type { Phase } from '../model.ts'
import type { Pattern } from '../fields/pattern.ts'

/** A cause as a checker declares it. */
export interface CauseInfo {
  /** The text if a judgement has none of its own. */
  readonly text: string
  /** `unknown`: the location could not measure. Default `fail`. */
  readonly verdict?: 'fail' | 'unknown'
  readonly phase?: Phase
}

export const SHARED_CAUSES = {
  /**
   * Check the spelling of the name, whether its record was removed, and whether the domain expired
   * (`domain`). With `ip_family`, check for an address of that family; for `dns`, for a record of that
   * type.
   */
  dns_nxdomain: { text: 'The host name does not exist', phase: 'resolve' },
  /** As `dns_nxdomain`. */
  dns_no_records: { text: 'The host name has no address of the wanted family', phase: 'resolve' },
  /**
   * Check the zone's own name servers: whether they answer and whether the DNSSEC signatures are valid. A
   * `dns` monitor for each of them shows which one fails.
   */
  dns_server_failure: {
    text: 'The name servers of the host name answered with a failure',
    phase: 'resolve',
  },
  /** As `dns_server_failure`. */
  dns_refused: { text: 'The name server refused to answer', phase: 'resolve' },
  /** network: As `dns_server_failure`. */
  dns_timeout: { text: 'No answer from the name servers in time', phase: 'resolve' },

  /**
   * The host is reachable and nothing listens on the port: the service is stopped or listens on another
   * address.
   */
  connect_refused: { text: 'The connection was refused', phase: 'connect' },
  /**
   * network: The host is off or unreachable, or a firewall drops packets from this location. Compare
   * other locations.
   */
  connect_timeout: { text: 'The connection was not accepted in time', phase: 'connect' },
  /**
   * The server, or a proxy in front of it, closed the connection: check its log, connection limits, and
   * the backend of the proxy.
   */
  connect_reset: { text: 'The connection was reset' },
  /** network: As `connect_timeout`. */
  connect_unreachable: { text: 'The host or network cannot be reached', phase: 'connect' },
  /**
   * settings: A rule of watchpost, not an outage: with `targets: public` private addresses are blocked,
   * and cloud metadata addresses always are. See [production](../guide/production.md#allowed-targets).
   */
  connect_blocked: { text: 'The address is not allowed as a target', phase: 'connect' },
  /** As `connect_reset`. */
  closed_early: { text: 'The connection was closed before the exchange was complete' },
  /** As `connect_reset`. */
  send_failed: { text: 'The data could not be sent', phase: 'send' },
  /**
   * The target is slow: the phase shows where the time is spent. Check load, locks and backends; if it is
   * always slow, raise `timeout_ms` or `max_response_ms`.
   */
  timeout: { text: 'The check was not complete in time' },

  /**
   * Check the port and the TLS mode (`tls`): implicit or STARTTLS. Then versions, ciphers, and whether
   * the server requires a client certificate.
   */
  tls_handshake: { text: 'The TLS handshake failed', phase: 'tls' },
  /** As `timeout`. */
  tls_timeout: { text: 'The TLS handshake was not complete in time', phase: 'tls' },
  /** As `tls_handshake`. */
  tls_protocol: { text: 'No common TLS version or cipher', phase: 'tls' },
  /** settings: As `tls_handshake`. */
  tls_not_tls: { text: 'The server does not speak TLS on this port', phase: 'tls' },
  /**
   * Renew the certificate, then reload the server; often a renewed certificate is not loaded. An `ssl`
   * monitor warns in advance. Not yet valid: check the clocks.
   */
  tls_expired: { text: 'The certificate, or one of its chain, has expired', phase: 'tls' },
  /** As `tls_expired`. */
  tls_not_yet_valid: {
    text: 'The certificate, or one of its chain, is not valid yet',
    phase: 'tls',
  },
  /**
   * Check that it is the certificate you installed. For a private authority, pass its root to the engine
   * (`ca`; `NODE_EXTRA_CA_CERTS` for `watchpost serve`).
   */
  tls_self_signed: { text: 'The certificate is self-signed', phase: 'tls' },
  /**
   * Send the intermediate certificate too (`fullchain.pem`); browsers with a cached copy hide the fault.
   * An `ssl` monitor names the missing one.
   */
  tls_chain_incomplete: {
    text: 'The server does not send the whole certificate chain',
    phase: 'tls',
  },
  /** As `tls_self_signed`. */
  tls_untrusted: { text: 'The certificate is not issued by a trusted authority', phase: 'tls' },
  /**
   * The server presented the certificate of another site: a virtual host is missing, or the certificate
   * lacks the name.
   */
  tls_name_mismatch: { text: 'The certificate is for another name', phase: 'tls' },
  /** Replace the certificate and its key, and ask its authority why: often the key became known. */
  tls_revoked: { text: 'The certificate has been revoked', phase: 'tls' },
  /**
   * settings: The server speaks only to clients with a certificate of its authority: set `tls_cert` and
   * `tls_key`.
   */
  tls_client_cert_required: { text: 'The server requires a client certificate', phase: 'tls' },
  /**
   * settings: Check that an authority of the server issued `tls_cert`, that it may be used by clients, and that
   * the issuers between them are in `tls_cert`, too.
   */
  tls_client_cert_refused: { text: 'The server refuses our client certificate', phase: 'tls' },
  /** settings: The certificate in `tls_cert` has ended, not that of the server: renew it. */
  tls_client_cert_expired: {
    text: 'Our client certificate has expired, and the server refuses it',
    phase: 'tls',
  },
  /** settings: As `tls_handshake`. */
  tls_unsupported: { text: 'The server does not offer TLS', phase: 'starttls' },

  /** As `timeout`. */
  banner_timeout: { text: 'The server did not say what was expected in time', phase: 'greeting' },
  /** As `timeout`. */
  auth_timeout: { text: 'The login was not complete in time', phase: 'auth' },
  /** As `timeout`. */
  query_timeout: { text: 'The query was not complete in time', phase: 'query' },
  /** As `timeout`. */
  http_response_timeout: { text: 'No answer to the request in time', phase: 'first_byte' },
  /** As `timeout`. */
  http_body_timeout: { text: 'The body was not complete in time', phase: 'transfer' },

  /**
   * Another service answers on this port, or the server refuses the client: `cause_text` or
   * `details.banner` contains its response.
   */
  protocol_error: { text: 'The server does not speak the protocol' },
  /**
   * A limit of watchpost; the state of the target is unknown. It sent more than is read: for `mysql` and
   * `postgres` more than 4 MiB of rows (select fewer columns), otherwise an endless response. A large
   * pattern searches fewer characters: make it smaller.
   */
  too_long: { text: 'The server sent more than is read', verdict: 'unknown' },

  /**
   * The location itself: check its network, its name server (`/etc/resolv.conf`), its probe and Redis.
   * See [probes](../guide/probes.md#failures).
   */
  probe_offline: { text: 'The location itself has no network', verdict: 'unknown' },
  /** `cause_text` names what this machine lacks: a package, a permission, IPv6, the type itself. */
  probe_unsupported: { text: 'This machine cannot make this check', verdict: 'unknown' },
  /**
   * The process stalled, ran out of ports or files, was stopped, or was busy with silent lookups of other names. If it
   * recurs: reduce `limits.checks` or use a larger machine.
   */
  probe_overloaded: { text: 'The machine was too busy to measure', verdict: 'unknown' },
  /** As `probe_offline`. */
  probe_resolver_broken: {
    text: "The location's own name server does not answer",
    verdict: 'unknown',
    phase: 'resolve',
  },
  /** As `probe_offline`. */
  probe_no_report: { text: 'The location did not report in time', verdict: 'unknown' },
  /** As `probe_overloaded`. */
  probe_stopped: { text: 'The check was stopped before it was complete', verdict: 'unknown' },
  /** A bug in the checker: the log of the engine or probe contains the error. */
  internal_error: { text: 'The check failed for a reason of its own', verdict: 'unknown' },
} as const satisfies Readonly<Record<string, CauseInfo>>

export type SharedCause = keyof typeof SHARED_CAUSES

/** The text of the cause `too_long`. */
export function notSearched({ source, searched }: Pick<Pattern, 'source' | 'searched'>): string {
  const first = `The first ${searched.toLocaleString('en-US')} characters were searched`
  return `${first}, and no match of ${JSON.stringify(source.slice(0, 100))} is in them`
}
