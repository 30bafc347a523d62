/**
 * Descriptions of the settings and measurements of the type `http`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** URL to request; user:pass@ is moved to auth (1 to 2048 characters) */
  readonly url: unknown
  /** Request method (default `"GET"`) */
  readonly method: unknown
  /** Status codes that are right: codes, ranges and classes (2xx) with commas (default `"200-299"`) */
  readonly expected_status: unknown
  /** Longest time from the first look-up to the last byte, redirects included (1 to 60000 ms) */
  readonly max_response_ms: unknown
  /** max_response_ms limits this percentile of the last checks of a location instead of each check (1 to 100 %) */
  readonly max_response_percentile: unknown
  /** How many checks the percentile is of; with fewer, it is not judged. Default: 20 (2 to 100) */
  readonly max_response_checks: unknown
  /** Text that must be in the body; case-sensitive (1 to 1000 characters) */
  readonly keyword_present: unknown
  /** Pattern that must match in the body (at most 1000 characters) */
  readonly keyword_present_regex: unknown
  /** Text that must not be in the body; case-sensitive (1 to 1000 characters) */
  readonly keyword_absent: unknown
  /** Pattern that must not match in the body (at most 1000 characters) */
  readonly keyword_absent_regex: unknown
  /** Smallest size of the unpacked body (0 to 16777216 bytes) */
  readonly size_min: unknown
  /** Largest size of the unpacked body (0 to 16777216 bytes) */
  readonly size_max: unknown
  /** Finds a number in the body: the first group, or the whole match without one (at most 1000 characters) */
  readonly number_regex: unknown
  /** Smallest value that the number found may have */
  readonly number_min: unknown
  /** Largest value that the number found may have */
  readonly number_max: unknown
  /** What the values of a JSON body must be: a list of { path, op, value }, path being a JSONPath (RFC 9535); all must hold (0 to 20 items) */
  readonly json: unknown
  /** What the headers of the answer must be: a list of { name, op, value }; all must hold. Repeated headers are one text, joined by commas (0 to 20 items) */
  readonly headers_expected: unknown
  /** Days for which the certificate of the final answer must still be valid, at least (1 to 3650 days) */
  readonly certificate_days_min: unknown
  /** Follow up to 10 redirects; without it a 3xx is the answer (default `true`) */
  readonly follow_redirects: unknown
  /** Address at which the redirects must end; a * at the end stands for any rest (1 to 2048 characters) */
  readonly expected_final_url: unknown
  /** User-Agent; Watchpost and its version where absent (1 to 1024 characters) */
  readonly user_agent: unknown
  /** Referer (1 to 2048 characters) */
  readonly referer: unknown
  /** More request headers; values of all but well-known harmless ones are secrets */
  readonly headers: unknown
  /** Request body, in UTF-8; not with GET and HEAD (1 to 65536 characters) */
  readonly body: unknown
  /** Content-Type of the body; application/json where it is JSON, else text/plain in UTF-8 (1 to 1024 characters) */
  readonly content_type: unknown
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
  /** Accept any certificate; what was wrong is still in the details (default `false`) */
  readonly ignore_tls_errors: unknown
  /** Address family; auto takes the first address that answers (default `"auto"`) */
  readonly ip_family: unknown
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
  /** What number_regex found */
  readonly number: unknown
  /** Each assertion of json: path, op, value, what was found (cut to 100 characters) and whether it holds */
  readonly json: unknown
  /** Milliseconds from the first look-up to the last byte, redirects included */
  readonly response_ms: unknown
  /** max_response_percentile of the last response times of this location; only with that setting */
  readonly response_percentile_ms: unknown
}
