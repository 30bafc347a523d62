/**
 * Sessions: a signed cookie with the API key's id and mark, and the expiry.
 *
 * An active session is not stored; sessions that were signed out are remembered until their expiry.
 *
 * @module
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { KeyView } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'

export interface Session {
  readonly account_id: number
  readonly key_id: number
  /** As {@link markOf} makes it. */
  readonly mark: string
  readonly ends_at: EpochMs
}

/**
 * Tells a key from another one of the same id: in a second database that is served with the same secret, and in one that
 * was made anew or restored from a backup.
 */
export function markOf({ prefix, created_at }: Pick<KeyView, 'prefix' | 'created_at'>): string {
  return createHash('sha256').update(`${prefix} ${created_at}`).digest('base64url').slice(0, 16)
}

export interface Sessions {
  /** The value of a cookie. */
  begin(who: Omit<Session, 'ends_at'>): string
  read(value: string | undefined): Session | undefined
  end(value: string | undefined): void
  /** Whether a cookie that ends at this time holds: no longer than one that is made now, but for an hour. */
  holds(ends_at: EpochMs): boolean
  readonly max_age_sec: number
}

interface SessionOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly max_age_sec: number
  /**
   * A secret: with it, a session of any account can be forged. Default: 32 random bytes, so that sessions end with
   * the process.
   */
  readonly key?: string | Uint8Array | undefined
}

/**
 * Maximum number of remembered signed-out sessions of an account; the oldest are dropped. Not in all: one account could
 * make those of another valid again.
 */
const ENDED_LIMIT = 1000

/**
 * Clocks of servers that share sessions may differ. What ends later was made by a clock that has been set back since,
 * and would be valid for years.
 */
const CLOCKS_APART_MS = 3_600_000

interface Opened {
  readonly session: Session
  readonly payload: string
}

const FORM =
  /^(?<payload>2\.(?<account>\d{1,15})\.(?<key>\d{1,15})\.(?<mark>[\w-]{16})\.(?<ends>\d{1,15})\.[\w-]{16})\.(?<mac>[\w-]{43})$/

export function createSessions({ clock, max_age_sec, key }: SessionOptions): Sessions {
  // A derived key: a MAC that the host creates with the same secret is not valid as a session.
  const macKey = createHmac('sha256', key ?? randomBytes(32))
    .update('watchpost page session')
    .digest()
  const macOf = (payload: string) => createHmac('sha256', macKey).update(payload).digest()
  const max_age_ms = max_age_sec * 1000
  /**
   * By account, the oldest first, with the monotonic time until which each is remembered: by the time of day, a clock
   * that is ahead for a while would make it valid again.
   */
  const ended = new Map<number, Map<string, number>>()

  function forget(): void {
    const now = clock.monotonic()
    for (const [account_id, own] of ended) {
      for (const [payload, until] of own) {
        if (own.size <= ENDED_LIMIT && until > now) break
        own.delete(payload)
      }
      if (own.size === 0) ended.delete(account_id)
    }
  }

  function holds(ends_at: EpochMs): boolean {
    const left_ms = ends_at - clock.now()
    return left_ms > 0 && left_ms <= max_age_ms + CLOCKS_APART_MS
  }

  function isEnded({ session, payload }: Opened): boolean {
    return ended.get(session.account_id)?.has(payload) === true
  }

  function opened(value: string | undefined): Opened | undefined {
    const groups = FORM.exec(value ?? '')?.groups
    if (groups === undefined) return undefined
    const { payload = '', account, key: key_id, mark = '', ends, mac = '' } = groups
    if (!timingSafeEqual(macOf(payload), Buffer.from(mac, 'base64url'))) return undefined
    const session = {
      account_id: Number(account),
      key_id: Number(key_id),
      mark,
      ends_at: Number(ends),
    }
    return holds(session.ends_at) ? { session, payload } : undefined
  }

  return {
    max_age_sec,
    holds,
    begin({ account_id, key_id, mark }) {
      const ends_at = clock.now() + max_age_ms
      const nonce = randomBytes(12).toString('base64url')
      const payload = `2.${account_id}.${key_id}.${mark}.${ends_at}.${nonce}`
      return `${payload}.${macOf(payload).toString('base64url')}`
    },
    read(value) {
      const found = opened(value)
      return found === undefined || isEnded(found) ? undefined : found.session
    },
    end(value) {
      const found = opened(value)
      if (found === undefined) return
      const { account_id } = found.session
      const own = ended.get(account_id) ?? new Map<string, number>()
      ended.set(
        account_id,
        own.set(found.payload, clock.monotonic() + max_age_ms + CLOCKS_APART_MS),
      )
      forget()
    },
  }
}
