/**
 * The REST API as one function from `Request` to `Response`, for any host that supports them.
 *
 * @module
 */

import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/api/engine.ts'
import { actorFrom } from '../access/actor.ts'
import { requestServicesOf } from '../engine/services/request-services.ts'
import { NotFoundError, ValidationError } from '../errors.ts'
import { loggerOf } from '../logger.ts'
import type { Logger } from '../logger.ts'
import type { JsonObject } from '../model.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import { boundedLog } from '../access/bounded-log.ts'
import { withDeadline } from '../access/host-function.ts'
import { createArrivalTurns } from '../access/arrival-turns.ts'
import type { ArrivalTurns } from '../access/arrival-turns.ts'
import { renewed } from '../access/renewed.ts'
import { AT_WORK, createAccountLimit, createTurns } from '../access/turns.ts'
import type { InTurn } from '../access/turns.ts'
import { createWaitingRequests } from '../access/waiting-requests.ts'
import { engineKeys, identify, requireScope, authFailureCounter, unauthorized } from './auth.ts'
import type { Authenticate, Identity, CountAuthFailure } from './auth.ts'
import { fail, toResponse } from './envelope.ts'
import type { Reply } from './envelope.ts'
import { documentReply, unlessKnown } from './etag.ts'
import { heartbeat, methodNotAllowed } from './heartbeat.ts'
import { idempotency } from './idempotency.ts'
import type { Idempotency } from './idempotency.ts'
import { createBodyTurns } from './body-turns.ts'
import type { BodyTurns } from './body-turns.ts'
import { readJson } from './body.ts'
import { openApiDocument } from './openapi/document.ts'
import type { Call, Host } from './operation.ts'
import { engineWindow, rateHeaders, ratePolicy, requireQuota, whileWaiting } from './rate-limit.ts'
import type { RatePolicy, RateWindow } from './rate-limit.ts'
import { refuseCrossSite } from './cross-site.ts'
import type { RefuseCrossSite } from './cross-site.ts'
import { failureOf } from './http-error.ts'
import { requestId } from './request-id.ts'
import { createRouter } from './router.ts'
import type { Router } from './router.ts'
import { API, contactRoutes, HEARTBEAT, OPENAPI, routes } from './routes.ts'
import type { Route } from './routes.ts'

export interface RestOptions {
  /**
   * Identifies the account. Default: the bearer key, looked up with `engine.authenticate`. It is called again, once the body
   * is read, for a request that took more than a second to arrive.
   */
  readonly authenticate?: Authenticate | undefined
  /** The balance of an account; 503 if it takes more than 10 s. Default: none (`{ amount: null, unlimited: true }`). */
  readonly balance?: Host['balance'] | undefined
  /**
   * Requests per key (spec 8: 60 in 60 seconds, the default) and of all keys of an account (`accountRequests`, 600 unless
   * `authenticate` is given); `false` disables both limits. `window` counts them.
   * Default: the engine counts them, for REST, page and metrics together, and across all processes if its store is
   * shared and the keys are the engine's.
   */
  readonly rateLimit?:
    false | (Partial<RatePolicy> & { readonly window?: RateWindow | undefined }) | undefined
  /**
   * Origins of other sites (`https://app.example.com`) whose pages may send modifying requests without a bearer key,
   * with a cookie that your `authenticate` accepts. Default none.
   */
  readonly allowedOrigins?: readonly string[] | undefined
  /**
   * Identifies clients for the limit on wrong keys and tokens (20 a minute). Default: the address that
   * `toNodeHandler` determined; clients without an address are not limited.
   */
  readonly clientOf?: ((request: Request) => string | undefined) | undefined
  /**
   * Contacts may be created, changed and deleted over REST, by any key that may write. Default `false`: they are made in
   * code or by files of `serve`, and REST lists and tests them.
   */
  readonly manageContacts?: boolean | undefined
  /** Path under which the API is mounted, without a slash at its end (`/monitoring`). Default: the root. */
  readonly basePath?: string | undefined
  /** Default: errors are one line each on stderr. `false`: nothing. */
  readonly logger?: Logger | false | undefined
  readonly clock?: Clock | undefined
}

const OPTIONS: OptionTable<RestOptions> = {
  authenticate: option.callback,
  balance: option.callback,
  rateLimit: option.falseOr(
    option.group<Exclude<RestOptions['rateLimit'], false | undefined>>({
      requests: option.requestCount,
      windowSec: option.windowSec,
      accountRequests: option.requestCount,
      window: option.having('take'),
    }),
  ),
  // Each is validated where it is used.
  allowedOrigins: option.listOf(option.text),
  clientOf: option.callback,
  manageContacts: option.flag,
  basePath: option.mountPath,
  logger: option.logger,
  clock: option.clock,
}

export interface Rest {
  /** Never rejects; needs no `this`. */
  fetch(this: void, request: Request): Promise<Response>
  /** Whether a path belongs to this API: `/api/v1`, `/hb` and everything below them. */
  owns(this: void, pathname: string): boolean
}

/** @throws ConfigurationError for invalid options */
export function createRest(engine: Engine, options: RestOptions = {}): Rest {
  const service = createService(engine, options)
  return {
    fetch: (request) => respond(service, request),
    owns: (pathname) => owns(service.host, pathname),
  }
}

function owns({ base_path }: Host, pathname: string): boolean {
  return [base_path + API, base_path + HEARTBEAT].some(
    (prefix) => pathname === prefix || pathname.startsWith(`${prefix}/`),
  )
}

interface Service {
  readonly engine: Engine
  readonly host: Host
  readonly authenticate: Authenticate
  readonly refuseCrossSite: RefuseCrossSite
  readonly countAuthFailure: CountAuthFailure
  readonly window: RateWindow
  readonly router: Router<Route>
  readonly idempotency: Idempotency
  readonly bodyTurns: BodyTurns
  readonly arrivalTurns: ArrivalTurns
  /** Requests of an account that are worked on. */
  readonly atWork: InTurn
  readonly clock: Clock
  readonly logger: Logger
  /** Built on the first request: all types are registered by then. */
  document(): Reply
}

/** One request and its context. */
interface Exchange {
  readonly request: Request
  readonly url: URL
  /** Without the base path. */
  readonly pathname: string
  readonly request_id: string
  /** Headers of every response to this request, including errors. */
  readonly headers: Headers
}

function createService(engine: Engine, options: RestOptions): Service {
  checkOptions('createRest', options, OPTIONS)
  const { clock = systemClock, basePath = '', rateLimit = {} } = options
  const logger = boundedLog(clock, loggerOf(options.logger))
  const foreign = options.authenticate !== undefined
  const host: Host = {
    balance:
      options.balance === undefined
        ? () => ({ amount: null, unlimited: true })
        : withDeadline(clock, 'balance', options.balance),
    rate: rateLimit === false ? null : ratePolicy(rateLimit, { foreign }),
    waiting: createWaitingRequests(),
    listInTurn: createTurns(1),
    base_path: basePath,
  }
  const served = options.manageContacts === true ? [...routes, ...contactRoutes] : routes
  let document: Reply | undefined
  return {
    engine,
    host,
    authenticate:
      options.authenticate === undefined
        ? engineKeys(engine)
        : withDeadline(clock, 'authenticate', options.authenticate),
    refuseCrossSite: refuseCrossSite(options.allowedOrigins ?? []),
    countAuthFailure: authFailureCounter(clock, options.clientOf),
    window:
      (rateLimit === false ? undefined : rateLimit.window) ?? engineWindow(engine, { foreign }),
    router: createRouter(served),
    idempotency: idempotency({
      services: requestServicesOf(engine),
      clock,
      logger,
      whileWaiting: (account_id, wait) => whileWaiting(host, account_id, wait),
    }),
    bodyTurns: createBodyTurns(clock),
    arrivalTurns: createArrivalTurns(clock),
    atWork: createAccountLimit(AT_WORK),
    clock,
    logger,
    document: () =>
      (document ??= documentReply(
        openApiDocument({ routes: served, types: engine.types, base_path: basePath }),
      )),
  }
}

async function respond(service: Service, request: Request): Promise<Response> {
  await service.arrivalTurns()
  const url = new URL(request.url)
  const request_id = requestId(request, service.clock)
  const exchange: Exchange = {
    request,
    url,
    pathname: url.pathname.slice(service.host.base_path.length),
    request_id,
    headers: new Headers({ 'X-Request-Id': request_id }),
  }
  const options = { head: request.method === 'HEAD' }
  try {
    return toResponse(await serve(service, exchange), exchange.headers, options)
  } catch (error) {
    const about = { request_id, method: request.method, route: patternOf(service, exchange) }
    const failure = failureOf(error, { logger: service.logger, about })
    return toResponse(fail(failure, request_id), exchange.headers, options)
  }
}

async function serve(service: Service, exchange: Exchange): Promise<Reply> {
  const { request, url, pathname } = exchange
  const { engine, clock, host, countAuthFailure } = service
  if (!owns(host, url.pathname)) throw new NotFoundError('address')
  if (isHeartbeat(pathname))
    return heartbeat({ engine, clock, countAuthFailure, request, url, pathname })
  if (pathname.replace(/\/$/, '') === OPENAPI) return openapi(service, request)

  const identity = await identify(service, request)
  const admitted = renewed(clock, identity, () => identify(service, request))
  service.refuseCrossSite(request)
  await count(service, exchange, identity)
  const match = service.router.match(request.method, pathname)
  if (match.kind === 'none') throw new NotFoundError('address')
  if (match.kind === 'method') throw methodNotAllowed(match.allow)

  const { route, params } = match
  requireScope(identity, route.operation.scope)
  return perform(service, exchange, { identity, admitted, route, params })
}

function isHeartbeat(pathname: string): boolean {
  return pathname === HEARTBEAT || pathname.startsWith(`${HEARTBEAT}/`)
}

/** For the log: a path may contain ids and heartbeat tokens, a pattern does not. */
function patternOf({ router }: Service, { request, pathname }: Exchange): string {
  if (isHeartbeat(pathname)) return `${HEARTBEAT}/:token`
  const match = router.match(request.method, pathname)
  return match.kind === 'found' ? match.route.path : 'none'
}

interface Found {
  readonly identity: Identity
  /** Identifies again a request that has waited for its body, or for an equal one. */
  readonly admitted: () => Promise<Identity>
  readonly route: Route
  readonly params: Call['params']
}

async function perform(service: Service, exchange: Exchange, found: Found): Promise<Reply> {
  const { request, url, pathname } = exchange
  const { operation } = found.route
  const inTurn = (parse: () => JsonObject) => service.bodyTurns(found.identity.account_id, parse)
  const reading = { clock: service.clock, inTurn }
  const body = operation.body === undefined ? {} : await readJson(request, reading)
  if (operation.body === 'none') requireNoFields(body)
  const still = () => identityNow(request, found)
  const { account_id } = await still()
  const work = async (): Promise<Reply> => {
    const admission = { identity: await still(), admitted: still, params: found.params }
    return operation.run(callOf(service, exchange, admission, body))
  }
  const run = (): Promise<Reply> =>
    operation.waits === true ? work() : service.atWork(account_id, work)
  if (operation.repeatable !== true) return run()
  const path = pathname + url.search
  return service.idempotency.once({ request, account_id, path, body, admitted: still }, run)
}

/** @throws HttpError 401 or 403 if the request is no longer admitted, or would now change another account */
async function identityNow(
  request: Request,
  { identity, admitted, route }: Found,
): Promise<Identity> {
  const now = await admitted()
  if (now.account_id !== identity.account_id) throw unauthorized(request)
  requireScope(now, route.operation.scope)
  return now
}

function callOf(
  { engine, host }: Service,
  { request, url }: Exchange,
  { identity, admitted, params }: Pick<Found, 'identity' | 'admitted' | 'params'>,
  body: JsonObject,
): Call {
  const actor = actorFrom(identity.actor, `key:${identity.key.id}`)
  const scope = engine.account(identity.account_id, { actor })
  return {
    engine,
    scope,
    identity,
    admitted,
    host,
    request,
    url,
    params,
    id: Number(params['id'] ?? 0),
    body,
  }
}

/** Counts the request and adds the remaining number to every response. @throws HttpError 429 */
async function count(service: Service, exchange: Exchange, identity: Identity): Promise<void> {
  const { rate } = service.host
  if (rate === null) return
  const taken = await service.window.take(identity, rate)
  for (const [name, value] of Object.entries(rateHeaders(rate, taken, service.clock))) {
    exchange.headers.set(name, value)
  }
  requireQuota(rate, taken)
}

/** Requires no key: it describes the API and contains no data of an account. */
function openapi(service: Service, request: Request): Reply {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD'])
  return unlessKnown(service.document(), request)
}

function requireNoFields(body: JsonObject): void {
  const names = Object.keys(body)
  if (names.length === 0) return
  throw new ValidationError(Object.fromEntries(names.map((name) => [name, 'unknown_field'])))
}
