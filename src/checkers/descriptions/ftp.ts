/**
 * Descriptions of the settings and measurements of the type `ftp`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Host name or IP address (1 to 253 characters) */
  readonly host: unknown
  /** TCP port; where absent 21, or 990 with implicit TLS (1 to 65535) */
  readonly port: unknown
  /** TLS from the first byte (implicit), by command (starttls), or none. Absent or auto: implicit on 990, starttls with a user, else none */
  readonly tls: unknown
  /** Logs in as this user; without one the check ends before the login (1 to 512 characters) */
  readonly user: unknown
  /** Password of the user (1 to 4096 characters) */
  readonly pass: unknown
  /** Client certificate, PEM, for servers that ask for one; the issuers to send with it follow (1 to 32768 characters) */
  readonly tls_cert: unknown
  /** Private key of tls_cert, PEM, of at most 4096 bits (1 to 8192 characters) */
  readonly tls_key: unknown
  /** Passphrase of tls_key, where it is encrypted (1 to 4096 characters) */
  readonly tls_key_pass: unknown
}

export interface Measurements {
  /** What the server greeted with, at most 256 characters, escaped */
  readonly banner: unknown
  /** What the server offers, in its own words; behind TLS where that is spoken */
  readonly capabilities: unknown
  /** Whether the server offers the change to TLS; only on connections that begin in clear */
  readonly starttls: unknown
  /** How the login was made; only with a user */
  readonly auth_method: unknown
  /** What the handshake agreed on: protocol, cipher, alpn, authorized, not_after */
  readonly tls: unknown
  /** Every address that was tried, with cause_code and duration_ms; only where there were several tries */
  readonly attempts: unknown
  /** true: the first address did not answer, a later one did */
  readonly fallback: unknown
}
