/**
 * Descriptions of the settings and measurements of the type `postgres`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Host name or IP address (1 to 253 characters) */
  readonly host: unknown
  /** TCP port (1 to 65535; default `5432`) */
  readonly port: unknown
  /** off; prefer: TLS where the server offers it; require: TLS with any certificate; verify: TLS with a valid certificate for the host (default `"prefer"`) */
  readonly tls: unknown
  /** Logs in as this user (1 to 256 characters) */
  readonly user: unknown
  /** Password of the user (0 to 4096 characters; default `""`) */
  readonly pass: unknown
  /** Database to log in to; where absent the one named like the user (1 to 256 characters) */
  readonly database: unknown
  /** One statement that only reads (SELECT, WITH, VALUES, SHOW, EXPLAIN), run in a read-only transaction; where absent the check ends with the login and a ping (1 to 10000 characters) */
  readonly query: unknown
  /** Rows that the query must return at least; needs a query (0 to 1000) */
  readonly expect_rows_min: unknown
  /** Client certificate, PEM, for servers that ask for one; the issuers to send with it follow (1 to 32768 characters) */
  readonly tls_cert: unknown
  /** Private key of tls_cert, PEM, of at most 4096 bits (1 to 8192 characters) */
  readonly tls_key: unknown
  /** Passphrase of tls_key, where it is encrypted (1 to 4096 characters) */
  readonly tls_key_pass: unknown
}

export interface Measurements {
  /** Rows read of the result, at most expect_rows_min or 1 */
  readonly rows: unknown
  /** true: the login may only read; false: it may do more, see read_only_why; only with a query, and where the server says it */
  readonly read_only: unknown
  /** What the login may do beyond reading, at most 5; only where read_only is false */
  readonly read_only_why: unknown
  /** Version as the server gives it */
  readonly server_version: unknown
  /** SQLSTATE of the error, five characters */
  readonly sqlstate: unknown
  /** What the handshake agreed on: protocol, cipher, alpn, authorized, not_after */
  readonly tls: unknown
  /** Every address that was tried, with cause_code and duration_ms; only where there were several tries */
  readonly attempts: unknown
  /** true: the first address did not answer, a later one did */
  readonly fallback: unknown
}
