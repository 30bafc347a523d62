/**
 * Descriptions of the settings and measurements of every checker, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface CheckerDescriptions {
  readonly http: {
    readonly settings: {
      /** URL to request; user:pass@ is moved to auth (1 to 2048 characters) */
      readonly url: unknown
      /** Request method (default `"GET"`) */
      readonly method: unknown
      /** Status codes that are right: codes, ranges and classes (2xx) with commas (default `"200-299"`) */
      readonly expected_status: unknown
      /** Longest time from the first look-up to the last byte, redirects included (1 to 60000 ms) */
      readonly max_response_ms: unknown
      /** max_response_ms is for this percentile of the last checks of a location, and not for each check (1 to 100 %) */
      readonly max_response_percentile: unknown
      /** Number of these checks; before there are as many, none is too slow. Default: 20 (2 to 100) */
      readonly max_response_checks: unknown
      /** Text that must be in the body, letter for letter, capitals and all (1 to 1000 characters) */
      readonly keyword_present: unknown
      /** Pattern that must match in the body (at most 1000 characters) */
      readonly keyword_present_regex: unknown
      /** Text that must not be in the body, letter for letter (1 to 1000 characters) */
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
      /** Fewest days for which the certificate of the final answer must still be valid (1 to 3650 days) */
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
    readonly measurements: {
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
  }
  readonly content: {
    readonly settings: {
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
    readonly measurements: {
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
  }
  readonly ping: {
    readonly settings: {
      /** Host name or IP address (1 to 253 characters) */
      readonly host: unknown
      /** Packets to send, at most one second apart; fewer where the deadline does not allow for them (1 to 50; default `5`) */
      readonly count: unknown
      /** Largest loss that is right; no reply at all is always a failure (0 to 100 %; default `20`) */
      readonly max_loss_pct: unknown
      /** Longest average round-trip time (0.01 to 60000 ms) */
      readonly max_avg_ms: unknown
      /** Address family; auto takes the first address that answers (default `"auto"`) */
      readonly ip_family: unknown
    }
    readonly measurements: {
      /** Packets sent */
      readonly sent: unknown
      /** Packets that were answered */
      readonly received: unknown
      /** Packets that were not answered, in percent */
      readonly loss_pct: unknown
      /** Shortest round-trip time; this and the following only where there was a reply */
      readonly rtt_min_ms: unknown
      /** Average round-trip time, in ms */
      readonly rtt_avg_ms: unknown
      /** Longest round-trip time, in ms */
      readonly rtt_max_ms: unknown
      /** Standard deviation of the round-trip times, in ms */
      readonly rtt_stddev_ms: unknown
      /** Average difference between the times of one reply and the next, in ms */
      readonly jitter_ms: unknown
      /** Hops left in the last reply (TTL, hop limit) */
      readonly ttl: unknown
      /** Replies beyond the first one to a packet; only where there were any */
      readonly duplicates: unknown
      /** Round-trip time of each packet in order, in ms; null for no reply */
      readonly packets: unknown
      /** kind, from and text of what a host on the way answered instead; only where one did */
      readonly icmp_error: unknown
      /** Every address that was tried, with cause_code and duration_ms; only where there were several */
      readonly attempts: unknown
      /** true: the first address did not answer, a later one did */
      readonly fallback: unknown
    }
  }
  readonly tcp: {
    readonly settings: {
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
    readonly measurements: {
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
  }
  readonly dns: {
    readonly settings: {
      /** Name to query (IDN allowed); an IP address for PTR (1 to 254 characters) */
      readonly dns_name: unknown
      /** Record type to query (default `"A"`) */
      readonly rrtype: unknown
      /** Name servers with commas between, asked in this order: ip or host, :port, tcp:// or tls:// in front, or an https:// address (RFC 8484); default: those of the location */
      readonly nameserver: unknown
      /** Records that are expected, as a zone file or dig has them; as one string with line breaks or (not for TXT and CAA) commas between; ranges for addresses. Nothing: any record will do (0 to 50 items) */
      readonly expected: unknown
      /** How the records are held against expected: any (one of them is there), all (each is there), exact (these and no others), none (not one is there), contains (each text is part of a record), regex (each pattern matches a record), nxdomain (the name does not exist) (default `"any"`) */
      readonly match: unknown
      /** The name server must validate DNSSEC, and vouch for the answer (AD) (default `false`) */
      readonly dnssec: unknown
      /** With rrtype SOA: every name server of the zone, or each in nameserver, must have the same serial number (default `false`) */
      readonly same_serial: unknown
    }
    readonly measurements: {
      /** Response code: NOERROR, NXDOMAIN, SERVFAIL, REFUSED, … */
      readonly rcode: unknown
      /** Records of the wanted type, at most 100: type, value and ttl (seconds) */
      readonly answers: unknown
      /** Smallest ttl of these records, in seconds */
      readonly min_ttl: unknown
      /** Where the aliases of the name lead, in their order; only where it is one */
      readonly cname_chain: unknown
      /** Serial number of the zone, if SOA was queried */
      readonly soa_serial: unknown
      /** true: the answer comes from a server of the zone itself (AA) */
      readonly authoritative: unknown
      /** true: truncated over UDP (TC), then queried again over TCP */
      readonly truncated: unknown
      /** true: the resolver has checked it with DNSSEC (AD) */
      readonly authenticated: unknown
      /** Records that lead into an inner network and are not shown; only where there are any, and targets are not open */
      readonly left_out: unknown
      /** Name server that answered, host:port; resolver for those of the location where targets are not open */
      readonly server: unknown
      /** Serial number at each name server, or the cause of having none; only with same_serial */
      readonly serials: unknown
      /** udp, tcp, tls or https */
      readonly transport: unknown
      /** Every name server that was asked, with result and duration_ms; only where there were several */
      readonly attempts: unknown
    }
  }
  readonly ssl: {
    readonly settings: {
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
    readonly measurements: {
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
  }
  readonly domain: {
    readonly settings: {
      /** Domain to watch; a host name or a URL is cut to the name that was registered, IDN is stored as A-labels (1 to 2048 characters) */
      readonly domain: unknown
      /** Days before the end of the registration at which to warn, once for each (1 to 10 items; default `[30]`) */
      readonly days_warn: unknown
    }
    readonly measurements: {
      /** The registered name in A-labels */
      readonly domain: unknown
      /** The name as people read it */
      readonly unicode: unknown
      /** Who registered it for its holder */
      readonly registrar: unknown
      /** When it was registered first, ISO 8601 */
      readonly created_at: unknown
      /** When the record was changed last, ISO 8601 */
      readonly updated_at: unknown
      /** When the registration ends, ISO 8601; null where the registry does not tell */
      readonly expires_at: unknown
      /** Whole days until then, rounded down; negative once it is over */
      readonly days_left: unknown
      /** States of the registration in the words of EPP, such as clientHold */
      readonly statuses: unknown
      /** Name servers that the registry has for it */
      readonly nameservers: unknown
      /** Whether the delegation is signed; null if unknown */
      readonly dnssec: unknown
      /** true: the registry does not tell when the registration ends */
      readonly expiry_unpublished: unknown
      /** The registrar's own date, where it is another one than the registry's */
      readonly registrar_expires_at: unknown
      /** true: the registry has renewed it by itself, and the registrar may still take that back */
      readonly auto_renew_grace: unknown
      /** The previous expiry date, if it changed */
      readonly previous_expires_at: unknown
      /** rdap or whois */
      readonly source: unknown
      /** The server that answered */
      readonly server: unknown
      /** Age of a result shared with another monitor, ms; 0: new */
      readonly age_ms: unknown
      /** Every query: source, server and result */
      readonly attempts: unknown
    }
  }
  readonly smtp: {
    readonly settings: {
      /** Host name or IP address (1 to 253 characters) */
      readonly host: unknown
      /** TCP port; where absent 25, or 465 with implicit TLS (1 to 65535) */
      readonly port: unknown
      /** TLS from the first byte (implicit), by command (starttls), or none. Absent or auto: implicit on 465, starttls on 587 or with a user, else none */
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
      /** What the greeting must say, its code included, matched as latin1 (at most 1000 characters) */
      readonly banner_regex: unknown
    }
    readonly measurements: {
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
  }
  readonly pop3: {
    readonly settings: {
      /** Host name or IP address (1 to 253 characters) */
      readonly host: unknown
      /** TCP port; where absent 110, or 995 with implicit TLS (1 to 65535) */
      readonly port: unknown
      /** TLS from the first byte (implicit), by command (starttls), or none. Absent or auto: implicit on 995, starttls with a user, else none */
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
    readonly measurements: {
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
  }
  readonly imap: {
    readonly settings: {
      /** Host name or IP address (1 to 253 characters) */
      readonly host: unknown
      /** TCP port; where absent 143, or 993 with implicit TLS (1 to 65535) */
      readonly port: unknown
      /** TLS from the first byte (implicit), by command (starttls), or none. Absent or auto: implicit on 993, starttls with a user, else none */
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
    readonly measurements: {
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
  }
  readonly ftp: {
    readonly settings: {
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
    readonly measurements: {
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
  }
  readonly mysql: {
    readonly settings: {
      /** Host name or IP address (1 to 253 characters) */
      readonly host: unknown
      /** TCP port (1 to 65535; default `3306`) */
      readonly port: unknown
      /** off; prefer: TLS where the server offers it; require: TLS with any certificate; verify: TLS with a valid certificate for the host (default `"prefer"`) */
      readonly tls: unknown
      /** Logs in as this user (1 to 256 characters) */
      readonly user: unknown
      /** Password of the user (0 to 4096 characters; default `""`) */
      readonly pass: unknown
      /** Database to log in to; where absent none (1 to 256 characters) */
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
    readonly measurements: {
      /** Number of the error */
      readonly errno: unknown
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
  }
  readonly postgres: {
    readonly settings: {
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
    readonly measurements: {
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
  }
  readonly resources: {
    readonly settings: {
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
    readonly measurements: {
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
  }
  readonly heartbeat: {
    readonly settings: {
      /** Time after the period before silence counts as down; default a fifth of the period, 60 to 3600 (0 to 2678400 seconds) */
      readonly grace_sec: unknown
      /** A new monitor, or one that was resumed before any signal, is down where none has come by then; default: it waits (60 to 2678400 seconds) */
      readonly first_signal_sec: unknown
      /** When the job runs, instead of interval_sec: minute, hour, day of month, month, day of week (1 to 100 characters) */
      readonly cron: unknown
      /** Time zone of cron; default UTC (1 to 64 characters) */
      readonly time_zone: unknown
    }
    readonly measurements: {
      /** Kind of the last signal: success, start, fail or log */
      readonly last_signal: unknown
      /** When it came (ISO 8601 UTC) */
      readonly last_signal_at: unknown
      /** End of the period (ISO 8601 UTC) */
      readonly next_expected_at: unknown
      /** Exit code the job reported */
      readonly exit_code: unknown
      /** Length of the run that has just ended in ms, from start to end or as the job said; only in the result of its signal */
      readonly run_ms: unknown
      /** What the job said, at most 1000 characters */
      readonly message: unknown
    }
  }
  readonly blacklist: {
    readonly settings: {
      /** Host name, IP address, or web address that must not be on a list (1 to 2048 characters) */
      readonly target: unknown
      /** Look into the registry of blocked sites that the host provides (default `false`) */
      readonly rkn: unknown
      /** Ask Google Safe Browsing (or Web Risk), where the host has a key (default `false`) */
      readonly gsb: unknown
      /** DNS blocklists by id or zone; !id or !zone leaves one out, !category (such as !policy) a kind of listing. none, beside rkn or gsb, asks no list. Default: the set of the host (0 to 32 items) */
      readonly lists: unknown
    }
    readonly measurements: {
      /** Every listing: id, zone, entry (the address or name), codes, categories, reason and delist_url */
      readonly lists: unknown
      /** Every list and provider that was asked: id, listed, error and duration_ms */
      readonly checked: unknown
      /** Lists that gave a usable answer */
      readonly lists_checked: unknown
      /** Lists that did not */
      readonly lists_failed: unknown
      /** Addresses that were looked up, at most 8 */
      readonly addresses: unknown
      /** Further addresses of the host; private ones are not counted */
      readonly addresses_skipped: unknown
      /** Why the host has no address that could be looked up */
      readonly unresolved: unknown
    }
  }
  readonly group: {
    readonly settings: {
      /** Members by id, of the same account; groups as well (0 to 200 items; default `[]`) */
      readonly monitor_ids: unknown
      /** Members by tag: every monitor with one of these, but no group (0 to 20 items; default `[]`) */
      readonly member_tags: unknown
      /** How many members must be up (default `"all"`) */
      readonly up_when: unknown
      /** Number of members that must be up, in place of up_when (1 to 1000) */
      readonly min_up: unknown
      /** Share of the members that must be up, in place of up_when (1 to 100 %) */
      readonly min_up_pct: unknown
    }
    readonly measurements: {
      /** Members that are up */
      readonly members_up: unknown
      /** Members that are down */
      readonly members_down: unknown
      /** Members whose state is unknown: without a result yet, or stale */
      readonly members_unknown: unknown
      /** Members that are paused or in maintenance, which count for nothing */
      readonly members_left_out: unknown
      /** Share of the counted members that are up, in percent */
      readonly up_pct: unknown
      /** Names of the members that are down, at most 50 */
      readonly down: unknown
      /** Names of the members whose state is unknown, at most 50 */
      readonly unknown: unknown
    }
  }
  readonly grpc: {
    readonly settings: {
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
    readonly measurements: {
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
  }
  readonly redis: {
    readonly settings: {
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
    readonly measurements: {
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
  }
  readonly websocket: {
    readonly settings: {
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
    readonly measurements: {
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
  }
}
