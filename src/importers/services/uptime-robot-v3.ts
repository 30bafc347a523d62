/**
 * The answer of `GET /v3/monitors` of UptimeRobot, with the field names of its API (https://uptimerobot.com/api/v3/).
 *
 * @module
 */

import type { Json, JsonObject } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import { deadline } from '../imported.ts'
import type { Imported } from '../imported.ts'
import type { Taking } from '../taking.ts'
import { imported, intervalOf, PAUSED, tagsOf } from './answer.ts'
import type { Note, Settings } from './answer.ts'
import { canParseUrl } from '../../model/url.ts'

export function fromUptimeRobotV3(document: unknown): Imported {
  return imported(document, {
    name: 'UptimeRobot',
    list: 'data',
    nameOf: (from) => from.text('friendlyName'),
    settingsOf: ofMonitor,
    ignored: [
      ...['id', 'userId', 'apiKey', 'createDateTime', 'currentStateDuration', 'psps', 'url'],
      ...['lastIncident', 'lastIncidentId', 'lastDayUptimes', 'sslBrand', 'sslExpiryDateTime'],
      ...['domainExpireDate', 'regionalData', 'gracePeriod', 'timeout', 'keywordCaseType'],
      ...['keywordType', 'keywordValue', 'checkSSLErrors', 'followRedirections', 'authType'],
      ...['httpMethodType', 'httpUsername', 'httpPassword', 'postValueType', 'postValueData'],
      ...['customHttpHeaders', 'successHttpResponseCodes', 'port', 'responseTimeThreshold'],
    ],
  })
}

function ofMonitor(from: Taking, note: Note): Settings | undefined {
  const target = targetOf(from, note)
  if (target === undefined) return undefined
  noteOthers(from, note)
  const interval_sec = intervalOf(from.number('interval') ?? 300, note)
  const timeout = from.number('timeout')
  const slow = from.number('responseTimeThreshold') ?? 0
  return {
    ...target,
    interval_sec,
    ...(target.type === 'heartbeat'
      ? { grace_sec: from.number('gracePeriod') ?? 0 }
      : deadline(interval_sec, timeout === undefined ? undefined : timeout * 1000, note)),
    ...(slow > 0 && target.type !== 'heartbeat' ? { warn: { response: { above: slow } } } : {}),
    ...tagsOf(labelsOf(from, note)),
    ...(from.text('status') === 'PAUSED' ? PAUSED : {}),
  }
}

function noteOthers(from: Taking, note: Note): void {
  const contacts = from.list('assignedAlertContacts').length
  if (contacts > 0) note(`told ${contacts} contacts: name yours in "contacts"`)
  if (from.list('maintenanceWindows').length > 0)
    note('maintenanceWindows: give it windows as "maintenance"')
  if (from.flag('sslExpirationReminder') === true)
    note('sslExpirationReminder: make an ssl monitor')
  if (from.flag('domainExpirationReminder') === true)
    note('domainExpirationReminder: make a domain monitor')
}

function labelsOf(from: Taking, note: Note): readonly string[] {
  const tags = from.list('tags').filter(isJsonObject)
  const names = tags.flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
  const group = from.number('groupId') ?? 0
  if (group === 0) return names
  note(`the name of its group is in another answer: the group became the tag "group-${group}"`)
  return [...names, `group-${group}`]
}

/** What is checked, by the type in the answer. */
const KINDS: ReadonlyMap<string, RobotTarget['kind']> = new Map([
  ['HEARTBEAT', 'heartbeat'],
  ['PING', 'ping'],
  ['PORT', 'port'],
  ['HTTP', 'http'],
  ['KEYWORD', 'http'],
])

function targetOf(from: Taking, note: Note): Settings | undefined {
  const [type = '(none)', url] = [from.text('type'), from.text('url')]
  const kind = KINDS.get(type)
  const target = robotTarget({ kind, type, url, port: from.number('port') }, note)
  if (target?.type !== 'http') return target
  return { ...target, ...requestOf(from, note), ...judgedBy(from, type, note) }
}

/** A monitor of either version of the API. */
export interface RobotTarget {
  readonly kind: 'heartbeat' | 'ping' | 'port' | 'http' | undefined
  /** As the API names it. */
  readonly type: string
  readonly url: string | undefined
  readonly port: number | undefined
}

/** What is checked, without the request of an HTTP monitor; `undefined`, with a note, where it cannot be imported. */
export function robotTarget(
  { kind, type, url, port }: RobotTarget,
  note: Note,
): Settings | undefined {
  if (kind === 'heartbeat') {
    note('its address: the job has to call the new one (ping_url of the monitor)')
    return { type: 'heartbeat' }
  }
  if (url === undefined) {
    note('not imported: it has no url')
    return undefined
  }
  const host = canParseUrl(url) && url.includes('://') ? new URL(url).hostname : url
  if (kind === 'ping') return { type: 'ping', host }
  if (kind === 'port') {
    if (port === undefined) note('not imported: it has no port')
    return port === undefined ? undefined : { type: 'tcp', host, port }
  }
  if (kind === undefined) {
    note(`not imported: the type ${type} has no counterpart`)
    return undefined
  }
  return { type: 'http', url }
}

function requestOf(from: Taking, note: Note): JsonObject {
  const method = from.text('httpMethodType') ?? 'GET'
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(from)
  const headers = { ...body?.headers, ...textsIn(from.value('customHttpHeaders')) }
  return {
    method,
    ...loginOf(from, headers, note),
    ...(body === undefined ? {} : { body: body.text }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(from.flag('followRedirections') === false ? { follow_redirects: false } : {}),
    ...(from.flag('checkSSLErrors') === false ? { ignore_tls_errors: true } : {}),
  }
}

/** A token is the password of a login without a name, and goes into `headers`. */
function loginOf(from: Taking, headers: Record<string, string>, note: Note): JsonObject {
  const [login, user, pass] = ['authType', 'httpUsername', 'httpPassword'].map(from.text)
  if (login === 'BEARER' && pass !== undefined) headers['Authorization'] = `Bearer ${pass}`
  if (login === 'BEARER' || login === 'NONE' || user === undefined) return {}
  if (login === 'DIGEST') note('the login by digest: only basic is known here')
  return { auth: { user, ...(pass === undefined ? {} : { pass }) } }
}

interface Body {
  readonly text: string
  readonly headers: Record<string, string>
}

/** Pairs, or JSON as a value or a text. */
function bodyOf(from: Taking): Body | undefined {
  const given = from.value('postValueData')
  if (given === undefined || given === null || given === '') return undefined
  if (from.text('postValueType') !== 'KEY_VALUE') {
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    return { text, headers: { 'Content-Type': 'application/json' } }
  }
  const text = new URLSearchParams(textsIn(given)).toString()
  return { text, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
}

function textsIn(value: Json | undefined): Record<string, string> {
  if (!isJsonObject(value)) return {}
  const texts = Object.entries(value).filter(([, each]) => typeof each !== 'object')
  return Object.fromEntries(texts.map(([name, each]) => [name, String(each as string | number)]))
}

/** It alerts where the keyword exists, or does not; upper and lower case are the same for 1. */
function judgedBy(from: Taking, type: string, note: Note): JsonObject {
  const codes = from.texts('successHttpResponseCodes').map(rangeOf)
  const expected = codes.length === 0 ? {} : { expected_status: codes.join(',') }
  const word = from.text('keywordValue')
  if (type !== 'KEYWORD' || word === undefined) return expected
  if (from.number('keywordCaseType') === 1) note('the keyword: upper and lower case differ here')
  const isAbsent = from.text('keywordType') === 'ALERT_EXISTS'
  return { ...expected, [isAbsent ? 'keyword_absent' : 'keyword_present']: word }
}

/** `2xx` is `200-299`. */
function rangeOf(code: string): string {
  const [, hundred] = /^([1-5])xx$/i.exec(code) ?? []
  return hundred === undefined ? code : `${hundred}00-${hundred}99`
}
