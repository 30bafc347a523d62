/**
 * Descriptions of the settings and measurements of the type `websocket`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Address to open (1 to 2048 characters) */
  readonly url: unknown
  /** Offered subprotocols; the server must choose one (0 to 10 items) */
  readonly subprotocols: unknown
  /** More request headers, such as Origin; values of all but well-known harmless ones are secrets */
  readonly headers: unknown
  /** Text message that is sent once the WebSocket is open (1 to 4096 characters) */
  readonly send: unknown
  /** Pattern that a message of the server must match; binary ones are read as latin1 (at most 1000 characters) */
  readonly message_regex: unknown
  /** Without message_regex: sends a ping and waits for its pong (default `true`) */
  readonly ping: unknown
  /** Accept any certificate (default `false`) */
  readonly ignore_tls_errors: unknown
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
  /** Subprotocol that the server has chosen */
  readonly subprotocol: unknown
  /** Time from the ping to its pong, ms */
  readonly pong_ms: unknown
  /** The beginning of the last message, at most 256 characters, escaped */
  readonly message: unknown
  /** Number of received messages */
  readonly messages: unknown
  /** What the handshake agreed on: protocol, cipher, alpn, authorized, not_after */
  readonly tls: unknown
  /** Every address that was tried, with cause_code and duration_ms; only where there were several tries */
  readonly attempts: unknown
  /** true: the first address did not answer, a later one did */
  readonly fallback: unknown
}
