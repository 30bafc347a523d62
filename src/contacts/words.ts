/**
 * Formats an event as text, the same for every contact kind: title, severity and facts. Names,
 * targets and causes are external text: characters that could manipulate the display are removed
 * here; each kind escapes the markup of its service.
 *
 * @module
 */

import { iso } from '../clock.ts'
import type { JsonObject } from '../model.ts'
import type { Delivery } from '../webhook/contact-kind.ts'
import type { Fact, Message, Severity } from './message.ts'
import { cut, tidyLine, tidyLines, moment, span } from './text.ts'
import { isJsonObject } from '../model/json.ts'
import { canParseUrl } from '../model/url.ts'

const TITLE_CHARS = 200
const FACT_CHARS = 600
const FACTS = 12

interface Wording {
  readonly severity: Severity | ((about: About) => Severity)
  title(about: About): string
  extras?(about: About): readonly (Fact | undefined)[]
}

/** The parts of a payload used in texts. */
interface About {
  readonly name: string
  readonly target: string
  readonly payload: JsonObject
  /** A number or string at a dotted path. */
  read(path: string): string | undefined
}

const certificate = ({ read }: About): readonly (Fact | undefined)[] => [
  fact('Certificate', read('certificate.subject') ?? read('new.subject')),
  fact('Issuer', read('certificate.issuer') ?? read('new.issuer')),
  fact('Ends', moment(read('certificate.not_after') ?? read('new.not_after'))),
]

const registration = ({ read }: About): readonly (Fact | undefined)[] => [
  fact('Registrar', read('domain.registrar')),
  fact('Ends', moment(read('domain.expires_at'))),
]

const change = ({ read }: About): readonly (Fact | undefined)[] => [
  fact('Lines', `${read('change.added') ?? '?'} added, ${read('change.removed') ?? '?'} removed`),
  fact('Excerpt', read('change.excerpt'), tidyLines),
]

const reminder = ({ read }: About): readonly (Fact | undefined)[] => {
  const [n, max] = [read('repeat.n'), read('repeat.max')]
  return [fact('Reminder', n && (max === undefined || max === '0' ? n : `${n} of ${max}`))]
}

/** Why it ended without a recovery: the target may still be failing. */
const ENDED_BY: Readonly<Record<string, string>> = {
  paused: 'the monitor was paused',
  reconfigured: 'what it checks was changed',
  deleted: 'the monitor was deleted',
  down: 'it is down',
  maintenance: 'planned work began',
}

const endedBy = ({ read }: About): string | undefined => wordsFor(read('incident.closed_reason'))
const restoredBy = ({ read }: About): string | undefined => wordsFor(read('degraded.closed_reason'))

function wordsFor(reason = 'recovered'): string | undefined {
  return Object.hasOwn(ENDED_BY, reason) ? ENDED_BY[reason] : undefined
}

const hasSettled = ({ read }: About): boolean => read('flapping') === 'false'

const WORDINGS: Readonly<Record<string, Wording>> = {
  down: { severity: 'down', title: ({ name }) => `${name} is down` },
  repeat: { severity: 'down', title: ({ name }) => `${name} is still down`, extras: reminder },
  blacklisted: { severity: 'down', title: ({ name }) => `${name} is on a blacklist` },
  up: {
    severity: (about) => (endedBy(about) === undefined ? 'up' : 'info'),
    title(about) {
      const by = endedBy(about)
      return by === undefined
        ? `${about.name} is up again`
        : `${about.name}: incident closed, since ${by}`
    },
  },
  outage: {
    severity: 'info',
    title({ name, read }) {
      const lasted = span(read('incident.duration_sec'))
      return `${name} was down${lasted === undefined ? '' : ` for ${lasted}`}`
    },
  },
  degraded: {
    severity: 'warning',
    title: ({ name }) => `${name} is up and degraded`,
    extras: ({ read }) => [
      fact('Cause', read('degraded.cause_text')),
      fact('Since', moment(read('degraded.since'))),
    ],
  },
  restored: {
    severity: (about) => (restoredBy(about) === undefined ? 'up' : 'info'),
    title(about) {
      const by = restoredBy(about)
      return by === undefined
        ? `${about.name} is no longer degraded`
        : `${about.name}: degraded no more, since ${by}`
    },
    extras: ({ read }) => [
      fact('Cause', read('degraded.cause_text')),
      fact('Lasted', span(read('degraded.duration_sec'))),
    ],
  },
  acknowledged: {
    severity: 'info',
    title: ({ name }) => `${name}: somebody is working on it`,
    extras: ({ read }) => [fact('Acknowledged', moment(read('incident.acknowledged_at')))],
  },
  ssl_expiring: {
    severity: 'warning',
    title: (about) => `The certificate of ${about.name} ends${inDays(about, 'certificate')}`,
    extras: certificate,
  },
  ssl_changed: {
    severity: 'info',
    title: ({ name }) => `${name} shows another certificate`,
    extras: certificate,
  },
  domain_expiring: {
    severity: 'warning',
    title: (about) => `The registration of ${about.name} ends${inDays(about, 'domain')}`,
    extras: registration,
  },
  domain_expired: {
    severity: 'warning',
    title: ({ name }) => `The registration of ${name} has ended`,
    extras: registration,
  },
  content_changed: {
    severity: 'info',
    title: ({ name }) => `${name} has changed`,
    extras: change,
  },
  flapping: {
    severity: (about) => (hasSettled(about) ? 'info' : 'warning'),
    title: (about) => `${about.name} ${hasSettled(about) ? 'has settled' : 'goes up and down'}`,
    extras: ({ read }) => [
      fact('State', read('state')),
      fact('Changes', read('change_percent')?.concat(' %')),
    ],
  },
  digest: {
    severity: ({ read }) =>
      ['down', 'repeat', 'blacklisted'].some(
        (event) => read(`digest.events.${event}`) !== undefined,
      )
        ? 'down'
        : 'info',
    title: ({ payload }) => {
      const counts = Object.entries(digestOf(payload, 'events'))
      return counts
        .map(([event, count]) => `${textOf(count)} ${tidyLine(event.replaceAll('_', ' '))}`)
        .join(', ')
    },
    extras: digestFacts,
  },
  test: { severity: 'info', title: () => 'Test: notifications arrive here' },
}

function digestOf({ digest }: JsonObject, name: string): JsonObject {
  const part = isJsonObject(digest) ? digest[name] : undefined
  return isJsonObject(part) ? part : {}
}

/** The first and the most frequent cause, and the monitors by event. */
function digestFacts({ payload, read }: About): (Fact | undefined)[] {
  const { notifications } = isJsonObject(payload['digest']) ? payload['digest'] : {}
  const names = new Map<string, string[]>()
  for (const item of Array.isArray(notifications) ? (notifications as readonly unknown[]) : []) {
    if (!isJsonObject(item)) continue
    const event = scalarAt(item, 'event') ?? ''
    const name = tidyLine(scalarAt(item, 'monitor.name') ?? scalarAt(item, 'monitor.target') ?? '')
    names.set(event, [...(names.get(event) ?? []), name])
  }
  const first = [read('digest.first.monitor.name'), read('digest.first.cause_text')]
  const worst = [read('digest.worst.cause_text'), read('digest.worst.count')]
  return [
    fact('First', first.includes(undefined) ? undefined : first.join(': ')),
    fact('Since', moment(read('digest.first.started_at'))),
    fact('Most frequent', worst.includes(undefined) ? undefined : `${worst[0]} (${worst[1]})`),
    ...[...names].map(([event, list]) => fact(labelOf(event), list.join(', '))),
  ]
}

/** Never throws, whatever the payload contains; an unknown event gets a generic text. */
export function messageOf({ event, payload, notification_id }: Delivery): Message {
  const read = (path: string): string | undefined => scalarAt(payload, path)
  const target = tidyLine(read('monitor.target') ?? '')
  const name = tidyLine(read('monitor.name') ?? '') || target || 'A monitor'
  const about: About = { name, target, payload, read }
  const known = Object.hasOwn(WORDINGS, event) ? WORDINGS[event] : undefined
  const recovered = endedBy(about) === undefined
  const { severity, title, extras } = known ?? unknownEvent(event, payload)
  const facts = [
    fact('Target', target === name ? undefined : target),
    fact('Cause', read('incident.cause_text')),
    fact('Since', moment(read('incident.started_at'))),
    fact(recovered ? 'Until' : 'Closed', moment(read('incident.ended_at'))),
    fact(recovered ? 'Lasted' : 'Open for', span(read('incident.duration_sec'))),
    ...(extras?.(about) ?? []),
  ]
  return {
    event,
    notification_id,
    severity: typeof severity === 'string' ? severity : severity(about),
    title: cut(title(about), TITLE_CHARS),
    facts: facts.filter((each) => each !== undefined).slice(0, FACTS),
    link: linkTo(target),
    source: target || name,
    sent_at: read('sent_at') ?? iso(0),
    incident_key: incidentKey(read),
  }
}

function unknownEvent(event: string, { incident }: JsonObject): Wording {
  const words = tidyLine(event.replaceAll('_', ' '))
  return {
    severity: isJsonObject(incident) ? 'warning' : 'info',
    title: ({ name }) => `${name}: ${words}`,
    extras: otherFacts,
  }
}

/** Names of the body itself, and values for programs only. */
const NOT_FACTS = new Set([
  'event',
  'monitor',
  'incident',
  'sent_at',
  'notification_id',
  'truncated',
  'locations',
  'locations_failed',
  'details',
])

/** Strings and numbers that an event adds, at the top and one level below. */
function otherFacts({ payload }: About): Fact[] {
  const added = Object.entries(payload).filter(([name]) => !NOT_FACTS.has(name))
  const flat = added.flatMap(([name, value]): (readonly [name: string, value: unknown])[] =>
    isJsonObject(value)
      ? Object.entries(value).map(([inner, item]) => [`${name} ${inner}`, item])
      : [[name, value]],
  )
  return flat.flatMap(([name, value]) => fact(labelOf(name), textOf(value)) ?? [])
}

function labelOf(name: string): string {
  const words = tidyLine(name.replaceAll('_', ' '))
  return cut(words.charAt(0).toUpperCase() + words.slice(1), 60)
}

function fact(
  label: string,
  text: string | undefined,
  tidy: (text: string) => string = tidyLine,
): Fact | undefined {
  const clean = tidy(text ?? '')
  return clean === '' ? undefined : { label, text: cut(clean, FACT_CHARS) }
}

function inDays({ read }: About, group: string): string {
  const days = Number(read(`${group}.days_left`) ?? NaN)
  if (!Number.isFinite(days)) return ' soon'
  if (days < 1) return ' within a day'
  return ` in ${Math.floor(days)} ${Math.floor(days) === 1 ? 'day' : 'days'}`
}

function incidentKey(read: About['read']): string | null {
  const parts = [read('monitor.id'), read('incident.id'), read('incident.started_at')]
  if (parts.includes(undefined)) return null
  const [monitor, incident, started_at = ''] = parts
  return `${monitor}-${incident}-${Date.parse(started_at)}`
}

function linkTo(target: string): string | null {
  if (!/^https?:\/\//i.test(target) || !canParseUrl(target)) return null
  return target.length <= 1024 ? new URL(target).href : null
}

/** A string, number or boolean at a dotted path. */
function scalarAt(payload: JsonObject, path: string): string | undefined {
  let value: unknown = payload
  for (const name of path.split('.')) {
    if (!isJsonObject(value)) return undefined
    value = Object.hasOwn(value, name) ? value[name] : undefined
  }
  return textOf(value)
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
