/**
 * Descriptions of the settings and measurements of the type `redis`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Host name or IP address (1 to 253 characters) */
  readonly host: unknown
  /** TCP port (1 to 65535; default `6379`) */
  readonly port: unknown
  /** Speak TLS from the first byte (default `false`) */
  readonly tls: unknown
  /** Accept any certificate (default `false`) */
  readonly ignore_tls_errors: unknown
  /** ACL user (Redis 6); only with pass (1 to 512 characters) */
  readonly user: unknown
  /** Password; AUTH is sent only with one (1 to 4096 characters) */
  readonly pass: unknown
  /** Role that the server must have; a replica must be connected to its master */
  readonly expected_role: unknown
  /** Smallest number of replicas that the master must have (1 to 1000) */
  readonly replicas_min: unknown
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
  /** Time from PING to its answer, ms */
  readonly ping_ms: unknown
  /** Role in the replication: master or replica; only where one is expected */
  readonly role: unknown
  /** Number of connected replicas; only where a role or replicas are expected */
  readonly replicas: unknown
  /** up or down: the link of a replica to its master */
  readonly master_link: unknown
  /** What the handshake agreed on: protocol, cipher, alpn, authorized, not_after */
  readonly tls: unknown
  /** Every address that was tried, with cause_code and duration_ms; only where there were several tries */
  readonly attempts: unknown
  /** true: the first address did not answer, a later one did */
  readonly fallback: unknown
}
