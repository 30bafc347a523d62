/**
 * Descriptions of the settings and measurements of the type `tcp`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Host name or IP address (1 to 253 characters) */
  readonly host: unknown
  /** TCP port (1 to 65535) */
  readonly port: unknown
  /** Speak TLS from the first byte, with a valid certificate (default `false`) */
  readonly tls: unknown
  /** Address family; auto takes the first address that answers (default `"auto"`) */
  readonly ip_family: unknown
  /** Sent once connected, at most 1024 bytes; \r \n \t \0 \\ and \xHH are read as escapes (1 to 4096 characters) */
  readonly send: unknown
  /** What the server must say, matched against its first 4096 bytes as latin1 (at most 1000 characters) */
  readonly banner_regex: unknown
  /** Client certificate, PEM, for servers that ask for one; the issuers to send with it follow (1 to 32768 characters) */
  readonly tls_cert: unknown
  /** Private key of tls_cert, PEM, of at most 4096 bits (1 to 8192 characters) */
  readonly tls_key: unknown
  /** Passphrase of tls_key, where it is encrypted (1 to 4096 characters) */
  readonly tls_key_pass: unknown
}

export interface Measurements {
  /** The beginning of what the server said, at most 256 characters, escaped */
  readonly banner: unknown
  /** Advice on this port */
  readonly hint: unknown
  /** What the handshake agreed on: protocol, cipher, alpn, authorized, not_after */
  readonly tls: unknown
  /** Every address that was tried, with cause_code and duration_ms; only where there were several tries */
  readonly attempts: unknown
  /** true: the first address did not answer, a later one did */
  readonly fallback: unknown
}
