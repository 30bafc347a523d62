/**
 * Pages with a password: the form, and the cookie of those who gave it. The cookie holds for one page, until its
 * password changes.
 *
 * @module
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { createSignInLimit } from '../../access/sign-in-limit.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import type { PublicPageRecord } from '../../model.ts'
import { neighbourhoodOf } from '../../net/peer/client-address.ts'
import { seeOther } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import { ownForm } from '../http/call.ts'
import type { Call, Service } from '../http/call.ts'
import { tooMany } from '../http/page-error.ts'
import { html } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import { cookie, cookieOf } from '../session/cookies.ts'
import { fairTurnsOf } from './cached.ts'

const COOKIE = 'watchpost_page'

export interface PageLogin {
  /** Whether the visitor may see the page. */
  isAdmitted(page: PublicPageRecord, request: Request): boolean
  /** Takes a password: leads to the page, or returns what was wrong. @throws PageError */
  logIn(page: PublicPageRecord, call: Call): Promise<Answer | Said>
}

export function pageLogin(
  { engine, clock, sessions, base, clientOf, isSecure }: Service,
  sessionKey: string | Uint8Array | undefined,
): PageLogin {
  const { publishedPages } = requestServicesOf(engine)
  const key = createHmac('sha256', sessionKey ?? randomBytes(32))
    .update('watchpost public page')
    .digest()
  // A password is shorter than a key: right ones count as well, since they are known afterwards only.
  const attempts = createSignInLimit(clock)
  // Each takes a quarter of a second of a thread, of which there are four: one, and one more for an account without any.
  const comparing = fairTurnsOf(1, 20)
  const macOf = ({ id, settings }: PublicPageRecord, ends_at: string): Buffer =>
    createHmac('sha256', key).update(`${id} ${ends_at} ${settings.password_hash}`).digest()

  return {
    isAdmitted(page, request) {
      if (page.settings.password_hash === undefined) return true
      const [, ends_at = '', mac = ''] =
        /^(\d{1,15})\.([\w-]{43})$/.exec(cookieOf(request, COOKIE) ?? '') ?? []
      return (
        sessions.holds(Number(ends_at)) &&
        timingSafeEqual(macOf(page, ends_at), Buffer.from(mac, 'base64url'))
      )
    },
    async logIn(page, call) {
      const password = (await ownForm(call)).get('password') ?? ''
      const { request, url } = call
      const counted = attempts.failed(`${page.id} ${neighbourhoodOf(clientOf(request))}`)
      if (!counted.allowed) throw tooMany(counted.retry_sec)
      const path = `${base}/status/${page.settings.slug}`
      const inTurn = comparing(page.account_id)
      const isRight = await inTurn(() => publishedPages.isPassword(page, password))
      if (!isRight) return ({ words }) => words.public.wrongPassword
      const ends_at = String(clock.now() + sessions.max_age_sec * 1000)
      const value = `${ends_at}.${macOf(page, ends_at).toString('base64url')}`
      const { max_age_sec } = sessions
      const made = cookie({ name: COOKIE, value, path, max_age_sec, secure: isSecure(url) })
      return seeOther(path, [made])
    },
  }
}

export function passwordForm(path: string, problem: Said | undefined): Markup {
  const hasProblem = problem !== undefined
  return html`<div class="first narrow">
    <h1>${({ words }) => words.public.needsPassword}</h1>
    <form method="post" action="${path}" class="stack">
      <label for="password">${({ words }) => words.public.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        required
        autocomplete="current-password"
        ${hasProblem && html` aria-invalid="true" aria-describedby="problem"`}
      />
      ${hasProblem && html`<p id="problem" class="problem" role="alert">${problem}</p>`}
      <button class="primary">${({ words }) => words.public.show}</button>
    </form>
  </div>`
}
