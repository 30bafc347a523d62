/**
 * Answers of the APIs of three services: UptimeRobot (`getMonitors` of v2), Better Stack (`/api/v2/monitors` and
 * `/api/v2/heartbeats`), and Healthchecks (`/api/v3/checks/`).
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import { isJsonObject } from '../model/json.ts'
import { BOUNDS, deadline, gather, objectsIn, within } from './imported.ts'
import type { Gathering, Imported } from './imported.ts'
import { take } from './taking.ts'
import type { Taking } from './taking.ts'

type Note = (what: string) => void
type Settings = JsonObject & { readonly type: string }

interface Service {
  readonly name: string
  /** Of the list in the answer. */
  readonly list: string
  readonly nameOf: (from: Taking) => string | undefined
  /** `undefined` where it was told why. */
  readonly settingsOf: (from: Taking, note: Note) => Settings | undefined
  readonly ignored: readonly string[]
}

function imported(
  document: unknown,
  { name, list, nameOf, settingsOf, ignored }: Service,
): Imported {
  const gathering = gather()
  if (!isJsonObject(document) || !Array.isArray(document[list])) {
    gathering.note('the file', `it has no ${list}: it is no answer of the API of ${name}`)
    return gathering.done()
  }
  for (const each of objectsIn(document[list], (what) => gathering.note(list, what))) {
    const from = take(each)
    const own = nameOf(from) ?? 'without a name'
    const note: Note = (what) => gathering.note(own, what)
    const settings = settingsOf(from, note)
    if (settings === undefined) continue
    gathering.add({ name: own.slice(0, 200), ...settings })
    from.ignore(...ignored)
    for (const field of from.left()) note(`${field} has no counterpart`)
  }
  noteFurtherPages(gathering, document)
  return gathering.done()
}

function noteFurtherPages(gathering: Gathering, { pagination }: JsonObject): void {
  const { next, total, limit } = isJsonObject(pagination) ? pagination : {}
  if (typeof next === 'string' || Number(total) > Number(limit))
    gathering.note('the file', 'it is one page of several: import each')
}

function intervalOf(seconds: number, note: Note): number {
  return within({ value: seconds, ...BOUNDS.interval_sec }, (allowed) =>
    note(`an interval of ${seconds} s became ${allowed} s`),
  )
}

/** Text of tags, in a list or separated by spaces. */
function tagsOf(tags: readonly string[]): JsonObject {
  const cleaned = tags
    .map((tag) => tag.replaceAll(',', ' ').slice(0, 64))
    .filter((tag) => tag !== '')
  return cleaned.length === 0 ? {} : { tags: cleaned }
}

const PAUSED = { paused: true }

export function fromUptimeRobot(document: unknown): Imported {
  return imported(document, {
    name: 'UptimeRobot',
    list: 'monitors',
    nameOf: (from) => from.text('friendly_name'),
    settingsOf: ofUptimeRobot,
    ignored: [
      ...['id', 'create_datetime', 'logs', 'response_times', 'average_response_time', 'ssl'],
      ...['all_time_uptime_ratio', 'custom_uptime_ratio', 'is_group_main', 'http_auth_type'],
      ...['keyword_case_type', 'keyword_type', 'keyword_value', 'sub_type', 'port', 'http_method'],
      ...['post_type', 'post_content_type', 'timeout'],
    ],
  })
}

const ROBOT_METHODS = ['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Ports by `sub_type`; 99 has its port in a field beside it. */
const ROBOT_PORTS: Readonly<Record<number, number>> = {
  1: 80,
  2: 443,
  3: 21,
  4: 25,
  5: 110,
  6: 143,
}

function ofUptimeRobot(from: Taking, note: Note): Settings | undefined {
  const target = robotTarget(from, note)
  if (target === undefined) return undefined
  const interval_sec = intervalOf(from.number('interval') ?? 300, note)
  const timeout = from.number('timeout')
  const contacts = from.list('alert_contacts').length
  if (contacts > 0) note(`told ${contacts} contacts: name yours in "contacts"`)
  if (from.list('mwindows').length > 0) note('mwindows: give it windows as "maintenance"')
  return {
    ...target,
    interval_sec,
    ...deadline(interval_sec, timeout === undefined ? undefined : timeout * 1000, note),
    ...(from.number('status') === 0 ? PAUSED : {}),
  }
}

function robotTarget(from: Taking, note: Note): Settings | undefined {
  const [type, url] = [from.number('type'), from.text('url')]
  if (type === 5) {
    note('its address: the job has to call the new one (ping_url of the monitor)')
    return { type: 'heartbeat' }
  }
  if (url === undefined) {
    note('not imported: it has no url')
    return undefined
  }
  const host = URL.canParse(url) && url.includes('://') ? new URL(url).hostname : url
  if (type === 3) return { type: 'ping', host }
  if (type === 4) {
    const sub = from.number('sub_type') ?? 99
    const port = ROBOT_PORTS[sub] ?? from.number('port')
    if (port === undefined) note('not imported: it has no port')
    return port === undefined ? undefined : { type: 'tcp', host, port }
  }
  if (type !== 1 && type !== 2) {
    note(`not imported: the type ${type ?? '(none)'} has no counterpart`)
    return undefined
  }
  return { type: 'http', url, ...robotRequest(from, note), ...robotKeyword(from, type, note) }
}

function robotRequest(from: Taking, note: Note): JsonObject {
  const method = ROBOT_METHODS[(from.number('http_method') ?? 2) - 1] ?? 'GET'
  const [user, pass] = [from.text('http_username'), from.text('http_password')]
  const body = from.text('post_value')
  const headers = from.value('custom_http_headers')
  if (from.text('custom_http_statuses') !== undefined)
    note('custom_http_statuses: set "expected_status"')
  if (user !== undefined && from.number('http_auth_type') === 2)
    note('the login by digest: only basic is known here')
  return {
    method,
    ...(user === undefined ? {} : { auth: { user, ...(pass === undefined ? {} : { pass }) } }),
    ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
    ...(isJsonObject(headers) && Object.keys(headers).length > 0 ? { headers } : {}),
  }
}

/** It alerts where the keyword exists (1), or does not (2). */
function robotKeyword(from: Taking, type: number, note: Note): JsonObject {
  const word = from.text('keyword_value')
  if (type !== 2 || word === undefined) return {}
  if (from.number('keyword_case_type') === 1) note('the keyword: upper and lower case differ here')
  return { [from.number('keyword_type') === 1 ? 'keyword_absent' : 'keyword_present']: word }
}

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
    nameOf: (from) => from.text('pronounceable_name') ?? from.text('name') ?? from.text('url'),
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
      ...[
        'call',
        'sms',
        'email',
        'push',
        'critical_alert',
        'team_wait',
        'checks_version',
        'regions',
      ],
      ...['monitor_group_id', 'heartbeat_group_id', 'expected_status_codes', 'required_keyword'],
      ...['port', 'request_timeout', 'confirmation_period', 'recovery_period', 'http_method'],
      ...[
        'follow_redirects',
        'remember_cookies',
        'verify_ssl',
        'url',
        'name',
        'maintenance_timezone',
      ],
      ...['request_headers', 'maintenance_days'],
    ],
  })
}

function ofBetterStack(from: Taking, note: Note): Settings | undefined {
  const paused = from.text('paused_at') === undefined ? {} : PAUSED
  if (from.text('policy_id') !== undefined) note('told by an escalation policy: name your contacts')
  if (from.text('kind') === 'heartbeat') {
    note('its address: the job has to call the new one (ping_url of the monitor)')
    const interval_sec = intervalOf(from.number('period') ?? 86_400, note)
    return { type: 'heartbeat', interval_sec, grace_sec: from.number('grace') ?? 0, ...paused }
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
  if ((from.number('domain_expiration') ?? from.number('ssl_expiration')) !== undefined)
    note('ssl_expiration, domain_expiration: make monitors of the types ssl and domain')
  return { ...target, interval_sec, fail_threshold, ...paused }
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
    const port = Number((from.text('port') ?? '').split(',')[0]) || STACK_PORTS[type]
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

export function fromHealthchecks(document: unknown): Imported {
  return imported(document, {
    name: 'Healthchecks',
    list: 'checks',
    nameOf: (from) => from.text('name') ?? from.text('slug'),
    settingsOf: ofHealthchecks,
    ignored: [
      ...[
        'slug',
        'unique_key',
        'uuid',
        'n_pings',
        'last_ping',
        'next_ping',
        'last_duration',
        'started',
      ],
      ...['ping_url', 'update_url', 'pause_url', 'resume_url', 'badge_url', 'manual_resume', 'tz'],
    ],
  })
}

function ofHealthchecks(from: Taking, note: Note): Settings {
  const cron = from.text('schedule')
  const channels = from.text('channels')
  note('its address: the job has to call the new one (ping_url of the monitor)')
  if (channels !== undefined && channels !== '')
    note(`told ${channels.split(',').length} integrations: name your contacts in "contacts"`)
  return {
    type: 'heartbeat',
    ...(cron === undefined
      ? { interval_sec: intervalOf(from.number('timeout') ?? 86_400, note) }
      : { cron, time_zone: from.text('tz') ?? 'UTC' }),
    grace_sec: from.number('grace') ?? 3600,
    ...tagsOf((from.text('tags') ?? '').split(/\s+/)),
    ...(from.text('status') === 'paused' ? PAUSED : {}),
  }
}
