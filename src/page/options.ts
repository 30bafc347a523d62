/**
 * What `createPage` takes, and the first look at it.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { ConfigurationError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Authorize } from './access.ts'
import { checkPublic } from './public/public-facts.ts'
import type { PublicStatus } from './public/public-facts.ts'

export interface StatusPageOptions {
  /** Path under which the page is mounted, without a slash at its end (`/watch`). Default: the root. */
  readonly basePath?: string
  /** Name in the head of the page. Default `watchpost`. */
  readonly title?: string
  /** Who looks, instead of the sign-in by API key: for hosts with accounts of their own. */
  readonly authorize?: Authorize
  /** Pages for customers, at `/status/<slug>`; `/status` leads to the first. Default none. */
  readonly public?: readonly PublicStatus[]
  /**
   * Signs the cookies of who is signed in. Default: random, so that everybody signs in anew after a restart, and
   * several processes do not know each other's sessions.
   */
  readonly sessionKey?: string | Uint8Array
  /** How long one stays signed in, default 12 hours; 60 seconds to 31 days. */
  readonly session_sec?: number
  /** Cookies for https alone. Default: where the request came by https; say `true` behind a proxy that ends TLS. */
  readonly secureCookies?: boolean
  /** Tells clients apart for the limit on attempts to sign in (20 a minute). Default: all are one. */
  readonly clientOf?: (request: Request) => string
  /** Live connections at the same time, default 50 per account and 200 per public page. */
  readonly listeners?: { readonly perAccount?: number; readonly perPublicPage?: number }
  readonly clock?: Clock
  /** Default: says nothing. */
  readonly logger?: Logger
}

export const SESSION_SEC = 12 * 3600
const SESSION_MAX_SEC = 31 * 86_400

/** @throws ConfigurationError */
export function checkOptions(options: StatusPageOptions): void {
  const { basePath = '', session_sec = SESSION_SEC, public: pages = [] } = options
  if (!/^(?:\/[\w.~-]+)*$/.test(basePath))
    throw new ConfigurationError(`basePath: "${basePath}" is no path such as /watch`)
  if (!Number.isInteger(session_sec) || session_sec < 60 || session_sec > SESSION_MAX_SEC)
    throw new ConfigurationError(`session_sec: 60 to ${SESSION_MAX_SEC} is expected`)
  checkPublic(pages)
}
