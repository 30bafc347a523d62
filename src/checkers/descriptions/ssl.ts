/**
 * Descriptions of the settings and measurements of the type `ssl`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Host name (sent as SNI) or IP address (1 to 253 characters) */
  readonly host: unknown
  /** TCP port; 443 with starttls is the usual port of that protocol (1 to 65535; default `443`) */
  readonly port: unknown
  /** The connection begins in clear, in this protocol, and changes to TLS; where absent it is TLS from the first byte */
  readonly starttls: unknown
  /** Days before the end at which to warn, one or several. Default: 14, at most a third of the lifetime (1 to 10 items) */
  readonly days_warn: unknown
  /** Fail where the chain does not lead to a trusted authority or has ended (default `true`) */
  readonly check_chain: unknown
  /** Fail where the certificate is for another name (default `true`) */
  readonly check_hostname: unknown
  /** Tell of a certificate that was not seen before (default `false`) */
  readonly alert_on_change: unknown
  /** The OCSP response that the server staples to its certificate: optional; expected: without one there is a weakness; required: fail without one that says the certificate is good. A revoked certificate always fails, and a must-staple one always requires it (default `"optional"`) */
  readonly ocsp_stapling: unknown
  /** Client certificate, PEM, for servers that ask for one; the issuers to send with it follow (1 to 32768 characters) */
  readonly tls_cert: unknown
  /** Private key of tls_cert, PEM, of at most 4096 bits (1 to 8192 characters) */
  readonly tls_key: unknown
  /** Passphrase of tls_key, where it is encrypted (1 to 4096 characters) */
  readonly tls_key_pass: unknown
}

export interface Measurements {
  /** Subject of the server's certificate */
  readonly subject: unknown
  /** Names it is for (subject alternative names), at most 100 */
  readonly names: unknown
  /** How many names it is for */
  readonly names_total: unknown
  /** Who issued it */
  readonly issuer: unknown
  /** Serial number, hex */
  readonly serial: unknown
  /** SHA-256 of the certificate, hex with colons */
  readonly fingerprint256: unknown
  /** Begin of its validity (ISO 8601 UTC) */
  readonly not_before: unknown
  /** End of its validity (ISO 8601 UTC) */
  readonly not_after: unknown
  /** Whole days until its end, negative after it */
  readonly days_left: unknown
  /** Its public key: type, bits, curve, and whether it is weak by the rules of today */
  readonly key: unknown
  /** Where its issuer's certificate can be fetched */
  readonly ca_issuers: unknown
  /** Every certificate as it was sent, at most 10: subject, issuer, fingerprint256, not_after, days_left */
  readonly chain: unknown
  /** Earliest end among the certificate and its issuers that were sent, roots left out */
  readonly chain_not_after: unknown
  /** Whole days until then */
  readonly chain_days_left: unknown
  /** TLS version; null where no handshake came to its end, here and below */
  readonly protocol: unknown
  /** Cipher suite */
  readonly cipher: unknown
  /** Protocol the server chose of h2 and http/1.1 */
  readonly alpn: unknown
  /** Whether the strict handshake was content; null where the server broke it off for want of a client certificate */
  readonly authorized: unknown
  /** What it was refused for, in the words of Node.js */
  readonly authorization_error: unknown
  /** Every cause found, those that the settings ignore included */
  readonly faults: unknown
  /** What is outdated: weak_key, weak_issuer_key (too short), old_protocol (TLS 1.0 or 1.1); and what is wrong with the OCSP response: ocsp_missing (if it is expected), ocsp_expired, ocsp_invalid; empty where nothing is */
  readonly weaknesses: unknown
  /** How many these are */
  readonly weaknesses_total: unknown
  /** Whether the certificate requires an OCSP response with it */
  readonly must_staple: unknown
  /** Whether the server sent an OCSP response along */
  readonly ocsp_stapled: unknown
  /** What it says: status (good, revoked, unknown; null where it proves nothing), problem, this_update, next_update, revoked_at, reason; null where none was sent */
  readonly ocsp: unknown
  /** Whole hours until it ends, negative after it; null where it proves nothing */
  readonly ocsp_hours_left: unknown
  /** required: the server speaks only to clients with a certificate of their own */
  readonly client_certificate: unknown
  /** Every address that was tried, with cause_code and duration_ms; only where there were several tries */
  readonly attempts: unknown
  /** true: the first address did not answer, a later one did */
  readonly fallback: unknown
}
