/**
 * The routes without authentication: assets, sign-in and sign-out, theme, density and language. A cookie holds each
 * choice, so that it needs no script and the first paint is right.
 *
 * @module
 */

import { neighbourhoodOf } from '../../net/peer/client-address.ts'
import { mayRead, sessionCookie, sessionIn } from '../session/access.ts'
import { markOf } from '../session/session.ts'
import { htmlAnswer, seeOther } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import { backOf, ownForm } from '../http/call.ts'
import type { Call, Route } from '../http/call.ts'
import { cookie } from '../session/cookies.ts'
import { DENSITIES, documentOf, THEMES } from '../layout/frame.ts'
import { notFound, badRequest } from '../http/page-error.ts'
import type { Frame } from '../layout/frame.ts'
import { html } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import { LANGUAGE_COOKIE } from '../words/languages.ts'

interface SignInOptions {
  readonly frame: Frame
  /** Where to redirect afterwards. */
  readonly back: string
  readonly problem?: Said
}

export const THEME_COOKIE = 'watchpost_theme'
export const DENSITY_COOKIE = 'watchpost_density'

const YEAR_SEC = 365 * 86_400

export const openRoutes: readonly Route[] = [
  { method: 'GET', pattern: /^\/assets\/[\w.]+$/, answer: asset },
  { method: 'GET', pattern: /^\/sign-in$/, answer: (call: Call): Answer => askForKey(call, 200) },
  { method: 'POST', pattern: /^\/sign-in$/, answer: signIn },
  { method: 'POST', pattern: /^\/sign-out$/, answer: signOut },
  { method: 'POST', pattern: /^\/theme$/, answer: theme },
  { method: 'POST', pattern: /^\/density$/, answer: density },
  { method: 'POST', pattern: /^\/language$/, answer: language },
]

function asset({ service, path, request }: Call): Answer {
  const found = service.assets.find(path)
  if (found === undefined) throw notFound(({ words }) => words.errors.noFile)
  const known = request.headers.get('if-none-match')?.match(/"[^"]*"/g) ?? []
  const { headers = {} } = found
  if (!known.some((tag) => tag === headers['ETag'])) return found
  return { status: 304, headers }
}

function askForKey({ service, frame, url }: Call, status: number, problem?: Said): Answer {
  if (service.authorize !== undefined) throw notFound()
  const back = backOf(url.searchParams.get('return'), service.base)
  const title: Said = ({ words }) => words.signIn.title
  const main = signInPage({ frame, back, ...(problem === undefined ? {} : { problem }) })
  return htmlAnswer(documentOf(frame, { title, main }), { ...frame, status })
}

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
    if (counted.allowed) return askForKey(again, 401, ({ words }) => words.signIn.notKnown)
    const { retry_sec } = counted
    const answer = askForKey(again, 429, ({ words }) => words.signIn.tooMany(retry_sec))
    return { ...answer, headers: { ...answer.headers, 'Retry-After': String(retry_sec) } }
  }
  if (!mayRead(found.key)) return askForKey(again, 403, ({ words }) => words.signIn.notReader)
  const { account_id, key } = found
  await service.requests.view({ by: { key_id: key.id }, account_id })
  const value = sessions.begin({ account_id, key_id: key.id, mark: markOf(key) })
  const secure = service.isSecure(url)
  return seeOther(back, [sessionCookie(value, { base, secure, max_age_sec: sessions.max_age_sec })])
}

async function signOut(call: Call): Promise<Answer> {
  const { service, request, url } = call
  const { base, sessions } = service
  await ownForm(call)
  sessions.end(sessionIn(request, service))
  const gone = sessionCookie(null, { base, secure: service.isSecure(url), max_age_sec: 0 })
  return seeOther(`${base}/sign-in`, [gone])
}

async function theme(call: Call): Promise<Answer> {
  const form = await ownForm(call)
  const value = THEMES.find((theme) => theme === form.get('theme'))
  if (value === undefined) throw badRequest(({ words }) => words.errors.noTheme)
  return chosen(call, backOf(form.get('return'), call.service.base), [THEME_COOKIE, value])
}

async function density(call: Call): Promise<Answer> {
  const form = await ownForm(call)
  const value = DENSITIES.find((density) => density === form.get('density'))
  if (value === undefined) throw badRequest(({ words }) => words.errors.noDensity)
  return chosen(call, backOf(form.get('return'), call.service.base), [DENSITY_COOKIE, value])
}

async function language(call: Call): Promise<Answer> {
  const { base, languages } = call.service
  const form = await ownForm(call)
  const value = languages.offered.find(({ tag }) => tag === form.get('language'))?.tag
  if (value === undefined) throw badRequest(({ words }) => words.errors.noLanguage)
  const back = new URL(backOf(form.get('return'), base), call.url)
  // The one in the address comes first: it would undo the choice.
  back.searchParams.delete('lang')
  // Without its dots `/.//host` has become the address of another host.
  return chosen(call, backOf(back.pathname + back.search, base), [LANGUAGE_COOKIE, value])
}

/** Kept for a year, for the whole page. */
function chosen({ service, url }: Call, back: string, [name, value]: [string, string]): Answer {
  const path = service.base === '' ? '/' : service.base
  const secure = service.isSecure(url)
  return seeOther(back, [cookie({ name, value, path, max_age_sec: YEAR_SEC, secure })])
}

/** The form that takes an API key. */
function signInPage({ frame: { base }, back, problem }: SignInOptions): Markup {
  return html`<div class="first narrow">
    <h1>${({ words }) => words.signIn.title}</h1>
    <form method="post" action="${base}/sign-in" class="stack">
      <input type="hidden" name="return" value="${back}" />
      <label for="key">${({ words }) => words.signIn.key}</label>
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
      <button class="primary">${({ words }) => words.signIn.title}</button>
    </form>
    <p class="muted">
      ${({ words }) => words.signIn.hint(html`<code>watchpost keys create</code>`)}
    </p>
  </div>`
}
