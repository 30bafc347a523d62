/**
 * The routes without authentication: assets, sign-in and sign-out, the theme. A cookie holds the theme, so that it
 * needs no script and the first paint is right.
 *
 * @module
 */

import { neighbourhoodOf } from '../../net/peer/client-address.ts'
import { mayLook, sessionCookie, SESSION_COOKIE } from '../session/access.ts'
import { htmlAnswer, seeOther } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import { backOf, ownForm } from '../http/call.ts'
import type { Call, Route } from '../http/call.ts'
import { cookieOf, cookie } from '../session/cookies.ts'
import { documentOf, THEMES } from '../layout/frame.ts'
import { notFound, badRequest } from '../http/http-error.ts'
import type { Frame } from '../layout/frame.ts'
import { html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'

interface SignInOptions {
  readonly frame: Frame
  /** Where to redirect afterwards. */
  readonly back: string
  readonly problem?: string
}

export const THEME_COOKIE = 'watchpost_theme'

const YEAR_SEC = 365 * 86_400

interface ThemeChoice {
  readonly form: URLSearchParams
  readonly base: string
  readonly back: string
  readonly secure: boolean
}

export const openRoutes: readonly Route[] = [
  { method: 'GET', pattern: /^\/assets\/[\w.]+$/, answer: asset },
  { method: 'GET', pattern: /^\/sign-in$/, answer: (call: Call): Answer => askForKey(call, 200) },
  { method: 'POST', pattern: /^\/sign-in$/, answer: signIn },
  { method: 'POST', pattern: /^\/sign-out$/, answer: signOut },
  { method: 'POST', pattern: /^\/theme$/, answer: theme },
]

function asset({ service, path, request }: Call): Answer {
  const found = service.assets.find(path)
  if (found === undefined) throw notFound('file')
  const known = request.headers.get('if-none-match')?.match(/"[^"]*"/g) ?? []
  const { headers = {} } = found
  if (!known.some((tag) => tag === headers['ETag'])) return found
  return { status: 304, headers }
}

function askForKey({ service, frame, url }: Call, status: number, problem?: string): Answer {
  if (service.authorize !== undefined) throw notFound()
  const back = backOf(url.searchParams.get('return'), service.base)
  const main = signInPage({ frame, back, ...(problem === undefined ? {} : { problem }) })
  return htmlAnswer(documentOf(frame, { title: 'Sign in', main }), { nonce: frame.nonce, status })
}

const NOT_A_READER =
  'This key may not read everything that the page shows: it lacks the scope read.'
const NOT_KNOWN = 'This key is not known, or was revoked.'

/** A valid key is accepted however many wrong ones preceded it. */
async function signIn(call: Call): Promise<Answer> {
  const { service, request, url } = call
  const { base, sessions, attempts, engine } = service
  if (service.authorize !== undefined) throw notFound()
  const form = await ownForm(call)
  const back = backOf(form.get('return'), base)
  const again = { ...call, url: new URL(`?return=${encodeURIComponent(back)}`, url) }
  const found = await engine.authenticate((form.get('key') ?? '').trim())
  if (found === undefined) {
    const counted = attempts.failed(neighbourhoodOf(service.clientOf(request)))
    if (counted.allowed) return askForKey(again, 401, NOT_KNOWN)
    const { retry_sec } = counted
    const answer = askForKey(again, 429, `${NOT_KNOWN} Too many were: wait ${retry_sec} seconds.`)
    return { ...answer, headers: { ...answer.headers, 'Retry-After': String(retry_sec) } }
  }
  if (!mayLook(found.key)) return askForKey(again, 403, NOT_A_READER)
  await service.requests.view({ key_id: found.key.id })
  const value = sessions.begin({ account_id: found.account_id, key_id: found.key.id })
  const secure = service.isSecure(url)
  return seeOther(back, [sessionCookie(value, { base, secure, max_age_sec: sessions.max_age_sec })])
}

async function signOut(call: Call): Promise<Answer> {
  const { service, request, url } = call
  const { base, sessions } = service
  await ownForm(call)
  sessions.end(cookieOf(request, SESSION_COOKIE))
  const gone = sessionCookie(null, { base, secure: service.isSecure(url), max_age_sec: 0 })
  return seeOther(`${base}/sign-in`, [gone])
}

async function theme(call: Call): Promise<Answer> {
  const { base } = call.service
  const form = await ownForm(call)
  const back = backOf(form.get('return'), base)
  return chooseTheme({ form, base, back, secure: call.service.isSecure(call.url) })
}

function chooseTheme({ form, base, back, secure }: ThemeChoice): Answer {
  const value = THEMES.find((theme) => theme === form.get('theme'))
  if (value === undefined) throw badRequest('There is no such theme.')
  const path = base === '' ? '/' : base
  return seeOther(back, [
    cookie({ name: THEME_COOKIE, value, path, max_age_sec: YEAR_SEC, secure }),
  ])
}

/** The form that takes an API key. */
function signInPage({ frame: { base }, back, problem }: SignInOptions): Markup {
  return html`<div class="first narrow">
    <h1>Sign in</h1>
    <form method="post" action="${base}/sign-in" class="stack">
      <input type="hidden" name="return" value="${back}" />
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck="false"
        ${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}
      />
      ${problem !== undefined && html`<p id="problem" class="problem" role="alert">${problem}</p>`}
      <button class="primary">Sign in</button>
    </form>
    <p class="muted">
      The key was shown when it was made, at the first start or by
      <code>watchpost keys create</code>.
    </p>
  </div>`
}
