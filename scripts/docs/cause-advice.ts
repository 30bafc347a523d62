/** The first steps after an alert, by cause. */

import { sideOf } from './cause-sides.ts'

/** Codes that call for the same, and what that is; in the order in which a check goes. */
export const CAUSE_ADVICE: readonly (readonly [codes: readonly string[], advice: string])[] = [
  [
    ['dns_nxdomain', 'dns_no_records'],
    'Check the spelling of the name, whether its record was removed, and whether the domain expired (`domain`). With `ip_family`, check for an address of that family; for `dns`, for a record of that type.',
  ],
  [
    ['dns_server_failure', 'dns_refused', 'dns_timeout', 'dns_malformed'],
    "Check the zone's own name servers: whether they answer and whether the DNSSEC signatures are valid. A `dns` monitor for each of them shows which one fails.",
  ],
  [
    ['dns_mismatch', 'dns_unexpected_record', 'dns_nameserver_unresolvable'],
    '`details.answers` contains the current records. If the change is intended, update `expected` or `nameserver`; if not, check the account at the DNS provider.',
  ],
  [
    ['connect_refused'],
    'The host is reachable and nothing listens on the port: the service is stopped or listens on another address.',
  ],
  [
    ['connect_timeout', 'connect_unreachable', 'host_unreachable'],
    'The host is off or unreachable, or a firewall drops packets from this location. Compare other locations.',
  ],
  [
    ['connect_reset', 'closed_early', 'send_failed'],
    'The server, or a proxy in front of it, closed the connection: check its log, connection limits, and the backend of the proxy.',
  ],
  [
    ['connect_blocked'],
    'A rule of watchpost, not an outage: with `targets: public` private addresses are blocked, and cloud metadata addresses always are. See [production](../guide/production.md#allowed-targets).',
  ],
  [
    [
      'timeout',
      'banner_timeout',
      'auth_timeout',
      'query_timeout',
      'tls_timeout',
      'http_response_timeout',
      'http_body_timeout',
      'slow_response',
    ],
    'The target is slow: the phase shows where the time is spent. Check load, locks and backends; if it is always slow, raise `timeout_ms` or `max_response_ms`.',
  ],
  [
    ['tls_expired', 'tls_not_yet_valid'],
    'Renew the certificate, then reload the server; often a renewed certificate is not loaded. An `ssl` monitor warns in advance. Not yet valid: check the clocks.',
  ],
  [
    ['tls_chain_incomplete'],
    'Send the intermediate certificate too (`fullchain.pem`); browsers with a cached copy hide the fault. An `ssl` monitor names the missing one.',
  ],
  [
    ['tls_self_signed', 'tls_untrusted', 'tls_revoked'],
    'Check that it is the certificate you installed. For a private authority, pass its root to the engine (`ca`; `NODE_EXTRA_CA_CERTS` for `watchpost serve`).',
  ],
  [
    ['tls_name_mismatch'],
    'The server presented the certificate of another site: a virtual host is missing, or the certificate lacks the name.',
  ],
  [
    ['tls_handshake', 'tls_protocol', 'tls_not_tls', 'tls_unsupported'],
    'Check the port and the TLS mode (`tls`): implicit or STARTTLS. Then versions, ciphers, and whether the server requires a client certificate.',
  ],
  [
    ['protocol_error', 'http_protocol_error', 'greeting_rejected', 'banner_mismatch'],
    'Another service answers on this port, or the server refuses the client: `cause_text` or `details.banner` contains its response.',
  ],
  [
    ['too_long', 'http_header_limit'],
    'A limit of watchpost; the state of the target is unknown. It sent more than is read: for `mysql` and `postgres` more than 4 MiB of rows (select fewer columns), otherwise an endless response. A large pattern searches fewer characters: make it smaller.',
  ],
  [
    ['http_status'],
    '`details.hops` shows the address that answered. 5xx: check the log of the application or its proxy. 401 and 403: check for an expired password or a block. 429: check less often.',
  ],
  [
    [
      'http_redirect_limit',
      'http_redirect_loop',
      'http_redirect_invalid',
      'http_final_url_mismatch',
    ],
    '`details.hops` lists the redirects. Common: http and https redirect to each other, or to a login page.',
  ],
  [
    ['http_truncated', 'http_decode_error'],
    'The length or compression of the response is wrong: a backend or proxy failed while sending, or compresses twice.',
  ],
  [
    ['http_coding_limit'],
    'The response is compressed more than twice: let only one server compress it.',
  ],
  [
    ['content_ignore_slow'],
    'Patterns with `.*` scan the rest of the page from every match: bound them (`[^\\n]{0,80}`), or monitor a shorter page.',
  ],
  [
    ['http_body_limit'],
    'The match may be behind the searched part: choose a smaller page, a keyword instead of a pattern (keywords are searched in up to 64 MiB), or one near its beginning. A report of `resources` is too long: list fewer disks.',
  ],
  [
    ['keyword_missing', 'keyword_found', 'number_missing', 'size_below', 'size_above'],
    'Open the page. It is an error page with status 200, or it was rewritten; then update the setting.',
  ],
  [['number_below', 'number_above'], 'The page works; its value is out of bounds.'],
  [
    ['content_empty', 'content_type_unsupported'],
    'A page rendered by scripts has no text: monitor the address that the scripts load.',
  ],
  [
    ['auth_failed', 'db_host_denied'],
    'Try the same login from the machine of the probe: the password changed or expired, or the user is locked or not allowed from its address.',
  ],
  [
    ['auth_temporary', 'service_closing'],
    'The server is up; its backend (a directory, a store) is down or its connections are used up. If this passes by itself, raise `fail_threshold`.',
  ],
  [
    ['auth_unsupported'],
    'The server requires TLS before a login, or an unsupported method: the page of the type lists the supported ones.',
  ],
  [
    ['db_too_many_connections', 'db_host_blocked'],
    'Find the sessions that hold the connections (`SHOW PROCESSLIST`, `SELECT * FROM pg_stat_activity`). `mysqladmin flush-hosts` unblocks a host; the cause is often a port check, see [tcp](../checkers/tcp.md).',
  ],
  [
    ['db_starting_up', 'db_shutting_down'],
    'A restart, a failover, a recovery, or a Galera node out of sync: if it lasts, check the log of the server.',
  ],
  [
    ['db_database_missing', 'db_query_failed', 'db_rows_too_few'],
    'The server works. `cause_text` contains its message: a table was renamed, a privilege revoked, or the data is missing.',
  ],
  [
    ['db_query_refused'],
    'The stored query is not read-only. `cause_text` contains the reason: change it to one read-only statement, or remove it for a ping.',
  ],
  [
    ['ping_no_reply', 'ping_loss', 'ping_slow', 'ttl_exceeded'],
    'Compare locations, then `mtr` to the host: a line, a router or a limit on ICMP. `details.icmp_error` contains the ICMP error.',
  ],
  [
    ['domain_expired', 'domain_redemption', 'domain_pending_delete', 'domain_hold'],
    'Call the registrar now: these have deadlines. See [domain](../checkers/domain.md#advice).',
  ],
  [
    ['domain_not_registered'],
    'A typing error, or the registration is lost: look it up at the registry before someone else registers it.',
  ],
  [
    ['list_listed', 'list_rkn_listed', 'list_gsb_flagged'],
    '`details.lists` contains list and reason. First remove the cause (an open relay, a hacked page), then ask for removal at `delist_url`.',
  ],
  [
    ['heartbeat_missed', 'heartbeat_never_came'],
    'Check that the job ran (its log, the scheduler) and that it can reach the heartbeat address.',
  ],
  [
    ['heartbeat_failed', 'heartbeat_too_long'],
    '`details.message` contains the message of the job. Too long: the job hangs, or `grace_sec` is shorter than its run time.',
  ],
  [['heartbeat_waiting'], 'No signal has arrived yet: add `ping_url` to the job.'],
  [
    ['cpu_high', 'ram_high', 'disk_high', 'load_high'],
    'On the server: `top`, `free`, `df`. `details.disks` shows the full one.',
  ],
  [
    ['resource_auth', 'resource_bad_format', 'resource_stale', 'resource_missing_metric'],
    'The agent, not the server: check its secret, its address, and whether it still measures.',
  ],
  [
    ['probe_offline', 'probe_resolver_broken', 'probe_no_report'],
    'The location itself: check its network, its name server (`/etc/resolv.conf`), its probe and Redis. See [probes](../guide/probes.md#failures).',
  ],
  [
    ['probe_unsupported'],
    '`cause_text` names what this machine lacks: a package, a permission, IPv6, the type itself.',
  ],
  [
    ['probe_overloaded', 'probe_stopped'],
    'The process stalled, ran out of ports or files, or was stopped. If it recurs: reduce `limits.checks` or use a larger machine.',
  ],
  [['internal_error'], 'A bug in the checker: the log of the engine or probe contains the error.'],
  [
    [
      'probe_dnsbl_blocked',
      'probe_dnsbl_failed',
      'probe_dnsbl_selftest_failed',
      'probe_dnsbl_timeout',
      'probe_not_applicable',
      'probe_feed_stale',
      'probe_provider_failed',
      'probe_provider_unconfigured',
    ],
    'The state of the target is unknown. Lists refuse public resolvers: configure your own. `details.checked` shows which list failed. See [blacklist](../checkers/blacklist.md#options-for-the-host).',
  ],
  [
    [
      'probe_rate_limited',
      'probe_rdap_unparsed',
      'probe_rdap_unreachable',
      'probe_registry_unknown',
      'probe_whois_empty',
      'probe_whois_unparsed',
      'probe_whois_unreachable',
      'probe_expiry_unpublished',
    ],
    'The state of the target is unknown; the next check tries again. If it persists: use a longer interval, or configure the server. See [domain](../checkers/domain.md#options-for-the-host).',
  ],
]

/**
 * Rows of cause, verdict, side and advice; a group of causes has a row for each verdict and side in it.
 *
 * @throws where a cause has no advice, two, or no side, or where there is advice for no cause
 */
export function adviceRows(
  verdicts: ReadonlyMap<string, string>,
): readonly (readonly [causes: string, verdict: string, side: string, advice: string])[] {
  const advised = CAUSE_ADVICE.flatMap(([each]) => each)
  const wrong = [
    ...advised.filter((code, index) => !verdicts.has(code) || advised.indexOf(code) !== index),
    ...[...verdicts.keys()].filter((code) => !advised.includes(code)),
  ]
  if (wrong.length > 0)
    throw new Error(
      `scripts/docs/cause-advice.ts: no advice, advice twice, or advice for no cause: ${wrong.join(', ')}`,
    )
  return CAUSE_ADVICE.flatMap(([codes, advice]) => {
    const alike = new Map<string, string[]>()
    for (const code of codes) {
      const key = `${verdicts.get(code)} ${sideOf(code)}`
      alike.set(key, [...(alike.get(key) ?? []), `\`${code}\``])
    }
    return [...alike].map(([key, each]) => {
      const [verdict = '', side = ''] = key.split(' ')
      return [each.join(', '), `\`${verdict}\``, side, advice] as const
    })
  })
}
