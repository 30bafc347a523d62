/**
 * Tokens of all checks of one engine: one for each account and grant, kept until shortly before its end. Checks that
 * need the same one at the same time share one request.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import { orAborted } from '../../net/timing/stop.ts'
import type { CheckContext } from '../checker.ts'
import { requestToken } from './token-request.ts'
import type { Grant } from './token-request.ts'

/** Where the server does not say how long a token is valid (RFC 6749, 5.1). */
const DEFAULT_MS = 5 * 60_000
/** It may be revoked long before. */
const LONGEST_MS = 24 * 60 * 60_000
/** A token must not end during a check: a minute, or a quarter of its time. */
const MARGIN_MS = 60_000
const MARGIN_SHARE = 0.25

/** A refused grant is not asked for again so soon: a server may lock clients out. */
const REFUSED_MS = 5_000
/** Nor a new token for an origin that has refused a new one. */
const HOPELESS_MS = 60_000

const MAX_PER_ACCOUNT = 50
const MAX_GRANTS = 2_000
const MAX_HOPELESS = 100

type Context = Pick<CheckContext, 'account_id' | 'clock' | 'net' | 'signal'>

export interface Tokens {
  /** The kept token; `undefined` if there is none. */
  kept(ctx: Context, grant: Grant): string | undefined
  /**
   * The kept token, or a new one.
   *
   * @throws CheckFailure as {@link requestToken}
   */
  get(ctx: Context, grant: Grant): Promise<string>
  /**
   * A token in place of one that `origin` has refused; `undefined` if a new one would be refused as well, or is the
   * same.
   *
   * @throws CheckFailure as {@link requestToken}
   */
  renew(ctx: Context, grant: Grant, refused: Refused): Promise<string | undefined>
  /** `origin` has refused a token although it was new. */
  giveUp(ctx: Context, grant: Grant, origin: string): void
}

export interface Refused {
  readonly token: string
  readonly origin: string
}

/** All times are monotonic. */
interface Entry {
  readonly account_id: number
  kept: { readonly token: string; readonly until: number } | undefined
  refusal: { readonly error: unknown; readonly until: number } | undefined
  /** `undefined` once it is settled: the check that asked ended before. */
  asking: Promise<Asked | undefined> | undefined
  /** Until when no new token is asked for after a refusal, by origin. */
  readonly hopeless: Map<string, number>
}

function newEntry(account_id: number): Entry {
  const nothing = { kept: undefined, refusal: undefined, asking: undefined }
  return { account_id, ...nothing, hopeless: new Map() }
}

type Asked = { readonly token: string } | { readonly error: unknown }

export function createTokens(): Tokens {
  /** The one used last is the last. */
  const entries = new Map<string, Entry>()

  function entryOf({ account_id, clock }: Context, grant: Grant): Entry {
    const key = keyOf(account_id, grant)
    const entry = entries.get(key) ?? newEntry(account_id)
    if (!entries.delete(key)) evict(entries, account_id, clock.monotonic())
    entries.set(key, entry)
    return entry
  }

  /** Runs in the check of whoever asks first; never rejects. */
  async function ask(entry: Entry, ctx: Context, grant: Grant): Promise<Asked | undefined> {
    const from = ctx.clock.monotonic()
    try {
      const { token, expires_in_ms } = await requestToken(ctx, grant)
      entry.kept = { token, until: from + keptFor(expires_in_ms) }
      entry.refusal = undefined
      return { token }
    } catch (error) {
      if (ctx.signal.aborted) return undefined
      if ((error as { readonly code?: unknown }).code === 'oauth_refused')
        entry.refusal = { error, until: ctx.clock.monotonic() + REFUSED_MS }
      return { error }
    } finally {
      entry.asking = undefined
    }
  }

  async function get(ctx: Context, grant: Grant): Promise<string> {
    const entry = entryOf(ctx, grant)
    for (;;) {
      ctx.signal.throwIfAborted()
      const now = ctx.clock.monotonic()
      if (entry.kept !== undefined && now < entry.kept.until) return entry.kept.token
      if (entry.refusal !== undefined && now < entry.refusal.until) throw entry.refusal.error
      entry.asking ??= ask(entry, ctx, grant)
      // If the check that asks ends before its answer, one of those that wait asks again.
      const asked = await orAborted(ctx.signal, entry.asking)
      if (asked === undefined) continue
      if ('error' in asked) throw asked.error
      return asked.token
    }
  }

  return {
    kept(ctx, grant) {
      const { kept } = entryOf(ctx, grant)
      return kept !== undefined && ctx.clock.monotonic() < kept.until ? kept.token : undefined
    },
    get,
    async renew(ctx, grant, { token, origin }) {
      const entry = entryOf(ctx, grant)
      if (entry.kept?.token === token) {
        if (ctx.clock.monotonic() < (entry.hopeless.get(origin) ?? -Infinity)) return undefined
        entry.kept = undefined
      }
      const fresh = await get(ctx, grant)
      return fresh === token ? undefined : fresh
    },
    giveUp(ctx, grant, origin) {
      const { hopeless } = entryOf(ctx, grant)
      if (hopeless.size >= MAX_HOPELESS) hopeless.clear()
      hopeless.set(origin, ctx.clock.monotonic() + HOPELESS_MS)
    },
  }
}

function keptFor(expires_in_ms: number | null): number {
  const valid_ms = Math.min(expires_in_ms ?? DEFAULT_MS, LONGEST_MS)
  return valid_ms - Math.min(MARGIN_MS, valid_ms * MARGIN_SHARE)
}

/** A hash, so that no secret is the name of something. */
function keyOf(account_id: number, grant: Grant): string {
  const { token_url, client_id, client_secret, scope, audience, auth_method, proxy } = grant
  const way = [proxy?.url, proxy?.auth?.user, proxy?.auth?.pass]
  const all = [token_url, client_id, client_secret, scope, audience, auth_method, ...way]
  const text = JSON.stringify([account_id, ...all.map((each) => each ?? null)])
  return createHash('sha256').update(text).digest('base64')
}

/** Makes room for one of `account_id`: without what has ended, then without the oldest of who has the most. */
function evict(entries: Map<string, Entry>, account_id: number, now: number): void {
  const counts = new Map<number, number>()
  for (const [key, { account_id: owner, kept, refusal, asking }] of entries) {
    const until = Math.max(kept?.until ?? -Infinity, refusal?.until ?? -Infinity)
    if (asking === undefined && until <= now) entries.delete(key)
    else counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  if ((counts.get(account_id) ?? 0) >= MAX_PER_ACCOUNT) dropOldest(entries, account_id)
  else if (entries.size >= MAX_GRANTS) {
    const [[most] = [account_id]] = [...counts].sort(([, a], [, b]) => b - a)
    dropOldest(entries, most)
  }
}

function dropOldest(entries: Map<string, Entry>, account_id: number): void {
  for (const [key, entry] of entries) {
    if (entry.account_id !== account_id) continue
    entries.delete(key)
    return
  }
}
