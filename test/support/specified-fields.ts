/** The specification's fields, written once more by hand. */

/** Of every type (spec 2.1), but for `type` itself. */
export const SPECIFIED_COMMON_FIELDS = [
  'name',
  'interval_sec',
  'timeout_ms',
  'location_ids',
  'confirm_locations',
  'fail_threshold',
  'recover_threshold',
  'notify_repeat_min',
  'notify_repeat_max',
  'notify_recovery',
  'tags',
  'contact_ids',
  'contact_delay',
] as const

/** Of each type (spec 2.2), `*` where required. */
export const SPECIFIED_FIELDS: Readonly<Record<string, string>> = {
  http: 'url*, method, expected_status, max_response_ms, keyword_present, keyword_absent, size_min, size_max, number_regex, number_min, number_max, follow_redirects, expected_final_url, user_agent, referer, headers, body, content_type, auth.user, auth.pass, ignore_tls_errors, ip_family',
  content: 'url*, ignore_regex, user_agent, auth.user, auth.pass',
  ping: 'host*, count, max_loss_pct, max_avg_ms, ip_family',
  tcp: 'host*, port*, tls, ip_family, send, banner_regex',
  dns: 'dns_name*, rrtype, nameserver, expected, match',
  ssl: 'host*, port, days_warn, check_chain, check_hostname, alert_on_change',
  domain: 'domain*, days_warn',
  smtp: 'host*, port, tls, user, pass, banner_regex',
  pop3: 'host*, port, tls, user, pass',
  imap: 'host*, port, tls, user, pass',
  ftp: 'host*, port, tls, user, pass',
  mysql: 'host*, port, tls, user*, pass, database, query, expect_rows_min',
  postgres: 'host*, port, tls, user*, pass, database, query, expect_rows_min',
  resources: 'url*, secret, cpu_max, ram_max, disk_max, load_max, ignore_tls_errors',
  heartbeat: 'grace_sec',
  blacklist: 'target*, rkn, gsb, lists',
}
