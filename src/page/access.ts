/**
 * Who looks: whoever signed in with an API key, or whoever the host's own function says.
 *
 * @module
 */

import type { Engine } from '../engine/api.ts'
import { cookie, cookieOf } from './cookies.ts'
import type { Session, Sessions } from './session.ts'

/** What a visitor may see, as `authorize` of the host says it. */
export interface Access {
  readonly account_id: number
  /** Sees everything of the account, but no buttons. Default `false`. */
  readonly read_only?: boolean
}

/** `null` refuses; a `Response` (a redirect to the host's own sign-in, as a rule) is sent as it is. */
export type Authorize = (
  request: Request,
) => Promise<Access | Response | null> | Access | Response | null

export const SESSION_COOKIE = 'watchpost_session'

export interface Visitor extends Access {
  /** Signed in here, and so able to sign out here. */
  readonly session: boolean
}

interface AccessParts {
  readonly engine: Pick<Engine, 'account'>
  readonly sessions: Sessions
  readonly authorize: Authorize | undefined
}

export async function visitorOf(
  request: Request,
  { engine, sessions, authorize }: AccessParts,
): Promise<Visitor | Response | undefined> {
  if (authorize !== undefined) {
    const access = await authorize(request)
    if (access === null || access instanceof Response) return access ?? undefined
    return { ...access, session: false }
  }
  const session = sessions.read(cookieOf(request, SESSION_COOKIE))
  if (session === undefined || !(await isKeyGood(engine, session))) return undefined
  return { account_id: session.account_id, session: true }
}

/** A key that was revoked ends its sessions. */
async function isKeyGood(engine: Pick<Engine, 'account'>, session: Session): Promise<boolean> {
  const keys = await engine.account(session.account_id).keys.list()
  return keys.some(({ id, revoked_at }) => id === session.key_id && revoked_at === null)
}

export function sessionCookie(
  value: string | null,
  options: { readonly base: string; readonly secure: boolean; readonly max_age_sec: number },
): string {
  const { base, secure, max_age_sec } = options
  return cookie({
    name: SESSION_COOKIE,
    value: value ?? '',
    path: base === '' ? '/' : base,
    max_age_sec: value === null ? 0 : max_age_sec,
    secure,
  })
}
