/**
 * The context of one request, and what all requests share.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Engine } from '../../engine/api/engine.ts'
import type { SignInLimit } from '../../engine/services/sign-in-limit.ts'
import type { Logger } from '../../logger.ts'
import type { Authorize } from '../session/access.ts'
import type { Answer } from './answer.ts'
import type { Assets } from './assets.ts'
import { isSameOrigin, readForm } from './form.ts'
import type { Frame } from '../layout/frame.ts'
import type { Live } from '../live/live.ts'
import { badRequest, forbidden } from './http-error.ts'
import type { Requests } from './requests.ts'
import type { Sessions } from '../session/session.ts'

/** What all requests share. */
export interface Service {
  readonly engine: Engine
  readonly clock: Clock
  readonly logger: Logger
  readonly base: string
  readonly brand: string
  readonly assets: Assets
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

/** The fields of a form from the page itself. @throws HttpError for another origin */
export async function ownForm({ request, service }: Call): Promise<URLSearchParams> {
  if (!isSameOrigin(request))
    throw forbidden('This form was sent from another site. Open the page itself and try again.')
  const form = await readForm(request, service.clock)
  if (form === undefined) throw badRequest('The form could not be read.')
  return form
}

/** A path of the page to return to; anything else becomes the start page. */
export function backOf(given: string | null, base: string): string {
  const start = `${base}/`
  if (given === null || !/^\/(?![/\\])[\x21-\x7e]{0,1000}$/.test(given)) return start
  return given.startsWith(start) && !given.includes('\\') ? given : start
}
