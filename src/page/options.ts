/**
 * What `createPage` takes, and the first look at it.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { ConfigurationError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import type { Authorize } from './session/access.ts'
import type { Places } from './live/places.ts'
import { checkPublic } from './public/public-facts.ts'
import type { PublicStatus } from './public/public-facts.ts'
import type { PageRate } from './http/requests.ts'

export interface StatusPageOptions {
  /** Path under which the page is mounted, without a slash at its end (`/watch`). Default: the root. */
  readonly basePath?: string | undefined
  /** Name in the head of the page. Default `watchpost`. */
  readonly title?: string | undefined
  /** Who looks, instead of the sign-in by API key: for hosts with accounts of their own. */
  readonly authorize?: Authorize | undefined
  /** Pages for customers, at `/status/<slug>`; `/status` leads to the first. Default none. */
  readonly public?: readonly PublicStatus[] | undefined
  /**
   * Signs the cookies of who is signed in. Default: random, so that everybody signs in anew after a restart, and
   * several processes do not know each other's sessions.
   */
  readonly sessionKey?: string | Uint8Array | undefined
  /** How long one stays signed in, default 12 hours; 60 seconds to 31 days. */
  readonly session_sec?: number | undefined
  /** Cookies for https alone. Default: where the request came by https; say `true` behind a proxy that ends TLS. */
  readonly secureCookies?: boolean | undefined
  /**
   * Tells clients apart for the limit on wrong keys (20 a minute). Default: the address that `toNodeHandler` found;
   * where it had no part, all are one.
   */
  readonly clientOf?: ((request: Request) => string) | undefined
  /**
   * How often one may look and press buttons, per key; `false` switches it off. Buttons share the window of the API's
   * requests. Default 60 of them and 600 views in 60 seconds.
   */
  readonly rateLimit?: false | PageRate | undefined
  /**
   * Live connections at the same time: default 50 per account, 200 per public page, and of these 10 per session
   * (`perSession`) and 25 per client (`perClient`, as `clientOf` tells them apart); 500 in all (`total`).
   */
  readonly listeners?: Partial<Places> | undefined
  readonly clock?: Clock | undefined
  /** Default: errors are one line each on stderr. `false`: nothing. */
  readonly logger?: Logger | false | undefined
}

export const SESSION_SEC = 12 * 3600
const SESSION_MAX_SEC = 31 * 86_400

const connections = option.wholeNumber(0, 1_000_000)

const OPTIONS: OptionTable<StatusPageOptions> = {
  basePath: option.text,
  title: option.text,
  authorize: option.callback,
  public: option.listOf(
    option.group<PublicStatus>({
      slug: option.text,
      title: option.text,
      description: option.text,
      // Judged below, where one that got lost is told from one that was left out.
      account_id: option.anything,
      monitors: option.anything,
      show_targets: option.flag,
      show_causes: option.flag,
    }),
  ),
  sessionKey: option.eitherOf('a text, or bytes,', option.text, option.bytes),
  session_sec: option.anything,
  secureCookies: option.flag,
  clientOf: option.callback,
  rateLimit: option.falseOr(
    option.group<PageRate>({
      requests: option.requestCount,
      views: option.requestCount,
      window_sec: option.windowSec,
    }),
  ),
  listeners: option.group<Partial<Places>>({
    perAccount: connections,
    perPublicPage: connections,
    perSession: connections,
    perClient: connections,
    total: connections,
  }),
  clock: option.clock,
  logger: option.logger,
}

/** @throws ConfigurationError */
export function checkPage(options: StatusPageOptions): void {
  checkOptions('createPage', options, OPTIONS)
  const { basePath = '', session_sec = SESSION_SEC, public: pages = [] } = options
  if (!/^(?:\/[\w.~-]+)*$/.test(basePath))
    throw new ConfigurationError(`basePath: "${basePath}" is no path such as /watch`)
  if (!Number.isInteger(session_sec) || session_sec < 60 || session_sec > SESSION_MAX_SEC)
    throw new ConfigurationError(`session_sec: 60 to ${SESSION_MAX_SEC} is expected`)
  checkPublic(pages)
}
