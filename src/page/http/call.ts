/**
 * The context of one request, what all requests share, and what a request says: its query, and its form, which has to
 * come from the page itself.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Engine } from '../../engine/api/engine.ts'
import { arrivedBody } from '../../access/arriving-body.ts'
import type { ArrivalTurns } from '../../access/arrival-turns.ts'
import type { InTurn } from '../../access/turns.ts'
import type { SignInLimit } from '../../access/sign-in-limit.ts'
import type { Logger } from '../../logger.ts'
import type { Authorize } from '../session/access.ts'
import type { Answer } from './answer.ts'
import type { Assets } from './assets.ts'
import type { Frame } from '../layout/frame.ts'
import type { Languages } from '../words/languages.ts'
import type { Live } from '../live/live.ts'
import { badRequest, forbidden } from './page-error.ts'
import type { Requests } from './requests.ts'
import type { Sessions } from '../session/session.ts'
import { canParseUrl } from '../../model/url.ts'

/** Far more than any form of a stranger needs. */
const LIMIT_BYTES = 4096
/** For the settings of a monitor: as much as the API takes. */
export const FORM_BYTES = 262_144
/** No form of the page has as many fields. */
const MAX_FIELDS = 4096
const DEADLINE_MS = 10_000

/** What all requests share. */
export interface Service {
  readonly engine: Engine
  readonly clock: Clock
  readonly logger: Logger
  readonly turns: ArrivalTurns
  /** Views of an account that are made at a time. */
  readonly viewsAtWork: InTurn
  /** Forms of an account that are carried out at a time, those that wait for checks included. */
  readonly formsAtWork: InTurn
  readonly base: string
  readonly brand: string
  readonly assets: Assets
  readonly languages: Languages
  readonly time_zone: string | undefined
  readonly authorize: Authorize | undefined
  readonly sessions: Sessions
  readonly attempts: SignInLimit
  readonly requests: Requests
  readonly live: Live
  clientOf(request: Request): string
  isSecure(url: URL): boolean
}

/** One request. */
export interface Call {
  readonly service: Service
  readonly request: Request
  readonly url: URL
  /** Without the base path. */
  readonly path: string
  readonly frame: Frame
  /** The captured groups of the route's pattern. */
  readonly params: readonly string[]
}

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly pattern: RegExp
  answer(call: Call): Promise<Answer | Response> | Answer | Response
}

/** @throws PageError for a form of another origin */
export function requireSameOrigin({ request }: Call): void {
  if (!isSameOrigin(request)) throw forbidden(({ words }) => words.errors.otherSite)
}

/** The fields of a form from the page itself. @throws PageError for another origin */
export async function ownForm(call: Call, limit_bytes = LIMIT_BYTES): Promise<URLSearchParams> {
  requireSameOrigin(call)
  const { request, service } = call
  const form = await readForm(request, { ...service, limit_bytes })
  if (form === undefined) throw badRequest(({ words }) => words.errors.unreadableForm)
  return form
}

/** A path of the page to return to; anything else becomes the start page. */
export function backOf(given: string | null, base: string): string {
  const start = `${base}/`
  if (given === null || !/^\/(?![/\\])[\x21-\x7e]{0,1000}$/.test(given)) return start
  return given.startsWith(start) && !given.includes('\\') ? given : start
}

/** The positive integer of a parameter, `undefined` if absent. @throws PageError */
export function positive(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ''
  if (text === '') return undefined
  if (!isId(text)) throw badRequest(({ words }) => words.errors.noNumber(name))
  return Number(text)
}

/** One of these words, `undefined` if the parameter is absent. @throws PageError */
export function oneOf<const W extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly W[],
): W | undefined {
  const text = query.get(name) ?? ''
  if (text === '') return undefined
  const word = words.find((known) => known === text)
  if (word === undefined)
    throw badRequest((language) => language.words.errors.noneOf(name, words.join(', ')))
  return word
}

/** Ids as a comma-separated list, at most `max`; invalid ones are ignored. */
export function idList(query: URLSearchParams, name: string, max: number): readonly number[] {
  return idsOf((query.get(name) ?? '').split(','), max)
}

/** The first `max` ids among texts; others are ignored. */
export function idsOf(texts: readonly string[], max: number): readonly number[] {
  return texts.filter(isId).slice(0, max).map(Number)
}

function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text)
}

/**
 * Whether a form was sent by the page. Browsers say so in `Sec-Fetch-Site` (on https and on localhost) or `Origin`; a
 * request with neither is rejected.
 */
function isSameOrigin(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null || !canParseUrl(origin)) return false
  return new URL(origin).host === (request.headers.get('host') ?? new URL(request.url).host)
}

interface Reading {
  readonly clock: Pick<Clock, 'timer'>
  readonly turns: ArrivalTurns
  readonly limit_bytes: number
}

/** The fields of a form; `undefined` if it is not a form, too long, of too many fields, or incomplete. */
async function readForm(request: Request, reading: Reading): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? 'application/x-www-form-urlencoded'
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type.trim())) return undefined
  const text = request.body === null ? '' : await readText(request.body, reading)
  // Many may be complete at the same moment.
  await reading.turns()
  if (text === undefined || text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) return undefined
  return new URLSearchParams(text)
}

/** `undefined` for one that is too long, late or broken off. */
async function readText(
  body: ReadableStream<Uint8Array>,
  { clock, limit_bytes }: Reading,
): Promise<string | undefined> {
  const limits = { clock, max_bytes: limit_bytes, read_ms: DEADLINE_MS }
  const arrived = await arrivedBody(body, limits).catch(() => undefined)
  if (arrived === undefined || arrived.is_late || arrived.is_longer) return undefined
  return arrived.bytes.toString('utf8')
}
