/**
 * Descriptions of the settings and measurements of the type `resources`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Address of the agent: watchpost/resources-agent, Capture, or your own (1 to 2048 characters) */
  readonly url: unknown
  /** Sent to the agent as Authorization: Bearer (1 to 4096 characters) */
  readonly secret: unknown
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
  /** More than this share of the processors in use is a failure (0 to 100 %) */
  readonly cpu_max: unknown
  /** More than this share of the memory in use is a failure (0 to 100 %) */
  readonly ram_max: unknown
  /** More than this share of the space in use, on the fullest disk, is a failure (0 to 100 %) */
  readonly disk_max: unknown
  /** A higher load average of one minute, over all cores, is a failure (0 to 100000) */
  readonly load_max: unknown
  /** Accept any certificate (default `false`) */
  readonly ignore_tls_errors: unknown
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
  /** Status code of the answer */
  readonly status: unknown
  /** Version of HTTP of the answer */
  readonly http_version: unknown
  /** simple or capture: how the agent reports */
  readonly form: unknown
  /** Processors in use, in percent of all of them */
  readonly cpu_pct: unknown
  /** Memory in use, in percent */
  readonly ram_pct: unknown
  /** Space in use on the fullest real disk, in percent */
  readonly disk_pct: unknown
  /** Real disks, the fullest first, at most 50: name and used_pct */
  readonly disks: unknown
  /** Load average of one minute, over all cores */
  readonly load: unknown
  /** Number of processor cores */
  readonly cores: unknown
  /** When the agent measured, ISO 8601 */
  readonly at: unknown
  /** What the agent itself could not measure */
  readonly agent_errors: unknown
}
