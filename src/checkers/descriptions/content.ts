/**
 * Descriptions of the settings and measurements of the type `content`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Address of the page; user:pass@ is moved to auth (1 to 2048 characters) */
  readonly url: unknown
  /** Patterns, one per line, bare or as /pattern/flags: what they match is cut out before the text is compared; blank lines and lines with # in front are comments (at most 8192 characters) */
  readonly ignore_regex: unknown
  /** User-Agent; Watchpost and its version where absent (1 to 1024 characters) */
  readonly user_agent: unknown
  /** Credentials for Basic authentication, for the first origin only */
  readonly auth: {
    /** User name for Basic authentication (1 to 256 characters) */
    readonly user?: unknown
    /** Password for Basic authentication (1 to 4096 characters) */
    readonly pass?: unknown
  }
  /** OAuth2 client credentials: the token is sent to the first origin only */
  readonly oauth: {
    /** Token endpoint of the authorization server (1 to 2048 characters) */
    readonly token_url?: unknown
    /** Client identifier (1 to 1024 characters) */
    readonly client_id?: unknown
    /** Client secret, for the token endpoint only (1 to 4096 characters) */
    readonly client_secret?: unknown
    /** Scopes to ask for, with a space between them; those of the client where absent (1 to 2048 characters) */
    readonly scope?: unknown
    /** The API that the token is for, where the authorization server asks for it (1 to 2048 characters) */
    readonly audience?: unknown
    /** How the client authenticates: by a header or in the body. Default: client_secret_basic */
    readonly auth_method?: unknown
  }
  /** Version of HTTP; auto: HTTP/2 where the server offers it over TLS; 2: nothing else, over http:// with prior knowledge (default `"1.1"`) */
  readonly http_version: unknown
  /** Proxy: http://, https:// or socks5:// with host and port; user:pass@ is moved to proxy_auth (1 to 300 characters) */
  readonly proxy: unknown
  /** Credentials for the proxy */
  readonly proxy_auth: {
    /** User name at the proxy (1 to 255 characters) */
    readonly user?: unknown
    /** Password at the proxy, at most 255 bytes (1 to 4096 characters) */
    readonly pass?: unknown
  }
  /** Client certificate, PEM, for servers that ask for one; the issuers to send with it follow (1 to 32768 characters) */
  readonly tls_cert: unknown
  /** Private key of tls_cert, PEM, of at most 4096 bits (1 to 8192 characters) */
  readonly tls_key: unknown
  /** Passphrase of tls_key, where it is encrypted (1 to 4096 characters) */
  readonly tls_key_pass: unknown
}

export interface Measurements {
  /** Status code of the final answer */
  readonly status: unknown
  /** Version of HTTP of the final answer */
  readonly http_version: unknown
  /** Every request and its answer, redirects first: url, status, remote_ip and the ms of each phase */
  readonly hops: unknown
  /** Address of the final answer, credentials in its query hidden */
  readonly final_url: unknown
  /** Bytes of the body on the wire, packed as it was sent */
  readonly body_bytes: unknown
  /** Bytes of the unpacked body that were read; there were more where body_cut is true */
  readonly body_decoded_bytes: unknown
  /** true where the body went on beyond the limit and the rest was not read */
  readonly body_cut: unknown
  /** Content-Type of the final answer */
  readonly content_type: unknown
  /** protocol, cipher, alpn, authorized and not_after of the final connection */
  readonly tls: unknown
  /** Bytes (UTF-8) of the text that was compared */
  readonly text_bytes: unknown
  /** SHA-256 of that text, hex */
  readonly text_hash: unknown
  /** Whether it is another one than at the last check */
  readonly changed: unknown
  /** When this text was seen first (ISO 8601 UTC) */
  readonly baseline_at: unknown
  /** added and removed lines; null where the old text was too long to be remembered by its lines */
  readonly changed_lines: unknown
  /** Share of all lines that were added or removed, 0 to 1; null likewise */
  readonly change_ratio: unknown
  /** A few of the lines that went (-) and came (+) */
  readonly excerpt: unknown
  /** true after more than 5 changes in 10 checks: ignore_regex is missing something */
  readonly noisy: unknown
}
