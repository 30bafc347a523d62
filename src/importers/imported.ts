/**
 * The result of an importer: monitors for a list, and notes on everything that was not imported.
 * Nothing is dropped silently.
 *
 * This folder names types of checks, as the checkers do: an importer knows both formats.
 *
 * @module
 */

import type { Json, JsonObject } from '../model.ts'
import { isJsonObject } from '../model/json.ts'

export interface Imported {
  /** Entries as `syncMonitors` takes them. */
  readonly monitors: readonly JsonObject[]
  readonly not_carried_over: readonly NotCarriedOver[]
  /** Entries of a file of contacts, where they were asked for. */
  readonly contacts?: readonly JsonObject[]
  /** By key of the monitor, where it was asked for. */
  readonly history?: Readonly<Record<string, readonly JsonObject[]>>
}

export interface NotCarriedOver {
  /** Its name in the other tool. */
  readonly of: string
  readonly what: string
}

/** Gathers monitors under keys of their own, and notes. */
export interface Gathering {
  /** Adds a monitor; its key is made of `keyed`, else of its name. Answers the key. */
  add(entry: JsonObject & { readonly name: string }, keyed?: string): string
  note(of: string, what: string): void
  done(): Imported
}

const KEY_CHARS = 60
/** Of a name. A normalization takes time with the square of the length of a run of combining marks: seconds for 60 KB. */
const READ_CHARS = 500

export function gather(): Gathering {
  const monitors: JsonObject[] = []
  const notes: NotCarriedOver[] = []
  const keys = new Set<string>()
  /** Of things with the same name, the number of the last one: a file may hold thousands. */
  const last = new Map<string, number>()
  const freeKey = (text: string): string => {
    const base = keyOf(text)
    for (let n = (last.get(base) ?? 0) + 1; ; n++) {
      const suffix = n === 1 ? '' : `-${n}`
      const key = base.slice(0, KEY_CHARS - suffix.length) + suffix
      last.set(base, n)
      if (!keys.has(key)) return key
    }
  }
  return {
    add(entry, keyed = entry.name) {
      const key = freeKey(keyed)
      keys.add(key)
      const given = Object.entries(entry).filter(([, value]) => value !== undefined)
      monitors.push({ key, ...Object.fromEntries(given) })
      return key
    },
    note: (of, what) => void notes.push({ of, what }),
    done: () => ({ monitors, not_carried_over: notes }),
  }
}

/** Letters without their marks, and whatever else a key may hold. */
function keyOf(text: string): string {
  const key = text
    .slice(0, READ_CHARS)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9._/]+/g, '-')
    .replace(/^[^a-z0-9]+|(?<!-)-+$/g, '')
    .slice(0, KEY_CHARS)
  return key === '' ? 'monitor' : key
}

/** The bounds of fields whose imported value may lie outside of them. */
export interface Bounded {
  readonly value: number
  readonly min: number
  readonly max: number
}

/** The nearest number that is allowed; tells where it is another one. */
export function within({ value, min, max }: Bounded, tell: (allowed: number) => void): number {
  const allowed = Math.min(max, Math.max(min, Math.round(value)))
  if (allowed !== value) tell(allowed)
  return allowed
}

/** Our bounds of what every monitor has. */
export const BOUNDS = {
  interval_sec: { min: 10, max: 31 * 86_400 },
  timeout_ms: { min: 500, max: 60_000 },
  fail_threshold: { min: 1, max: 20 },
  recover_threshold: { min: 1, max: 20 },
  notify_repeat_min: { min: 0, max: 10_080 },
} as const

const DEFAULT_TIMEOUT_MS = 10_000

/** A deadline is less than the interval; where nothing is said it is ours, or most of a short interval. */
export function deadline(
  interval_sec: number,
  wanted_ms: number | undefined,
  note: (what: string) => void,
): { readonly timeout_ms?: number } {
  const interval_ms = interval_sec * 1000
  if (wanted_ms === undefined) {
    return interval_ms > DEFAULT_TIMEOUT_MS ? {} : { timeout_ms: Math.round(interval_ms * 0.8) }
  }
  const max = Math.min(BOUNDS.timeout_ms.max, interval_ms - 1)
  const timeout_ms = within({ value: wanted_ms, min: BOUNDS.timeout_ms.min, max }, (allowed) =>
    note(`a timeout of ${wanted_ms} ms became ${allowed} ms`),
  )
  return { timeout_ms }
}

/** Told of a monitor whose type is registered only on request: a list with it is refused otherwise. */
export function noteExtraType(type: string, note: (what: string) => void): void {
  note(`${type} is a type beyond the sixteen: set WATCHPOST_EXTRA_CHECKERS=true`)
}

/** Client credentials as the setting `oauth`; none where nothing is set. What is missing is named when the list is read. */
export function oauthFrom(parts: Readonly<Record<string, string | undefined>>): JsonObject {
  const given = Object.entries(parts).filter(([, value]) => value !== undefined)
  return given.length > 0 ? { oauth: Object.fromEntries(given) } : {}
}

/** A pattern as it stands, although it may look like `/pattern/flags`. */
export function barePattern(pattern: string): string {
  return /^\/.+\/[a-z]*$/su.test(pattern) ? `/${pattern}/` : pattern
}

/** An address as it may be shown, in a name or a note: without `user:password@`. */
export function withoutLogin(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#\\]*@/i, '$1')
}

/** `host:port`, `[v6]:port`; the port may be missing. */
export function hostAndPort(text: string): {
  readonly host: string
  readonly port: number | undefined
} {
  const [, v6, v6Port] = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? []
  if (v6 !== undefined) return { host: v6, port: v6Port === undefined ? undefined : Number(v6Port) }
  const [, host = text, port] = /^([^:]*):(\d+)$/.exec(text) ?? []
  return { host, port: port === undefined ? undefined : Number(port) }
}

/** The objects of a list; other items are noted as not imported. */
export function objectsIn(
  value: Json | undefined,
  tell: (what: string) => void,
): readonly JsonObject[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    tell('a list is expected here')
    return []
  }
  const items = value as readonly Json[]
  const objects = items.filter(isJsonObject)
  if (objects.length < items.length) tell(`${items.length - objects.length} entries are no objects`)
  return objects
}
