/**
 * Descriptions of the settings and measurements of the type `dns`, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

export interface Settings {
  /** Name to query (IDN allowed); an IP address for PTR (1 to 254 characters) */
  readonly dns_name: unknown
  /** Record type to query (default `"A"`) */
  readonly rrtype: unknown
  /** Name servers with commas between, asked in this order: ip or host, :port, tcp:// or tls:// in front, or an https:// address (RFC 8484); default: those of the location */
  readonly nameserver: unknown
  /** Records that are expected, as a zone file or dig has them; as one string with line breaks or (not for TXT and CAA) commas between; ranges for addresses. Without it any record is right (0 to 50 items) */
  readonly expected: unknown
  /** How the records are compared with expected: any (one of them is there), all (each is there), exact (these and no others), none (not one is there), contains (each text is part of a record), regex (each pattern matches a record), nxdomain (the name does not exist) (default `"any"`) */
  readonly match: unknown
  /** The name server must validate DNSSEC, and vouch for the answer (AD) (default `false`) */
  readonly dnssec: unknown
  /** With rrtype SOA: every name server of the zone, or each in nameserver, must have the same serial number (default `false`) */
  readonly same_serial: unknown
}

export interface Measurements {
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
