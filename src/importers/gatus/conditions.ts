/**
 * Conditions of Gatus (https://github.com/TwiN/gatus#conditions) as settings. A condition without an
 * equivalent is named in a note, and is not checked.
 *
 * @module
 */

import type { Json, JsonObject } from '../../model.ts'
import { durationMs } from '../taking.ts'
import type { Target } from './target.ts'

export interface Judged {
  readonly settings: JsonObject
  /** Settings of a monitor for the certificate. */
  readonly certificate?: JsonObject
  /** Settings of a monitor for the registration of the domain. */
  readonly domain?: JsonObject
}

interface Condition {
  readonly operator: string
  readonly operand: string
}

type Found = Partial<Judged> | undefined

export function judge(
  conditions: readonly string[],
  target: Target,
  note: (what: string) => void,
): Judged {
  const settings: Record<string, Json | undefined> = {}
  const json: JsonObject[] = []
  const found: { certificate?: JsonObject; domain?: JsonObject } = {}
  for (const text of conditions) {
    const asserted = isHttp(target) ? jsonAssertion(text.trim()) : undefined
    if (asserted !== undefined) {
      json.push(asserted)
      continue
    }
    const [, place = '', operator = '', operand = ''] =
      /^(\[[A-Z_]+\][^\s=!<>]*)\s*(==|!=|<=|>=|<|>)(.*)$/.exec(text.trim()) ?? []
    const read = Object.hasOwn(PLACES, place) ? PLACES[place] : undefined
    const said = read?.({ operator, operand: operand.trim().replace(/^"(.*)"$/, '$1') }, target)
    const both = bothStatuses(settings['expected_status'], said?.settings?.['expected_status'])
    if (both !== undefined) {
      settings['expected_status'] = both
      continue
    }
    const twice = Object.keys(said?.settings ?? {}).some((name) => name in settings)
    if (said === undefined || twice) {
      note(`the condition ${text} has no counterpart${twice ? ' beside another one' : ''}`)
      continue
    }
    Object.assign(settings, said.settings)
    if (said.certificate !== undefined) found.certificate = said.certificate
    if (said.domain !== undefined) found.domain = said.domain
  }
  return { settings: { ...settings, ...(json.length > 0 ? { json } : {}) }, ...found }
}

const isHttp = ({ settings }: Target): boolean => settings.type === 'http'
const isPing = ({ settings }: Target): boolean => settings.type === 'ping'
const isDns = ({ settings }: Target): boolean => settings.type === 'dns'

const PLACES: Readonly<Record<string, (condition: Condition, target: Target) => Found>> = {
  '[STATUS]': (condition, target) => (isHttp(target) ? status(condition) : undefined),
  '[RESPONSE_TIME]': responseTime,
  '[BODY]': body,
  // Every check here requires this anyway.
  '[CONNECTED]': ({ operator, operand }) =>
    operator === '==' && operand === 'true' ? { settings: {} } : undefined,
  '[DNS_RCODE]'({ operator, operand }, target) {
    if (!isDns(target) || operator !== '==') return undefined
    if (operand === 'NOERROR') return { settings: {} }
    return operand === 'NXDOMAIN' ? { settings: { match: 'nxdomain' } } : undefined
  },
  '[CERTIFICATE_EXPIRATION]'(condition, { host, tls_port }) {
    const days = daysLeft(condition)
    if (days === undefined || tls_port === undefined) return undefined
    return { certificate: { host, port: tls_port, days_warn: [days] } }
  },
  '[DOMAIN_EXPIRATION]'(condition, { host }) {
    const days = daysLeft(condition)
    return days === undefined ? undefined : { domain: { domain: host, days_warn: [days] } }
  },
}

function status({ operator, operand }: Condition): Found {
  const any = /^any\((.*)\)$/.exec(operand)?.[1]
  const codes = (any ?? operand).split(',').map((code) => code.trim())
  if (!codes.every((code) => /^[1-5]\d\d$/.test(code))) return undefined
  const code = Number(codes[0])
  if (operator === '==') return { settings: { expected_status: codes.join(',') } }
  if (any !== undefined) return undefined
  const ranges: Readonly<Record<string, readonly [from: number, to: number]>> = {
    '<': [100, code - 1],
    '<=': [100, code],
    '>': [code + 1, 599],
    '>=': [code, 599],
  }
  const [from, to] = ranges[operator] ?? [1, 0]
  return from <= to ? { settings: { expected_status: `${from}-${to}` } } : undefined
}

/** Two ranges as one: `>= 200` and `< 300`. */
function bothStatuses(one: Json | undefined, other: Json | undefined): string | undefined {
  const [, fromOne, toOne] = /^(\d+)-(\d+)$/.exec(typeof one === 'string' ? one : '') ?? []
  const [, fromOther, toOther] = /^(\d+)-(\d+)$/.exec(typeof other === 'string' ? other : '') ?? []
  const from = Math.max(Number(fromOne), Number(fromOther))
  const to = Math.min(Number(toOne), Number(toOther))
  return from <= to ? `${from}-${to}` : undefined
}

function responseTime({ operator, operand }: Condition, target: Target): Found {
  if (operator !== '<' && operator !== '<=') return undefined
  const ms = /^\d+$/.test(operand) ? Number(operand) : durationMs(operand)
  if (ms === undefined || ms < 1 || ms > 60_000) return undefined
  if (isHttp(target)) return { settings: { max_response_ms: Math.round(ms) } }
  return isPing(target) ? { settings: { max_avg_ms: ms } } : undefined
}

/** `pat(*text*)` in a page; one record of a name. */
function body({ operator, operand }: Condition, target: Target): Found {
  if (isDns(target)) {
    const plain = operator === '==' && !/[()*]/.test(operand)
    return plain ? { settings: { expected: [operand] } } : undefined
  }
  const word = /^pat\(\*([^*?[\]\\]+)\*\)$/.exec(operand)?.[1]
  if (!isHttp(target) || word === undefined) return undefined
  if (operator === '==') return { settings: { keyword_present: word } }
  return operator === '!=' ? { settings: { keyword_absent: word } } : undefined
}

/** A warning comes at a number of days, as the condition would fail. */
function daysLeft({ operator, operand }: Condition): number | undefined {
  const ms = durationMs(operand)
  if ((operator !== '>' && operator !== '>=') || ms === undefined) return undefined
  return Math.min(365, Math.max(1, Math.ceil(ms / 86_400_000)))
}

/** `[BODY].data[0].id`, alone or as the operand of `len` and `has`. */
const PLACE = /^\[BODY\]((?:\.[\w-]+|\[\d+\])+)$/
const CONDITION = /^(?:(len|has)\()?(\[BODY\][^\s=!<>()]+)\)? ?(==|!=|<=|>=|<|>)(.+)$/

/** `undefined` if the condition is of something else, or has no counterpart. */
function jsonAssertion(condition: string): JsonObject | undefined {
  const [, of, place = '', operator = '', operand = ''] = CONDITION.exec(condition) ?? []
  const path = pathOf(place)
  const value = operand.trim().replace(/^"(.*)"$/, '$1')
  if (path === undefined || /^(?:pat|any|len|has)\(|^\[/.test(value)) return undefined
  if (of === 'has') return presence(path, `${operator} ${value}`)
  if (of === 'len') return length(path, operator, value)
  return comparison(path, operator, value)
}

/** A name with a dash is no shorthand in JSONPath (RFC 9535, 2.5.1.1). */
function pathOf(place: string): string | undefined {
  const [, rest] = PLACE.exec(place) ?? []
  return rest === undefined ? undefined : `$${rest.replace(/\.(\w*-[\w-]*|\d\w*)/g, "['$1']")}`
}

function presence(path: string, said: string): JsonObject | undefined {
  if (said === '== true' || said === '!= false') return { path, op: 'exists' }
  return said === '== false' || said === '!= true' ? { path, op: 'absent' } : undefined
}

function length(path: string, operator: string, value: string): JsonObject | undefined {
  const items = `${path}[*]`
  if (operator === '==' && /^\d+$/.test(value))
    return { path: items, op: 'count', value: Number(value) }
  return operator === '>' && value === '0' ? { path: items, op: 'exists' } : undefined
}

function comparison(path: string, operator: string, value: string): JsonObject | undefined {
  const number = Number(value)
  if (operator === '>' || operator === '<') {
    const op = operator === '>' ? 'greater' : 'less'
    return Number.isFinite(number) ? { path, op, value: number } : undefined
  }
  // Gatus compares texts: 1 and "1" are the same there.
  const isText = Number.isNaN(number) && !/^(?:true|false|null)$/.test(value)
  if (operator === '==' && isText) return { path, op: 'equals', value }
  if (operator === '==') return { path, op: 'matches', value: `^${value.replaceAll('.', '\\.')}$` }
  return operator === '!=' && isText ? { path, op: 'not', value } : undefined
}
