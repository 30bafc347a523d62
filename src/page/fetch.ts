/**
 * The status page as one function from `Request` to `Response`, mounted in the same way as the REST API.
 *
 * @module
 */

import { systemClock } from '../clock.ts'
import { boundedLog } from '../access/bounded-log.ts'
import { withDeadline } from '../access/host-function.ts'
import { createArrivalTurns } from '../access/arrival-turns.ts'
import type { Engine } from '../engine/api/engine.ts'
import { AT_WORK, createAccountLimit } from '../access/turns.ts'
import { createSignInLimit } from '../access/sign-in-limit.ts'
import { isWatchpostError } from '../errors.ts'
import { clientAddress } from '../net/peer/client-address.ts'
import { loggerOf } from '../logger.ts'
import { htmlAnswer, makeNonce, toResponse } from './http/answer.ts'
import type { Answer } from './http/answer.ts'
import { createAssets } from './http/assets.ts'
import type { Call, Route, Service } from './http/call.ts'
import { cookieOf } from './session/cookies.ts'
import { createLanguages } from './words/languages.ts'
import { DENSITIES, documentOf, THEMES } from './layout/frame.ts'
import type { Frame } from './layout/frame.ts'
import { createLive } from './live/live.ts'
import { html } from './layout/markup.ts'
import { ENGLISH } from './words/language.ts'
import { checkPage, SESSION_SEC } from './options.ts'
import type { StatusPageOptions } from './options.ts'
import { liveLimitsOf } from './live/connection-limits.ts'
import { DENSITY_COOKIE, openRoutes, THEME_COOKIE } from './routes/open-routes.ts'
import { privateRoutes } from './routes/private-routes.ts'
import { publicRoutes } from './public/public-routes.ts'
import { publishedRoutes } from './public/published-routes.ts'
import { badRequest, notFound, PageError, wrongMethod } from './http/page-error.ts'
import type { Failure } from './http/page-error.ts'
import { createRequests } from './http/requests.ts'
import { createSessions } from './session/session.ts'

export interface StatusPage {
  /** Never rejects; needs no `this`. */
  fetch(this: void, request: Request): Promise<Response>
  /** Whether a path belongs to the page. Unknown paths beside its own are left to the host. */
  owns(this: void, pathname: string): boolean
}

/** @throws ConfigurationError for invalid options */
export function createPage(engine: Engine, options: StatusPageOptions = {}): StatusPage {
  checkPage(options)
  const service = createService(engine, options)
  const routes = [
    ...openRoutes,
    ...publicRoutes(service, options.public ?? []),
    ...(options.publicPages === true ? publishedRoutes(service, options.sessionKey) : []),
    ...privateRoutes,
  ]
  return {
    fetch: (request) => respond({ service, routes, request }),
    owns: (pathname) => owns(service.base, pathname),
  }
}

const OWN =
  /^\/(?:$|(?:monitors|incidents|contacts|maintenance|notifications|keys|status|assets)(?:\/|$)|(?:audit-log|sign-in|sign-out|theme|density|language|wall|events)\/?$)/

function owns(base: string, pathname: string): boolean {
  if (base === '') return OWN.test(pathname)
  return pathname === base || pathname.startsWith(`${base}/`)
}

/** Of these, ten may be actions on many monitors, and others wait for a check. */
const FORMS_AT_WORK = 24

function createService(engine: Engine, options: StatusPageOptions): Service {
  const { clock = systemClock, listeners = {} } = options
  const max_age_sec = options.sessionSec ?? SESSION_SEC
  return {
    engine,
    clock,
    logger: boundedLog(clock, loggerOf(options.logger)),
    base: options.basePath ?? '',
    brand: options.title ?? 'watchpost',
    turns: createArrivalTurns(clock),
    viewsAtWork: createAccountLimit(AT_WORK),
    formsAtWork: createAccountLimit(FORMS_AT_WORK),
    assets: createAssets(),
    languages: createLanguages(options.languages ?? ['en']),
    time_zone: options.timeZone,
    authorize: options.authorize && withDeadline(clock, 'authorize', options.authorize),
    sessions: createSessions({ clock, max_age_sec, key: options.sessionKey }),
    attempts: createSignInLimit(clock),
    requests: createRequests(engine, options.rateLimit ?? {}),
    clientOf: options.clientOf ?? ((request) => clientAddress(request) ?? ''),
    isSecure: ({ protocol }) => options.secureCookies ?? protocol === 'https:',
    live: createLive({ engine, clock, limits: liveLimitsOf(listeners) }),
  }
}

interface Exchange {
  readonly service: Service
  readonly routes: readonly Route[]
  readonly request: Request
}

async function respond({ service, routes, request }: Exchange): Promise<Response> {
  const head = request.method === 'HEAD'
  await service.turns()
  const call = await callOf(service, request)
  try {
    const answer = await answerOf(routes, call)
    return answer instanceof Response ? answer : toResponse(answer, { head })
  } catch (error) {
    return toResponse(failurePage(call, failureOf(error, call)), { head })
  }
}

async function callOf(service: Service, request: Request): Promise<Call> {
  const url = new URL(request.url)
  const { base, brand, assets, clock, languages, time_zone } = service
  const theme = THEMES.find((known) => known === cookieOf(request, THEME_COOKIE)) ?? 'auto'
  const density = DENSITIES.find((known) => known === cookieOf(request, DENSITY_COOKIE))
  const frame: Frame = {
    base,
    brand,
    origin: url.origin,
    nonce: makeNonce(),
    theme,
    density: density ?? 'comfortable',
    // Words that cannot be loaded are no reason to answer nothing.
    language: await languages.chosen(request, url).catch(() => ENGLISH),
    languages: languages.offered,
    time_zone,
    now: clock.now(),
    here: url.pathname + url.search,
    assets,
  }
  // One trailing slash is ignored, except for the root.
  const path = url.pathname.slice(base.length).replace(/(?<=[^/])\/$/, '')
  return { service, request, url, path, frame, params: [] }
}

/** @throws PageError and any error of the engine */
async function answerOf(routes: readonly Route[], call: Call): Promise<Answer | Response> {
  const { service, request, url, path } = call
  if (!owns(service.base, url.pathname)) throw notFound()
  // The base path alone redirects: relative links of the page need its trailing slash.
  if (path === '') return { status: 308, headers: { Location: `${service.base}/${url.search}` } }
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const here = routes.filter(({ pattern }) => pattern.test(path))
  const route = here.find((each) => each.method === method)
  if (route === undefined) {
    if (here.length === 0) throw notFound()
    throw wrongMethod(
      here.map((each) => (each.method === 'GET' ? 'GET, HEAD' : each.method)).join(', '),
    )
  }
  return route.answer({ ...call, params: (route.pattern.exec(path) ?? []).slice(1) })
}

/** Errors of the engine are matched by name: the host may have loaded it from the other build. */
function failureOf(error: unknown, { service, request, path }: Call): Failure {
  if (error instanceof PageError) return error.failure
  if (isWatchpostError(error)) {
    if (error.name === 'NotFoundError')
      return notFound(({ words }) => words.errors.noMonitor).failure
    if (error.name === 'ConflictError')
      return {
        status: 409,
        title: ({ words }) => words.errors.conflict,
        text: () => `${error.message}.`,
      }
    // What the engine refuses of a query, such as a control character in a filter.
    if (error.name === 'ValidationError') return badRequest(() => `${error.message}.`).failure
    if (error.name === 'StorageError' || error.name === 'ClosedError')
      service.logger.warn({ err: error }, 'a page could not be shown')
    if (error.name === 'StorageError' || error.name === 'ClosedError') return UNAVAILABLE
  }
  service.logger.error({ err: error, method: request.method, path }, 'a page failed unexpectedly')
  return {
    status: 500,
    title: ({ words }) => words.errors.internal,
    text: ({ words }) => words.errors.internalText,
  }
}

const UNAVAILABLE: Failure = {
  status: 503,
  title: ({ words }) => words.errors.unavailable,
  text: ({ words }) => words.errors.unavailableText,
  headers: { 'Retry-After': '5' },
}

function failurePage({ frame }: Call, { status, title, text, headers }: Failure): Answer {
  const main = html`<div class="first">
    <h1>${title}</h1>
    <p>${text}</p>
    <p><a href="${frame.base}/">${({ words }) => words.errors.toStart}</a></p>
  </div>`
  const page = htmlAnswer(documentOf(frame, { title, main }), { ...frame, status })
  return { ...page, headers: { ...page.headers, ...headers } }
}
