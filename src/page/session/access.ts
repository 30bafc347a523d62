/**
 * Authorization: by sign-in with an API key, or by a function of the host.
 *
 * @module
 */

import type { Engine } from '../../engine/api/engine.ts'
import type { KeyView } from '../../engine/api/views.ts'
import { ALL_SCOPES } from '../../model/scopes.ts'
import { actorFrom } from '../../access/actor.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import type { Requester } from '../../engine/services/request-services.ts'
import { cookie, cookieOf } from './cookies.ts'
import { markOf } from './session.ts'
import type { Session, Sessions } from './session.ts'

/** What a visitor may see, as the host's `authorize` returns it. */
export interface Access {
  readonly account_id: number
  /** Sees everything of the account, but cannot press buttons. Default `false`. */
  readonly read_only?: boolean
  /**
   * Identifies whose requests are counted together; use the `key.id` of the API's `authenticate` for the same person.
   * Default: all visitors of the account.
   */
  readonly identity?: string | number
  /** May make and revoke API keys of the account, unless `read_only`. Default `false`. */
  readonly keys?: boolean
  /** Who the audit log says pressed a button, at most 200 characters. Default `page`. */
  readonly actor?: string | null | undefined
}

/**
 * `null` rejects, and so does an account that does not exist; a `Response` (usually a redirect to the host's own
 * sign-in) is sent as it is.
 */
export type Authorize = (
  request: Request,
) => Promise<Access | Response | null> | Access | Response | null

const SESSION_COOKIE = 'watchpost_session'

export interface Visitor extends Access {
  readonly keys: boolean
  readonly actor: string
  /** Signed in by the page, so that sign-out is offered. */
  readonly session: boolean
  /** The requester for rate limits. */
  readonly by: Requester
}

/** How a page is served. */
interface Served {
  readonly base: string
  isSecure(url: URL): boolean
}

interface AccessParts extends Served {
  readonly engine: Pick<Engine, 'account' | 'accounts'>
  readonly sessions: Sessions
  readonly authorize: Authorize | undefined
}

export async function visitorOf(
  request: Request,
  parts: AccessParts,
): Promise<Visitor | Response | undefined> {
  const { engine, sessions, authorize } = parts
  if (authorize !== undefined) {
    const access = await authorize(request)
    if (access instanceof Response) return access
    // Whatever the host returns: without an existing account there is no access.
    if (!access || !(await engine.accounts.exists(access.account_id))) return undefined
    const { account_id, identity = 'page', read_only = false } = access
    // Only `false` or an absent value allows buttons: `1`, `null` or `'true'` do not.
    const only_reads = (read_only as unknown) !== false
    const by = { identity: `${account_id}:${identity}` }
    const actor = actorFrom(access.actor, 'page')
    const keys = !only_reads && (access.keys as unknown) === true
    return { account_id, identity, actor, read_only: only_reads, keys, session: false, by }
  }
  const session = sessions.read(sessionIn(request, parts))
  const key = session === undefined ? undefined : await keyOf(engine, session)
  if (session === undefined || key === undefined || !mayRead(key)) return undefined
  const { account_id, key_id } = session
  const read_only = !key.scopes.includes('write')
  // Those that may do everything: a key makes none that may do more than itself.
  const keys = ALL_SCOPES.every((scope) => key.scopes.includes(scope))
  return { account_id, actor: `key:${key_id}`, read_only, keys, session: true, by: { key_id } }
}

/** The page shows everything of the account, so that one scope of many does not suffice. */
export function mayRead({ scopes }: Pick<KeyView, 'scopes'>): boolean {
  return scopes.includes('read')
}

/** A revoked key ends its sessions, and so does a removed account; no other key of its id has them. */
async function keyOf(
  engine: AccessParts['engine'],
  session: Session,
): Promise<KeyView | undefined> {
  if (!(await engine.accounts.exists(session.account_id))) return undefined
  const key = await requestServicesOf(engine).key(session.account_id, session.key_id)
  return key?.revoked_at === null && markOf(key) === session.mark ? key : undefined
}

/** The value of the session's cookie. */
export function sessionIn(request: Request, { base, isSecure }: Served): string | undefined {
  return cookieOf(request, nameOf(base, isSecure(new URL(request.url))))
}

/**
 * On https no other host of the domain can set a cookie of this name (RFC 6265bis, 4.1.3.2: `__Host-`). It is then sent
 * for every path, so that two pages on one host need two names.
 */
function nameOf(base: string, secure: boolean): string {
  return secure ? `__Host-${SESSION_COOKIE}${encodeURIComponent(base)}` : SESSION_COOKIE
}

export function sessionCookie(
  value: string | null,
  options: { readonly base: string; readonly secure: boolean; readonly max_age_sec: number },
): string {
  const { base, secure, max_age_sec } = options
  return cookie({
    name: nameOf(base, secure),
    value: value ?? '',
    path: secure || base === '' ? '/' : base,
    max_age_sec: value === null ? 0 : max_age_sec,
    secure,
  })
}
