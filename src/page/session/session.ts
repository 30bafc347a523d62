/**
 * Sessions: a signed cookie with the API key's id and the expiry.
 *
 * An active session is not stored; sessions that were signed out are remembered until their expiry.
 *
 * @module
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'

export interface Session {
  readonly account_id: number
  readonly key_id: number
  readonly ends_at: EpochMs
}

export interface Sessions {
  /** The value of a cookie. */
  begin(who: Pick<Session, 'account_id' | 'key_id'>): string
  read(value: string | undefined): Session | undefined
  end(value: string | undefined): void
  readonly max_age_sec: number
}

interface SessionOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly max_age_sec: number
  /**
   * A secret: with it, a session of any account can be forged. Default: 32 random bytes, so that sessions end with
   * the process.
   */
  readonly key?: string | Uint8Array | undefined
}

/** Maximum number of remembered signed-out sessions; the oldest are dropped. */
const ENDED_LIMIT = 10_000

const FORM =
  /^(?<payload>1\.(?<account>\d{1,15})\.(?<key>\d{1,15})\.(?<ends>\d{1,15})\.[\w-]{16})\.(?<mac>[\w-]{43})$/

export function createSessions({ clock, max_age_sec, key }: SessionOptions): Sessions {
  // A derived key: a MAC that the host creates with the same secret is not valid as a session.
  const macKey = createHmac('sha256', key ?? randomBytes(32))
    .update('watchpost page session')
    .digest()
  const macOf = (payload: string) => createHmac('sha256', macKey).update(payload).digest()
  const ended = new Map<string, EpochMs>()

  function forget(): void {
    for (const [payload, ends_at] of ended) {
      if (ended.size <= ENDED_LIMIT && ends_at > clock.now()) break
      ended.delete(payload)
    }
  }

  function opened(value: string | undefined): { session: Session; payload: string } | undefined {
    const groups = FORM.exec(value ?? '')?.groups
    if (groups === undefined) return undefined
    const { payload = '', account, key: key_id, ends, mac = '' } = groups
    if (!timingSafeEqual(macOf(payload), Buffer.from(mac, 'base64url'))) return undefined
    const session = {
      account_id: Number(account),
      key_id: Number(key_id),
      ends_at: Number(ends),
    }
    return session.ends_at > clock.now() ? { session, payload } : undefined
  }

  return {
    max_age_sec,
    begin({ account_id, key_id }) {
      const ends_at = clock.now() + max_age_sec * 1000
      const nonce = randomBytes(12).toString('base64url')
      const payload = `1.${account_id}.${key_id}.${ends_at}.${nonce}`
      return `${payload}.${macOf(payload).toString('base64url')}`
    },
    read(value) {
      const found = opened(value)
      return found === undefined || ended.has(found.payload) ? undefined : found.session
    },
    end(value) {
      const found = opened(value)
      if (found === undefined) return
      ended.set(found.payload, found.session.ends_at)
      forget()
    },
  }
}
