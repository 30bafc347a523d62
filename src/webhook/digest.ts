/**
 * One message for several notifications of one contact: the event `digest`. Pure.
 *
 * @module
 */

import type { Json, JsonObject } from '../model.ts'
import { isJsonObject } from '../model/json.ts'
import type { Delivery } from './contact-kind.ts'
import { deliveryOf } from './contact-kind.ts'

/** Of a name, a target or a cause within a digest. */
const TEXT_CHARS = 500

type Row = Parameters<typeof deliveryOf>[0]

/**
 * The digest of these rows, which were first claimed together. The same bytes at every attempt of the same rows:
 * `notification_id` is the lowest of theirs.
 */
export function digestOf(rows: readonly Row[]): Delivery {
  const items = rows.toSorted((a, b) => a.id - b.id).map(itemOf)
  const [{ notification_id = 0, sent_at = null } = {}] = items
  const payload: JsonObject = {
    event: 'digest',
    monitor: null,
    incident: null,
    sent_at,
    notification_id,
    digest: {
      count: items.length,
      events: counted(rows.map(({ event }) => event)),
      first: firstOf(items),
      worst: worstOf(items),
      notifications: items.map(({ sent_at: _, ...item }) => item),
    },
  }
  return {
    notification_id: Number(notification_id),
    event: 'digest',
    payload,
    body: Buffer.from(JSON.stringify(payload)),
  }
}

/** The parts of a notification that a digest has of it. */
function itemOf(row: Row): JsonObject {
  const { event, notification_id, sent_at, monitor, incident } = deliveryOf(row).payload
  return {
    notification_id,
    event,
    monitor: shortened(monitor),
    incident: shortened(incident),
    sent_at,
  }
}

function shortened(value: Json | undefined): JsonObject | null {
  if (!isJsonObject(value)) return null
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string' && item.length > TEXT_CHARS
        ? `${item.slice(0, TEXT_CHARS).replace(/\p{Surrogate}$/u, '')}…`
        : item,
    ]),
  )
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const isEnd = ({ event }: JsonObject): boolean =>
  event === 'up' || event === 'outage' || event === 'acknowledged'

/** What began first of what has not ended, as a cause. */
function firstOf(items: readonly JsonObject[]): JsonObject | null {
  const [first] = items
    .filter((item) => isJsonObject(item['incident']) && !isEnd(item))
    .toSorted((a, b) => textAt(a, 'started_at').localeCompare(textAt(b, 'started_at'), 'en'))
  if (first === undefined) return null
  return {
    monitor: first['monitor'],
    started_at: textAt(first, 'started_at'),
    cause_code: textAt(first, 'cause_code'),
    cause_text: textAt(first, 'cause_text'),
  }
}

/** The cause of most of what has not ended; of equal ones the earlier. */
function worstOf(items: readonly JsonObject[]): JsonObject | null {
  const failing = items.filter((item) => isJsonObject(item['incident']) && !isEnd(item))
  const codes = counted(failing.map((item) => textAt(item, 'cause_code')))
  const [worst] = Object.entries(codes).toSorted(([, a], [, b]) => b - a)
  if (worst === undefined) return null
  const [cause_code, count] = worst
  const shown = failing.find((item) => textAt(item, 'cause_code') === cause_code)
  return { cause_code, cause_text: shown === undefined ? '' : textAt(shown, 'cause_text'), count }
}

function textAt({ incident }: JsonObject, name: string): string {
  const value = isJsonObject(incident) ? incident[name] : undefined
  return typeof value === 'string' ? value : ''
}
