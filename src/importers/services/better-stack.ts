/**
 * The answers of `/api/v2/monitors` and `/api/v2/heartbeats` of Better Stack.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import { BOUNDS, deadline, within, withoutLogin } from '../imported.ts'
import type { Imported } from '../imported.ts'
import type { Taking } from '../taking.ts'
import { imported, intervalOf, PAUSED, tagsOf } from './answer.ts'
import type { Note, Settings } from './answer.ts'

export function fromBetterStack(document: unknown): Imported {
  const list =
    isJsonObject(document) && Array.isArray(document['data']) ? document['data'] : undefined
  // The type is a sibling of the attributes.
  const data = list?.filter(isJsonObject).map(({ type, attributes }) => ({
    ...(isJsonObject(attributes) ? attributes : {}),
    kind: type,
  }))
  const flat = data === undefined ? document : { ...(document as JsonObject), data }
  return imported(flat, {
    name: 'Better Stack',
    list: 'data',
    nameOf: (from) => from.text('pronounceable_name') ?? from.text('name') ?? shownUrl(from),
    settingsOf: ofBetterStack,
    ignored: [
      ...[
        'kind',
        'status',
        'last_checked_at',
        'created_at',
        'updated_at',
        'sort_index',
        'team_name',
      ],
      ...['checks_version', 'expected_status_codes', 'required_keyword'],
      ...['port', 'confirmation_period', 'http_method'],
      ...['follow_redirects', 'verify_ssl', 'url', 'name', 'maintenance_timezone'],
      ...['request_headers', 'maintenance_days'],
    ],
  })
}

function shownUrl(from: Taking): string | undefined {
  const url = from.text('url')
  return url === undefined ? undefined : withoutLogin(url)
}

function ofBetterStack(from: Taking, note: Note): Settings | undefined {
  const always = {
    ...(from.flag('paused') === true || from.text('paused_at') !== undefined ? PAUSED : {}),
    ...stackGroup(from, note),
  }
  noteStackAlerts(from, note)
  if (from.text('kind') === 'heartbeat') {
    note('its address: the job has to call the new one (ping_url of the monitor)')
    const interval_sec = intervalOf(from.number('period') ?? 86_400, note)
    return { type: 'heartbeat', interval_sec, grace_sec: from.number('grace') ?? 0, ...always }
  }
  const target = stackTarget(from, note)
  if (target === undefined) return undefined
  const interval_sec = intervalOf(from.number('check_frequency') ?? 180, note)
  const confirm = from.number('confirmation_period') ?? 0
  const fail_threshold = within(
    { value: Math.ceil(confirm / interval_sec) + 1, ...BOUNDS.fail_threshold },
    (allowed) => note(`a confirmation of ${confirm} s became fail_threshold ${allowed}`),
  )
  if (from.text('maintenance_from') !== undefined)
    note(`maintenance to ${from.text('maintenance_to') ?? '?'}: give it windows as "maintenance"`)
  for (const type of ['ssl', 'domain'])
    if (from.number(`${type}_expiration`) !== undefined)
      note(`${type}_expiration: make a monitor of the type ${type}`)
  const recovery = from.number('recovery_period') ?? 0
  const { timeout_ms } = deadline(interval_sec, stackTimeout(from), note)
  if (from.flag('remember_cookies') === false)
    note('remember_cookies: cookies of a redirect are always sent on')
  if (from.list('regions').length > 0)
    note('regions: it is checked from all locations; name some in "locations"')
  return {
    ...target,
    interval_sec,
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    fail_threshold,
    ...(recovery === 0 ? {} : recovered(recovery, interval_sec, note)),
    ...always,
  }
}

function recovered(recovery: number, interval_sec: number, note: Note): JsonObject {
  const value = Math.ceil(recovery / interval_sec) + 1
  const tell = (allowed: number): void =>
    note(`a recovery of ${recovery} s became recover_threshold ${allowed}`)
  return { recover_threshold: within({ value, ...BOUNDS.recover_threshold }, tell) }
}

/** In ms where a host and its port are tried, in seconds elsewhere: https://betterstack.com/docs/uptime/api/create-a-new-monitor/ */
function stackTimeout(from: Taking): number | undefined {
  const timeout = from.number('request_timeout')
  const type = from.text('monitor_type') ?? ''
  const inMs = type === 'ping' || Object.hasOwn(STACK_PORTS, type)
  return timeout === undefined || inMs ? timeout : timeout * 1000
}

/** A group pauses and shows its members together, as a tag does. */
function stackGroup(from: Taking, note: Note): JsonObject {
  const group = from.text('monitor_group_id') ?? from.text('heartbeat_group_id')
  if (group === undefined) return {}
  note(`the name of its group is in another answer: the group became the tag "group-${group}"`)
  return tagsOf([`group-${group}`])
}

const STACK_ALERTS = ['call', 'sms', 'email', 'push', 'critical_alert']

function noteStackAlerts(from: Taking, note: Note): void {
  if (from.text('policy_id') !== undefined) note('told by an escalation policy: name your contacts')
  const told = STACK_ALERTS.filter((name) => from.flag(name) === true)
  if (told.length > 0) note(`told by ${told.join(', ')}: name your contacts`)
  const wait = from.number('team_wait') ?? 0
  if (wait > 0) note(`told to the whole team after ${wait} s: give contacts a "contact_delay"`)
}

/** Types whose address is a host and a port. */
const STACK_PORTS: Readonly<Record<string, number | undefined>> = {
  tcp: undefined,
  smtp: 25,
  pop: 110,
  imap: 143,
}

function stackTarget(from: Taking, note: Note): Settings | undefined {
  const [type = '(none)', url] = [from.text('monitor_type'), from.text('url')]
  if (url === undefined) {
    note('not imported: it has no url')
    return undefined
  }
  if (type === 'ping') return { type: 'ping', host: url }
  if (Object.hasOwn(STACK_PORTS, type)) {
    const ports = (from.text('port') ?? '').split(',')
    const port = Number(ports[0]) || STACK_PORTS[type]
    if (ports.length > 1) note(`the ports ${ports.join(', ')}: the first one is checked`)
    if (port === undefined) note('not imported: it has no port')
    return port === undefined
      ? undefined
      : { type: type === 'pop' ? 'pop3' : type, host: url, port }
  }
  const word = from.text('required_keyword')
  const judged: Readonly<Record<string, JsonObject>> = {
    status: {},
    expected_status_code: { expected_status: from.texts('expected_status_codes').join(',') },
    keyword: word === undefined ? {} : { keyword_present: word },
    keyword_absence: word === undefined ? {} : { keyword_absent: word },
  }
  if (!Object.hasOwn(judged, type)) {
    note(`not imported: the type ${type} has no counterpart`)
    return undefined
  }
  return { type: 'http', url, ...stackRequest(from), ...judged[type] }
}

function stackRequest(from: Taking): JsonObject {
  const headers = from
    .list('request_headers')
    .filter(isJsonObject)
    .flatMap(({ name, value }) => (typeof name === 'string' ? [[name, value] as const] : []))
  const [user, pass] = [from.text('auth_username'), from.text('auth_password')]
  const method = (from.text('http_method') ?? 'get').toUpperCase()
  const body = from.text('request_body')
  return {
    method,
    ...(from.flag('follow_redirects') === false ? { follow_redirects: false } : {}),
    ...(from.flag('verify_ssl') === false ? { ignore_tls_errors: true } : {}),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(user === undefined ? {} : { auth: { user, ...(pass === undefined ? {} : { pass }) } }),
    ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
  }
}
