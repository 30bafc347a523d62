/** What somebody who is woken by a cause looks at first. */

import { sideOf } from './cause-sides.ts'

/** Codes that call for the same, and what that is; in the order in which a check goes. */
export const CAUSE_ADVICE: readonly (readonly [codes: readonly string[], advice: string])[] = [
  [
    ['dns_nxdomain', 'dns_no_records'],
    'Is the name spelt right, was its record removed, has the domain ended (`domain`)? With `ip_family` set, has it an address of that family? For `dns`, a record of that type?',
  ],
  [
    ['dns_server_failure', 'dns_refused', 'dns_timeout', 'dns_malformed'],
    "The zone's own name servers: do they answer, are the DNSSEC signatures good? A `dns` monitor for each of them tells which.",
  ],
  [
    ['dns_mismatch', 'dns_unexpected_record', 'dns_nameserver_unresolvable'],
    '`details.answers` has what is there now. If the change was meant, change `expected` or `nameserver`; if not, look into the account at the DNS provider.',
  ],
  [
    ['connect_refused'],
    'The machine is there and nothing listens on the port: has the service been stopped, does it listen on another address?',
  ],
  [
    ['connect_timeout', 'connect_unreachable', 'host_unreachable'],
    'The machine or the way to it: is it on, does a firewall drop packets from this location? From another location it may work.',
  ],
  [
    ['connect_reset', 'closed_early', 'send_failed'],
    'The server or something in front of it hung up: its log, a limit of connections, a proxy without a backend.',
  ],
  [
    ['connect_blocked'],
    'Our own rule and no outage: with `targets: public` private addresses are refused, and metadata addresses of clouds always are. See [production](../guide/production.md#allowed-targets).',
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
    'It is there and slow: the phase says where the time went. Load, a lock, a backend that hangs; if it is always so, raise `timeout_ms` or `max_response_ms`.',
  ],
  [
    ['tls_expired', 'tls_not_yet_valid'],
    'Renew the certificate, then reload the server: many renew in time and never load it. An `ssl` monitor warns before. Not yet valid: whose clock is wrong?',
  ],
  [
    ['tls_chain_incomplete'],
    'Send the intermediate certificate too (`fullchain.pem`); browsers that have it hide the fault. An `ssl` monitor names the one that is missing.',
  ],
  [
    ['tls_self_signed', 'tls_untrusted', 'tls_revoked'],
    'Is it the certificate you installed? For an authority of your own give the engine its root (`ca`; `NODE_EXTRA_CA_CERTS` for `watchpost serve`).',
  ],
  [
    ['tls_name_mismatch'],
    'The server showed the certificate of another site: a missing virtual host, or a name that the certificate does not have.',
  ],
  [
    ['tls_handshake', 'tls_protocol', 'tls_not_tls', 'tls_unsupported'],
    'Port and kind of TLS: from the first byte or by a command (`tls`)? Else versions, ciphers, or a client certificate that the server wants.',
  ],
  [
    ['protocol_error', 'http_protocol_error', 'greeting_rejected', 'banner_mismatch'],
    'Something else answers on this port, or the server refuses us: `cause_text` or `details.banner` has its words.',
  ],
  [
    ['too_long', 'http_header_limit'],
    'Our own limit, and nothing is known about the target: it sent more than is read, for `mysql` and `postgres` rows of more than 4 MiB (ask for fewer columns), else a server that talks without end. A large pattern looks at fewer characters: make it smaller.',
  ],
  [
    ['http_status'],
    'Open `details.hops` for the address that answered. 5xx: the log of the application or of the proxy in front. 401 and 403: has a password ended, are we blocked? 429: check less often.',
  ],
  [
    [
      'http_redirect_limit',
      'http_redirect_loop',
      'http_redirect_invalid',
      'http_final_url_mismatch',
    ],
    '`details.hops` shows the way. Usual: http and https that redirect to each other, or a login page.',
  ],
  [
    ['http_truncated', 'http_decode_error'],
    'Length or compression of the answer are wrong: a backend or proxy that died meanwhile, or compresses twice.',
  ],
  [
    ['http_coding_limit'],
    'A proxy compresses what is compressed already, more than twice over: ask it for the page itself, and let one of them compress.',
  ],
  [
    ['content_ignore_slow'],
    'Patterns with `.*` look at the rest of the page from every match: bound them (`[^\\n]{0,80}`), or watch a shorter page.',
  ],
  [
    ['http_body_limit'],
    'What is looked for may stand behind what was searched: choose a smaller page, a word instead of a pattern (words are searched for up to 64 MiB), or one near its beginning. A report of `resources` is too long: name fewer disks.',
  ],
  [
    ['keyword_missing', 'keyword_found', 'number_missing', 'size_below', 'size_above'],
    'Open the page: is it an error page with status 200, or was it rewritten? Then change the setting.',
  ],
  [['number_below', 'number_above'], 'The page works; the value that it shows is out of bounds.'],
  [
    ['content_empty', 'content_type_unsupported'],
    'A page that scripts make has no text: watch the address that they load.',
  ],
  [
    ['auth_failed', 'db_host_denied'],
    'Try the same user and password by hand, from the machine of the probe: changed, ended, locked, or not allowed from its address.',
  ],
  [
    ['auth_temporary', 'service_closing'],
    'The server is up; what is behind it (a directory, a store) or its number of connections is not. If it passes by itself, raise `fail_threshold`.',
  ],
  [
    ['auth_unsupported'],
    'The server wants TLS before a login, or a method that we do not have: the page of the type lists them.',
  ],
  [
    ['db_too_many_connections', 'db_host_blocked'],
    'Who holds the connections (`SHOW PROCESSLIST`, `SELECT * FROM pg_stat_activity`)? A blocked host is let in again by `mysqladmin flush-hosts`; what blocked it is often a port check, see [tcp](../checkers/tcp.md).',
  ],
  [
    ['db_starting_up', 'db_shutting_down'],
    'A restart, a failover, a recovery, a Galera node that is not in step: if it lasts, the log of the server.',
  ],
  [
    ['db_database_missing', 'db_query_failed', 'db_rows_too_few'],
    'The server works. `cause_text` has its words: was a table renamed, a right taken away, or is the data really missing?',
  ],
  [
    ['db_query_refused'],
    'The query was stored before only reading was taken. `cause_text` says what is wrong with it: change it to one statement that reads, or remove it for a ping.',
  ],
  [
    ['ping_no_reply', 'ping_loss', 'ping_slow', 'ttl_exceeded'],
    'Compare locations, then `mtr` to the host: a line, a router or a limit on ICMP. `details.icmp_error` says who refused.',
  ],
  [
    ['domain_expired', 'domain_redemption', 'domain_pending_delete', 'domain_hold'],
    'Call the registrar now: these have deadlines. See [domain](../checkers/domain.md#advice).',
  ],
  [
    ['domain_not_registered'],
    'A typing error, or the name is lost: look it up at the registry before anybody else takes it.',
  ],
  [
    ['list_listed', 'list_rkn_listed', 'list_gsb_flagged'],
    '`details.lists` names list and reason. First end the cause (an open relay, a hacked page), then ask for removal at `delist_url`.',
  ],
  [
    ['heartbeat_missed', 'heartbeat_never_came'],
    'Did the job run (its log, the scheduler), and can it reach the address of the heartbeat?',
  ],
  [
    ['heartbeat_failed', 'heartbeat_too_long'],
    '`details.message` has what the job said. Too long: does it hang, or is `grace_sec` shorter than its run?',
  ],
  [['heartbeat_waiting'], 'No job has called yet: put `ping_url` into it.'],
  [
    ['cpu_high', 'ram_high', 'disk_high', 'load_high'],
    'On the server: `top`, `free`, `df`. `details.disks` names the full one.',
  ],
  [
    ['resource_auth', 'resource_bad_format', 'resource_stale', 'resource_missing_metric'],
    'The agent and not the server: its secret, its address, whether it still measures.',
  ],
  [
    ['probe_offline', 'probe_resolver_broken', 'probe_no_report'],
    'Our own place: its network, its name server (`/etc/resolv.conf`), its probe and Redis. See [probes](../guide/probes.md#failures).',
  ],
  [
    ['probe_unsupported'],
    '`cause_text` says what this machine lacks: a package, a right, IPv6, the type itself.',
  ],
  [
    ['probe_overloaded', 'probe_stopped'],
    'The process stood still, ran out of ports or files, or was stopped. If it comes back: fewer checks at once (`limits.checks`) or a larger machine.',
  ],
  [['internal_error'], 'A mistake in the checker: the log of the engine or probe has the error.'],
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
    'Nothing is known about the target. Lists refuse public resolvers: give them one of your own. `details.checked` says which list failed. See [blacklist](../checkers/blacklist.md#for-the-host).',
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
    'Nothing is known about the target; the next check asks again. If it stays so: a longer interval, or a server of your choice. See [domain](../checkers/domain.md#for-the-host).',
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
