/**
 * The answer of `getMonitors` of UptimeRobot, API v2, or of `GET /v3/monitors`.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import { deadline } from '../imported.ts'
import type { Imported } from '../imported.ts'
import type { Taking } from '../taking.ts'
import { imported, intervalOf, PAUSED } from './answer.ts'
import type { Note, Settings } from './answer.ts'
import { fromUptimeRobotV3, robotTarget } from './uptime-robot-v3.ts'

export function fromUptimeRobot(document: unknown): Imported {
  if (isJsonObject(document) && Array.isArray(document['data'])) return fromUptimeRobotV3(document)
  return imported(document, {
    name: 'UptimeRobot',
    list: 'monitors',
    nameOf: (from) => from.text('friendly_name'),
    settingsOf: ofUptimeRobot,
    ignored: [
      ...['id', 'create_datetime', 'logs', 'response_times', 'average_response_time'],
      ...['all_time_uptime_ratio', 'custom_uptime_ratio', 'is_group_main', 'http_auth_type'],
      ...['keyword_case_type', 'keyword_type', 'keyword_value', 'sub_type', 'port', 'http_method'],
      ...['post_type', 'timeout'],
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
  const target = targetOf(from, note)
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

/** What is checked, by the type in the answer. */
const ROBOT_KINDS = [undefined, 'http', 'http', 'ping', 'port', 'heartbeat'] as const

function targetOf(from: Taking, note: Note): Settings | undefined {
  const [type, url] = [from.number('type'), from.text('url')]
  const kind = ROBOT_KINDS[type ?? 0]
  const port = ROBOT_PORTS[from.number('sub_type') ?? 99] ?? from.number('port')
  const target = robotTarget({ kind, type: String(type ?? '(none)'), url, port }, note)
  if (target?.type !== 'http') return target
  return { ...target, ...robotRequest(from, note), ...robotKeyword(from, type, note) }
}

function robotRequest(from: Taking, note: Note): JsonObject {
  const method = ROBOT_METHODS[(from.number('http_method') ?? 2) - 1] ?? 'GET'
  const [user, pass] = [from.text('http_username'), from.text('http_password')]
  const body = robotBody(from, note)
  const headers = robotHeaders(from, body)
  if (from.text('custom_http_statuses') !== undefined)
    note('custom_http_statuses: set "expected_status"')
  if (user !== undefined && from.number('http_auth_type') === 2)
    note('the login by digest: only basic is known here')
  return {
    method,
    ...(user === undefined ? {} : { auth: { user, ...(pass === undefined ? {} : { pass }) } }),
    ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
    ...(ignoresTls(from) ? { ignore_tls_errors: true } : {}),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  }
}

/** In answers it is within `ssl`, beside what was found in the certificate. */
function ignoresTls(from: Taking): boolean {
  const ssl = from.object('ssl')
  ssl.ignore('brand', 'product', 'expires', 'disable_domain_expire_notifications')
  return ssl.flag('ignore_errors') === true
}

/** A raw text; pairs are an object. */
function robotBody(from: Taking, note: Note): string | undefined {
  if (isJsonObject(from.value('post_value') ?? null))
    note('post_value: its pairs are not sent; write them as "body"')
  return from.text('post_value')
}

/** `post_content_type`: 0 is text/html, 1 application/json. */
function robotHeaders(from: Taking, body: string | undefined): JsonObject {
  const headers = from.value('custom_http_headers')
  const own = isJsonObject(headers) ? headers : {}
  const isNamed = Object.keys(own).some((name) => name.toLowerCase() === 'content-type')
  const type = from.number('post_content_type')
  if (body === undefined || type === undefined || isNamed) return own
  return { ...own, 'Content-Type': type === 1 ? 'application/json' : 'text/html' }
}

/** It alerts where the keyword exists (1), or does not (2). */
function robotKeyword(from: Taking, type: number | undefined, note: Note): JsonObject {
  const word = from.text('keyword_value')
  if (type !== 2 || word === undefined) return {}
  if (from.number('keyword_case_type') === 1) note('the keyword: upper and lower case differ here')
  return { [from.number('keyword_type') === 1 ? 'keyword_absent' : 'keyword_present']: word }
}
