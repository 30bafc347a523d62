/**
 * The body of a webhook: frozen when the notification is created, completed with values of its row,
 * and identical at every attempt from then on. Pure.
 *
 * @module
 */

import { iso } from '../clock.ts'
import type {
  ClosedReason,
  EpochMs,
  Json,
  JsonObject,
  MonitorRecord,
  NotificationRecord,
} from '../model.ts'
import { isJsonObject } from '../model/json.ts'

export interface PayloadMonitor {
  readonly id: number
  readonly name: string
  readonly type: string
  /** Free of secrets. */
  readonly target: string
  /** Only if the engine's option `metadataInPayloads` asks for it. */
  readonly metadata?: JsonObject
}

export function payloadMonitorOf({ id, common, type, target }: MonitorRecord): PayloadMonitor {
  return { id, name: common.name, type, target }
}

/** The id comes from the row: when the payload is frozen the incident may have none yet. */
export interface PayloadIncident {
  readonly started_at: EpochMs
  readonly cause_code: string
  readonly cause_text: string
  /** With `up`. */
  readonly ended_at?: EpochMs
  readonly duration_sec?: number
  readonly closed_reason?: ClosedReason
  /** With `acknowledged`. */
  readonly acknowledged_at?: EpochMs
}

export interface PayloadParts {
  readonly event: string
  /** `null` for a test. */
  readonly monitor: PayloadMonitor | null
  readonly incident: PayloadIncident | null
  /** Fields that the event adds at the top level. Names of the body itself are ignored. */
  readonly extras?: JsonObject
}

/** Largest body that is sent. */
export const MAX_BODY_BYTES = 256 * 1024

/** Reserved for what is added when the body is composed. */
const RESERVE_BYTES = 512

/** Limits of texts and lists at successive attempts to fit the body. */
const SHORTEST = { chars: 256, items: 10 } as const
const CUTS = [
  { chars: 16_384, items: 1000 },
  { chars: 4096, items: 200 },
  { chars: 1024, items: 50 },
  SHORTEST,
] as const

/** Names that the body itself uses. `truncated: true` says that something was cut. */
const OWN = new Set(['event', 'monitor', 'incident', 'sent_at', 'notification_id', 'truncated'])

/**
 * The JSON text stored with a notification: everything but `notification_id`, `sent_at` and the
 * incident's id.
 */
export function freezePayload({ event, monitor, incident, extras = {} }: PayloadParts): string {
  const added = Object.entries(extras).filter(([name]) => !OWN.has(name))
  return fit({
    event,
    monitor: monitor && {
      id: monitor.id,
      name: monitor.name,
      type: monitor.type,
      target: monitor.target,
      ...(monitor.metadata === undefined ? {} : { metadata: monitor.metadata }),
    },
    incident: incident && frozenIncident(incident),
    ...Object.fromEntries(added),
  })
}

/**
 * The payload of a `repeat`, derived from that of the repeated notification. `n` counts from 1;
 * `max` 0 means no limit.
 */
export function repeatPayload(
  payload: string,
  repeat: { readonly n: number; readonly max: number },
): string {
  return fit({ ...read(payload), event: 'repeat', repeat: { n: repeat.n, max: repeat.max } })
}

/** The payload of `outage`, from that of `up`: an outage whose beginning was not sent. */
export function outagePayload(payload: string): string {
  return fit({ ...read(payload), event: 'outage' })
}

/**
 * The body as an object, in the order of the specification. `sent_at` must be set, as it is from
 * the first claim on.
 */
export function composePayload(
  row: Pick<NotificationRecord, 'id' | 'incident_id' | 'sent_at'>,
  payload: string,
): JsonObject {
  const { event, monitor, incident, ...extras } = read(payload)
  return {
    event,
    monitor,
    incident: isJsonObject(incident) ? { id: row.incident_id, ...incident } : null,
    sent_at: iso(row.sent_at ?? 0),
    notification_id: row.id,
    ...extras,
  }
}

/** {@link composePayload} as the bytes that are signed and sent: identical for the same row. */
export function composeBody(
  row: Pick<NotificationRecord, 'id' | 'incident_id' | 'sent_at'>,
  payload: string,
): Uint8Array {
  return Buffer.from(JSON.stringify(composePayload(row, payload)))
}

function frozenIncident(incident: PayloadIncident): JsonObject {
  const { started_at, cause_code, cause_text, ended_at, duration_sec } = incident
  const { closed_reason, acknowledged_at } = incident
  return {
    started_at: iso(started_at),
    cause_code,
    cause_text,
    ...(ended_at !== undefined ? { ended_at: iso(ended_at) } : {}),
    ...(duration_sec !== undefined ? { duration_sec } : {}),
    ...(closed_reason !== undefined ? { closed_reason } : {}),
    ...(acknowledged_at !== undefined ? { acknowledged_at: iso(acknowledged_at) } : {}),
  }
}

/**
 * JSON text within {@link MAX_BODY_BYTES} minus the reserve: long texts and lists are shortened,
 * finally the extras are dropped.
 */
function fit(body: JsonObject): string {
  const whole = textOf(body)
  if (fits(whole)) return whole
  for (const cut of CUTS) {
    const text = textOf({ ...(shorten(body, cut) as JsonObject), truncated: true })
    if (fits(text)) return text
  }
  const { event, monitor, incident } = shorten(body, SHORTEST) as JsonObject
  return textOf({ event, monitor, incident, truncated: true })
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_BODY_BYTES - RESERVE_BYTES
}

/**
 * Receivers reject a lone surrogate, which JSON.stringify writes as an escape, in a name as in a text: it becomes U+FFFD.
 */
function textOf(body: JsonObject): string {
  const text = JSON.stringify(body)
  if (!text.includes('\\ud')) return text
  return text.replace(/\\(?:ud[0-9a-f]{3}|[^])/g, (escape) =>
    escape.length > 2 ? '\ufffd' : escape,
  )
}

interface Cut {
  readonly chars: number
  readonly items: number
}

function shorten(value: Json | undefined, cut: Cut): Json | undefined {
  if (typeof value === 'string') {
    return value.length > cut.chars ? `${value.slice(0, cut.chars)}…` : value
  }
  if (isList(value)) return value.slice(0, cut.items).map((item) => shorten(item, cut) ?? null)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).slice(0, cut.items)
  return Object.fromEntries(entries.map(([name, item]) => [name, shorten(item, cut)]))
}

function read(payload: string): JsonObject {
  return JSON.parse(payload) as JsonObject
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
