/** The side responsible for a cause: where to look first. */

export const SIDES = {
  target: 'the monitored service and its operator',
  settings: 'the settings of this monitor: an address, a password, a query',
  network: 'the network between the location and the target',
  watchpost: 'the location, the limits of watchpost, or a provider that it asks about the target',
} as const

export type Side = keyof typeof SIDES

/** Every cause has one. What is on our side is never a failure. */
export const CAUSE_SIDES: Readonly<Record<Side, readonly string[]>> = {
  target: [
    ...['dns_nxdomain', 'dns_no_records', 'dns_server_failure', 'dns_refused', 'dns_malformed'],
    ...['dns_mismatch', 'dns_unexpected_record'],
    ...['connect_refused', 'connect_reset', 'closed_early', 'send_failed'],
    ...['timeout', 'banner_timeout', 'auth_timeout', 'query_timeout', 'tls_timeout'],
    ...['http_response_timeout', 'http_body_timeout', 'slow_response'],
    ...['tls_expired', 'tls_not_yet_valid', 'tls_chain_incomplete', 'tls_self_signed'],
    ...['tls_untrusted', 'tls_revoked', 'tls_name_mismatch', 'tls_handshake', 'tls_protocol'],
    ...['protocol_error', 'http_protocol_error', 'greeting_rejected', 'banner_mismatch'],
    ...['http_status', 'http_redirect_limit', 'http_redirect_loop', 'http_redirect_invalid'],
    ...['http_final_url_mismatch', 'http_truncated', 'http_decode_error'],
    ...['keyword_missing', 'keyword_found', 'number_missing', 'size_below', 'size_above'],
    ...['number_below', 'number_above', 'content_empty'],
    ...['auth_temporary', 'service_closing'],
    ...['db_too_many_connections', 'db_host_blocked', 'db_starting_up', 'db_shutting_down'],
    'db_rows_too_few',
    ...['domain_expired', 'domain_redemption', 'domain_pending_delete', 'domain_hold'],
    'domain_not_registered',
    ...['list_listed', 'list_rkn_listed', 'list_gsb_flagged'],
    ...['heartbeat_missed', 'heartbeat_never_came', 'heartbeat_failed', 'heartbeat_too_long'],
    ...['cpu_high', 'ram_high', 'disk_high', 'load_high'],
    // The agent is the target's.
    ...['resource_bad_format', 'resource_stale', 'resource_missing_metric'],
  ],
  settings: [
    ...['connect_blocked', 'dns_nameserver_unresolvable', 'tls_not_tls', 'tls_unsupported'],
    ...['content_ignore_slow', 'content_type_unsupported', 'heartbeat_waiting', 'resource_auth'],
    ...['auth_failed', 'auth_unsupported', 'db_host_denied', 'db_database_missing'],
    ...['db_query_failed', 'db_query_refused', 'probe_not_applicable'],
  ],
  network: [
    ...['dns_timeout', 'connect_timeout', 'connect_unreachable', 'host_unreachable'],
    ...['ping_no_reply', 'ping_loss', 'ping_slow', 'ttl_exceeded'],
  ],
  watchpost: [
    ...['too_long', 'http_body_limit', 'http_header_limit', 'http_coding_limit'],
    ...['probe_offline', 'probe_resolver_broken', 'probe_no_report', 'probe_unsupported'],
    ...['probe_overloaded', 'probe_stopped', 'internal_error'],
    ...['probe_dnsbl_blocked', 'probe_dnsbl_failed', 'probe_dnsbl_selftest_failed'],
    ...['probe_dnsbl_timeout', 'probe_feed_stale', 'probe_provider_failed'],
    ...['probe_provider_unconfigured', 'probe_rate_limited', 'probe_rdap_unparsed'],
    ...['probe_rdap_unreachable', 'probe_registry_unknown', 'probe_whois_empty'],
    ...['probe_whois_unparsed', 'probe_whois_unreachable', 'probe_expiry_unpublished'],
  ],
}

/** @throws where a cause has no side */
export function sideOf(code: string): Side {
  const side = (Object.keys(CAUSE_SIDES) as Side[]).find((each) => CAUSE_SIDES[each].includes(code))
  if (side === undefined) throw new Error(`scripts/docs/cause-sides.ts: ${code} has no side`)
  return side
}
