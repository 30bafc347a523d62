/**
 * The routes of the public pages that accounts made at run time: the page, its reports and months, its feeds and
 * badges.
 *
 * @module
 */

import { randomUUID } from 'node:crypto'
import { iso } from '../../clock.ts'
import { htmlAnswer } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import type { Call, Route, Service } from '../http/call.ts'
import { notFound } from '../http/page-error.ts'
import { documentOf } from '../layout/frame.ts'
import type { Sheet } from '../layout/frame.ts'
import { html, textOf } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import { clientFor } from '../live/connection-limits.ts'
import { ENGLISH } from '../words/language.ts'
import type { Language } from '../words/language.ts'
import { badgeAnswer } from './badges.ts'
import { spokenFor } from './cached.ts'
import { atomFeed, jsonStatus, rssFeed } from './feeds.ts'
import type { FeedSource } from './feeds.ts'
import { monthPage } from './months.ts'
import { pageLogin, passwordForm } from './page-password.ts'
import type { PageLogin } from './page-password.ts'
import { digestOf, imageSource, logoAnswer, pageStyle, styleAnswer } from './page-style.ts'
import { KEPT_MS, publishedPages } from './published.ts'
import type { PublishedPage } from './published.ts'
import { drawnReport } from './published-reports.ts'

const PAGE_PATH = /^\/status\/([a-z\d][a-z\d-]{0,63})$/i
const PART_PATH = /^\/status\/([a-z\d][a-z\d-]{0,63})((?:\/[\w.-]{1,40}){0,2})$/i

/** One request for a page that the visitor may see. */
interface Visit {
  readonly page: PublishedPage
  readonly call: Call
  /** Of the page, with the base path. */
  readonly path: string
  /** What follows the path of the page. */
  readonly rest: readonly string[]
  /** The page as it is by now; `undefined` if it is gone, or asks this visitor for a password. */
  again(): Promise<PublishedPage | undefined>
}

type Show = (visit: Visit) => Promise<Answer> | Answer

/** By what follows the address of the page. */
const PARTS: readonly (readonly [RegExp, Show])[] = [
  [/^$/, overview],
  [/^\/events$/, events],
  [/^\/incidents\/([1-9]\d{0,14})$/, oneReport],
  [/^\/history(?:\/(\d{4}-\d\d))?$/, month],
  [/^\/feed\.atom$/, feed('application/atom+xml', atomFeed)],
  [/^\/feed\.rss$/, feed('application/rss+xml', rssFeed)],
  [/^\/status\.json$/, feed('application/json', jsonStatus)],
  [/^\/badge(?:\/(state|uptime|response))?\.svg$/, badge],
]

export function publishedRoutes(
  service: Service,
  sessionKey: string | Uint8Array | undefined,
): readonly Route[] {
  const pages = publishedPages(service)
  const login = pageLogin(service, sessionKey)
  const pathOf = ({ record }: PublishedPage): string =>
    `${service.base}/status/${record.settings.slug}`
  return [
    {
      method: 'GET',
      pattern: PART_PATH,
      async answer(call) {
        const [slug = '', part = ''] = call.params
        const page = await pages.find(slug)
        const path = pathOf(page)
        if (part === '/style.css') return styleAnswer(page.record.settings)
        if (part === '/logo') return logoAnswer(page.record.settings) ?? nothing()
        const isAdmitted = ({ record }: PublishedPage): boolean =>
          login.isAdmitted(record, call.request)
        if (!isAdmitted(page)) return askForPassword({ page, call, path })
        const again = async (): Promise<PublishedPage | undefined> => {
          const present = await pages.find(slug)
          return present.record.id === page.record.id && isAdmitted(present) ? present : undefined
        }
        for (const [form, show] of PARTS) {
          const found = form.exec(part)
          if (found !== null) return show({ page, call, path, rest: found.slice(1), again })
        }
        return nothing()
      },
    },
    {
      method: 'POST',
      pattern: PAGE_PATH,
      answer: (call) => logIn({ pages, login, pathOf }, call),
    },
  ]
}

function nothing(): never {
  throw notFound()
}

interface Login {
  readonly pages: ReturnType<typeof publishedPages>
  readonly login: PageLogin
  pathOf(page: PublishedPage): string
}

async function logIn({ pages, login, pathOf }: Login, call: Call): Promise<Answer> {
  const page = await pages.find(call.params[0] ?? '')
  const answer = await login.logIn(page.record, call)
  if (typeof answer !== 'function') return answer
  return askForPassword({ page, call, path: pathOf(page), problem: answer })
}

function askForPassword({
  page,
  call,
  path,
  problem,
}: Omit<Visit, 'rest' | 'again'> & { readonly problem?: Said }): Answer {
  const main = passwordForm(path, problem)
  return dressed({ page, call, path }, { title: page.look.title, main }, { status: 401 })
}

async function overview(visit: Visit): Promise<Answer> {
  const { page, path, call } = visit
  const { main, said } = await page.drawn.get(call.frame.language)
  const whole = html`${main}${links(path)}`
  const sheet = { title: page.look.title, main: whole, said, events: `${path}/events` }
  return dressed(visit, sheet)
}

function links(path: string): Markup {
  return html`<p class="links">
    <a href="${path}/history">${({ words }) => words.public.earlier}</a>
    <a href="${path}/feed.atom">Atom</a> <a href="${path}/feed.rss">RSS</a>
    <a href="${path}/status.json">JSON</a>
  </p>`
}

/** In the dress of the page: its logo, its style, its time zone. */
function dressed(
  { page, call, path }: Pick<Visit, 'page' | 'call' | 'path'>,
  sheet: Pick<Sheet, 'title' | 'main'> & Partial<Sheet>,
  { status = 200 }: { readonly status?: number } = {},
): Answer {
  const { frame } = call
  const { settings } = page.record
  const { title, logo, time_zone, noindex } = settings
  const style = pageStyle(settings)
  const shownLogo = logo.startsWith('data:') ? `${path}/logo?${digestOf(logo)}` : logo
  const dress = {
    style: style === '' ? undefined : `${path}/style.css?${digestOf(style)}`,
    logo: logo === '' ? undefined : shownLogo,
    noindex,
    feed: status === 200 ? `${path}/feed` : undefined,
    as_of: time_zone === 'UTC' ? undefined : { time: page.times.moment(iso(frame.now)), time_zone },
  }
  const document = documentOf({ ...frame, brand: title }, { ...sheet, masthead: title, dress })
  return htmlAnswer(document, { ...frame, status, image: imageSource(settings) })
}

async function events({ page, call, again }: Visit): Promise<Answer> {
  const { service, request } = call
  if (request.method === 'HEAD') return { status: 200 }
  const shown = async (present: PublishedPage | undefined): Promise<readonly number[]> =>
    ((await present?.groups.get()) ?? []).flatMap(({ monitors }) => monitors.map(({ id }) => id))
  return service.live.listen({
    audience: {
      kind: 'public',
      // All pages of an account share its limit: it may make twenty, and the total is that of everybody.
      id: `pages of ${page.record.account_id}`,
      client: clientFor(request, service.clientOf),
    },
    admitted: async () => (await again()) !== undefined,
    states: new Set(await shown(page)),
    // Visitors learn nothing of a monitor that has left the page meanwhile.
    stays: async (id) => (await shown(await again())).includes(id),
    rounds: new Set(),
  })
}

async function oneReport(visit: Visit): Promise<Answer> {
  const { page, path, rest, call } = visit
  const { clock } = call.service
  const { language } = call.frame
  const report = (await drawnReport(page, Number(rest[0]), { clock, language })) ?? nothing()
  const main = html`${report.main}
    <p class="back"><a href="${path}">${({ words }) => words.public.allServices}</a></p>`
  return dressed(visit, { title: report.title, main })
}

async function month(visit: Visit): Promise<Answer> {
  const main = await monthPage(visit.page, {
    clock: visit.call.service.clock,
    path: visit.path,
    month: visit.rest[0],
    language: visit.call.frame.language,
  })
  return dressed(visit, { title: ({ words }) => words.public.earlier, main })
}

function feed(type: string, written: (source: FeedSource) => string): Show {
  return async ({ page, call, path }) => {
    const { facts, feeds, record, step } = page
    const { clock, languages } = call.service
    const write = async (language: Language): Promise<string> => {
      const source = { facts: await facts.get(), updated_at: record.updated_at, language }
      await step()
      return written({ ...source, url: PAGE_URL, now: clock.now() })
    }
    const kept = feeds.get(type) ?? spokenFor(write, { clock, ms: KEPT_MS })
    feeds.set(type, kept)
    const body = await kept.get(await languages.addressed(call.url))
    return shared({ page, call }, type, atAddress(body, call.frame.origin + path))
  }
}

/** Stands for the address of the page, by which each visitor may ask under another name of the host. */
const PAGE_URL = `urn:uuid:${randomUUID()}`

/**
 * Escaped for XML, an address has nothing that JSON would escape. A host may have the signs `$` and a backtick, which
 * would stand for the whole text before each place.
 */
function atAddress(body: string, url: string): string {
  return body.replaceAll(PAGE_URL, () => textOf(url, ENGLISH))
}

async function badge({ page, call, rest }: Visit): Promise<Answer> {
  const facts = await page.facts.get()
  await page.step()
  const key = call.url.searchParams.get('service')
  const language = await call.service.languages.addressed(call.url)
  const body = badgeAnswer(facts, { kind: rest[0], key, language }) ?? nothing()
  return shared({ page, call }, 'image/svg+xml', body)
}

/** For other sites and programs as well, unless the page has a password. */
function shared({ page, call }: Pick<Visit, 'page' | 'call'>, type: string, body: string): Answer {
  const open = page.record.settings.password_hash === undefined
  const etag = `"${digestOf(body)}"`
  const headers = {
    ETag: etag,
    'Cache-Control': open ? 'public, max-age=30' : 'private, no-cache',
    ...(page.record.settings.noindex ? { 'X-Robots-Tag': 'noindex' } : {}),
    ...(open
      ? { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }
      : {}),
  }
  const known = call.request.headers.get('if-none-match')?.match(/"[^"]*"/g) ?? []
  if (known.some((tag) => tag === etag)) return { status: 304, headers }
  const charset = `${type}; charset=utf-8`
  return { status: 200, headers: { ...headers, 'Content-Type': charset }, body }
}
