/**
 * Descriptions of the settings and measurements of the type `grpc`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Host name or IP address (1 to 253 characters) */
  readonly host: unknown
  /** TCP port (1 to 65535) */
  readonly port: unknown
  /** Service that is asked about; where absent the server as a whole (1 to 200 characters) */
  readonly service: unknown
  /** Speak TLS from the first byte (default `false`) */
  readonly tls: unknown
  /** Accept any certificate (default `false`) */
  readonly ignore_tls_errors: unknown
  /** Name in :authority and SNI, and in the certificate; where absent the host (1 to 253 characters) */
  readonly authority: unknown
  /** Metadata of the call, such as authorization; values of all but well-known harmless ones are secrets */
  readonly headers: unknown
  /** Address family; auto takes the first address that answers (default `"auto"`) */
  readonly ip_family: unknown
  /** Client certificate, PEM, for servers that ask for one; the issuers to send with it follow (1 to 32768 characters) */
  readonly tls_cert: unknown
  /** Private key of tls_cert, PEM, of at most 4096 bits (1 to 8192 characters) */
  readonly tls_key: unknown
  /** Passphrase of tls_key, where it is encrypted (1 to 4096 characters) */
  readonly tls_key_pass: unknown
}

export interface Measurements {
  /** SERVING, NOT_SERVING, UNKNOWN or SERVICE_UNKNOWN */
  readonly serving_status: unknown
  /** Status of the call, such as OK or UNIMPLEMENTED */
  readonly grpc_status: unknown
  /** What the handshake agreed on: protocol, cipher, alpn, authorized, not_after */
  readonly tls: unknown
  /** Every address that was tried, with cause_code and duration_ms; only where there were several tries */
  readonly attempts: unknown
  /** true: the first address did not answer, a later one did */
  readonly fallback: unknown
}
