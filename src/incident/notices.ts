/**
 * Which contacts are notified, when, and which notices are new. Pure.
 *
 * @module
 */

import type { CommonSettings, ContactRecord, EpochMs, Json, JsonObject, Notice } from '../model.ts'

/** Keys of sent notices stored per monitor; the oldest are dropped first. */
const SENT_NOTICES_LIMIT = 50

type Audience = Pick<CommonSettings, 'contact_ids' | 'contact_delay'>

/** The contacts of a monitor: those it names and those for all monitors, each once, ordered by id. */
export function audience<C extends Pick<ContactRecord, 'id' | 'all_monitors'>>(
  contacts: readonly C[],
  { contact_ids }: Pick<Audience, 'contact_ids'>,
): C[] {
  return contacts
    .filter(({ id, all_monitors }) => all_monitors || contact_ids.includes(id))
    .sort((a, b) => a.id - b.id)
}

/** When a contact is notified of an incident that was detected at `detected_at`. */
export function notificationDueAt(
  contact_id: number,
  { contact_delay }: Pick<Audience, 'contact_delay'>,
  detected_at: EpochMs,
): EpochMs {
  return detected_at + (contact_delay[String(contact_id)] ?? 0) * 60_000
}

/**
 * The repeat that follows a delivery that finished at `at`, or `null` for none. `repeat` is the number of the
 * finished one, 0 for the first notification.
 */
export function nextRepeat(
  {
    notify_repeat_min,
    notify_repeat_max,
  }: Pick<CommonSettings, 'notify_repeat_min' | 'notify_repeat_max'>,
  repeat: number,
  at: EpochMs,
): { readonly repeat: number; readonly due_at: EpochMs } | null {
  if (notify_repeat_min === 0) return null
  if (notify_repeat_max > 0 && repeat >= notify_repeat_max) return null
  return { repeat: repeat + 1, due_at: at + notify_repeat_min * 60_000 }
}

/**
 * The notices whose keys were not sent before, and the sent keys with theirs added. Equal notices of several
 * locations become one with all their locations.
 */
export function newNotices(
  sent_notice_keys: readonly string[],
  notices: readonly Notice[],
): { readonly fresh: readonly Notice[]; readonly sent_notice_keys: readonly string[] } {
  const known = new Set(sent_notice_keys)
  const keys = new Set<string>()
  const fresh: Notice[] = []
  /** Of the keys and of what is said. */
  const places = new Map<string, number>()
  for (const notice of notices) {
    const key = keyOf(notice)
    if (known.has(key)) continue
    keys.add(key)
    const said = saidBy(notice)
    const at = Math.min(places.get(key) ?? Infinity, places.get(said) ?? Infinity)
    const like = fresh[at]
    if (like === undefined) {
      places.set(key, fresh.length).set(said, fresh.length)
      fresh.push(notice)
    } else fresh[at] = { ...like, data: { ...like.data, ...locationsOf(like, notice) } }
  }
  if (fresh.length === 0) return { fresh, sent_notice_keys }
  return { fresh, sent_notice_keys: [...sent_notice_keys, ...keys].slice(-SENT_NOTICES_LIMIT) }
}

/** Begins otherwise than a key. */
function saidBy({ event, data: { locations: _, ...data } }: Notice): string {
  return JSON.stringify([event, data])
}

function locationsOf(...notices: readonly Notice[]): JsonObject {
  const ids = notices.flatMap(({ data: { locations } }) =>
    Array.isArray(locations) ? (locations as readonly Json[]) : [],
  )
  return ids.length === 0 ? {} : { locations: ids }
}

function keyOf({ event, key }: Notice): string {
  return `${event}:${key}`
}
