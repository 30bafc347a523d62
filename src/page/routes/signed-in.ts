/**
 * Routes of signed-in users: a view of an account, and a form that changes something in it.
 *
 * @module
 */

import { renewed } from '../../access/renewed.ts'
import type { AccountScope } from '../../engine/api/engine.ts'
import { htmlAnswer, seeOther } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import { FORM_BYTES, ownForm, requireSameOrigin } from '../http/call.ts'
import type { Call, Route } from '../http/call.ts'
import { forbidden } from '../http/page-error.ts'
import type { PageError } from '../http/page-error.ts'
import { documentOf } from '../layout/frame.ts'
import type { Section, Sheet } from '../layout/frame.ts'
import { visitorOf } from '../session/access.ts'
import type { Visitor } from '../session/access.ts'

/** What a view is made of. */
export interface Seen {
  readonly call: Call
  readonly scope: AccountScope
  readonly visitor: Visitor
  /** Whether buttons and forms are shown. */
  readonly can_act: boolean
}

export type PrivateSheet = Pick<
  Sheet,
  'title' | 'main' | 'said' | 'down' | 'alarm' | 'form' | 'chart' | 'rows' | 'wall'
> & {
  readonly section: Section
  readonly status?: number
  /** Absent if nothing on the page is live. */
  readonly events?: {
    /** Monitors on the page. */
    readonly shown: readonly number[]
    /** State changes of any other monitor count as well. Default `false`. */
    readonly all?: boolean
  }
}

export function page(pattern: RegExp, show: (seen: Seen) => Promise<PrivateSheet>): Route {
  return {
    method: 'GET',
    pattern,
    async answer(call) {
      const { service, request } = call
      const visitor = await visitorOf(request, service)
      if (visitor instanceof Response) return visitor
      if (visitor === undefined) return signInInstead(call)
      await service.requests.view(visitor)
      const { account_id } = visitor
      const again = () => visitorOf(request, service)
      const admitted = renewed<Visitor | Response | undefined>(service.clock, visitor, again)
      return service.viewsAtWork(account_id, async () => {
        const now = await admitted()
        if (now instanceof Response) return now
        if (now?.account_id !== account_id) return signInInstead(call)
        const scope = service.engine.account(account_id)
        const can_act = now.read_only !== true
        return sheetAnswer(call, now, await show({ call, scope, visitor: now, can_act }))
      })
    },
  }
}

function sheetAnswer(call: Call, visitor: Visitor, given: PrivateSheet): Answer {
  const { service, frame } = call
  const { section, events, status = 200, ...sheet } = given
  const document = documentOf(frame, {
    ...sheet,
    signed_in: { section, can_leave: visitor.session, keys: visitor.keys },
    ...(events === undefined
      ? {}
      : {
          events: `${service.base}/events?monitors=${events.shown.join(',')}${events.all === true ? '&all=1' : ''}`,
        }),
  })
  return htmlAnswer(document, { ...frame, status })
}

function signInInstead({ service, frame }: Call): Answer {
  if (service.authorize !== undefined) throw forbidden(({ words }) => words.errors.notYours)
  const back = frame.here === `${service.base}/` ? '' : `?return=${encodeURIComponent(frame.here)}`
  return seeOther(`${service.base}/sign-in${back}`)
}

/** What a form changes something with. */
export interface Acting extends Omit<Seen, 'can_act'> {
  readonly form: URLSearchParams
  /** For work that takes long: rejects once the visitor may no longer press buttons. */
  readonly permitted: () => Promise<void>
}

/**
 * A form of a user who may press buttons; counts with the requests to the API. `act` returns where to go afterwards,
 * without the base path, or a page of its own.
 */
export function action(
  pattern: RegExp,
  act: (acting: Acting) => Promise<string | PrivateSheet>,
): Route {
  return {
    method: 'POST',
    pattern,
    async answer(call) {
      const { service } = call
      requireSameOrigin(call)
      const first = await actingVisitor(call)
      if (first instanceof Response) return first
      const admitted = renewed(service.clock, first, () => actingVisitor(call))
      await service.requests.action(first)
      // Strangers do not get this far: their forms stay small.
      const form = await ownForm(call, FORM_BYTES)
      const visitor = await admitted()
      if (visitor instanceof Response) return visitor
      const permitted = async (): Promise<void> => {
        const now = await admitted()
        if (now instanceof Response || now.account_id !== first.account_id) throw signInFirst()
      }
      const done = await service.formsAtWork(first.account_id, async () => {
        await permitted()
        const scope = service.engine.account(visitor.account_id, { actor: visitor.actor })
        return act({ call, scope, visitor, form, permitted })
      })
      return typeof done === 'string'
        ? seeOther(service.base + done)
        : sheetAnswer(call, visitor, done)
    },
  }
}

/** @throws PageError 403 for a visitor who may not press buttons */
async function actingVisitor({ service, request }: Call): Promise<Visitor | Response> {
  const visitor = await visitorOf(request, service)
  if (visitor instanceof Response) return visitor
  if (visitor === undefined || visitor.read_only === true) throw signInFirst()
  return visitor
}

function signInFirst(): PageError {
  return forbidden(({ words }) => words.errors.signInFirst)
}
