/**
 * The options of `createPage` and their first validation.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { ConfigurationError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import * as option from '../options.ts'
import { isTimeZone } from '../model/time.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import type { Authorize } from './session/access.ts'
import type { LiveLimits } from './live/connection-limits.ts'
import { checkPublic } from './public/public-facts.ts'
import type { PublicStatus } from './public/public-facts.ts'
import type { PageRate } from './http/requests.ts'
import type { PageWords } from './words/language.ts'
import { checkLanguages } from './words/languages.ts'
import type { BuiltinLanguage } from './words/languages.ts'

export interface StatusPageOptions {
  /** Path under which the page is mounted, without a trailing slash (`/watch`). Default: the root. */
  readonly basePath?: string | undefined
  /** Name in the head of the page. Default `watchpost`. */
  readonly title?: string | undefined
  /**
   * Languages of the page, 1 to 20: `'en'` and `'de'` are there, others are the host's {@link PageWords}. A visitor gets
   * the one in the address (`?lang=de`), else the one chosen at the foot of the page, else what the browser accepts, else
   * the first; feeds and badges the one in the address, else the first. Default `['en']`.
   */
  readonly languages?: readonly (BuiltinLanguage | PageWords)[] | undefined
  /**
   * IANA time zone (`Europe/Berlin`) in which times are shown, instead of that of each visitor; with `UTC` they stay as they
   * are in the HTML. Pages with a `time_zone` of their own keep it. Default: the visitor's.
   */
  readonly timeZone?: string | undefined
  /** Authorizes visitors, instead of the sign-in by API key: for hosts with accounts of their own. */
  readonly authorize?: Authorize | undefined
  /** Pages for customers, at `/status/<slug>`; `/status` leads to the first. Default none. */
  readonly public?: readonly PublicStatus[] | undefined
  /**
   * Serves the pages that accounts make at run time (`engine.publicPages`, `/api/v1/public-pages`), also at
   * `/status/<slug>`; a slug of `public` comes first. Default `false`: what a key may publish here is the host's choice.
   */
  readonly publicPages?: boolean | undefined
  /**
   * Signs the session cookies. Default: random, so that sessions end with the process and are not shared by several
   * processes.
   */
  readonly sessionKey?: string | Uint8Array | undefined
  /** Lifetime of a session, default 12 hours; 60 seconds to 31 days. */
  readonly sessionSec?: number | undefined
  /** Marks cookies as `Secure`. Default: if the request came by https; set `true` behind a proxy that terminates TLS. */
  readonly secureCookies?: boolean | undefined
  /**
   * Identifies clients for the limit on wrong keys (20 a minute). Default: the address that `toNodeHandler`
   * determined; without it all clients count as one.
   */
  readonly clientOf?: ((request: Request) => string) | undefined
  /**
   * Limits of buttons and views per key, and of all keys of an account; `false` disables them. Buttons share the window
   * of the API's requests. Default 60 buttons and 600 views in 60 seconds, for an account ten times as many.
   */
  readonly rateLimit?: false | PageRate | undefined
  /**
   * Maximum number of concurrent live connections: default 50 per account, 200 per public page, within these 10 per
   * session (`perSession`) and 25 per client (`perClient`, as `clientOf` identifies them); 500 in total (`total`),
   * of which each account and page gets its share.
   */
  readonly listeners?: Partial<LiveLimits> | undefined
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
  languages: option.anything,
  timeZone: option.text,
  authorize: option.callback,
  public: option.listOf(
    option.group<PublicStatus>({
      slug: option.text,
      title: option.text,
      description: option.text,
      // Validated below, where `undefined` as a value differs from an absent option.
      account_id: option.anything,
      monitors: option.anything,
      show_targets: option.flag,
      show_causes: option.flag,
    }),
  ),
  publicPages: option.flag,
  sessionKey: option.eitherOf('a text, or bytes,', option.text, option.bytes),
  sessionSec: option.anything,
  secureCookies: option.flag,
  clientOf: option.callback,
  rateLimit: option.falseOr(
    option.group<PageRate>({
      requests: option.requestCount,
      views: option.requestCount,
      accountRequests: option.requestCount,
      accountViews: option.requestCount,
      windowSec: option.windowSec,
    }),
  ),
  listeners: option.group<Partial<LiveLimits>>({
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
  const {
    basePath = '',
    sessionSec = SESSION_SEC,
    public: pages = [],
    languages,
    timeZone,
  } = options
  if (!/^(?:\/[\w.~-]+)*$/.test(basePath))
    throw new ConfigurationError(`basePath: "${basePath}" is no path such as /watch`)
  if (!Number.isInteger(sessionSec) || sessionSec < 60 || sessionSec > SESSION_MAX_SEC)
    throw new ConfigurationError(`sessionSec: 60 to ${SESSION_MAX_SEC} is expected`)
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new ConfigurationError(`timeZone: "${timeZone}" is no IANA time zone`)
  checkPublic(pages)
  if (languages !== undefined) checkLanguages(languages)
}
