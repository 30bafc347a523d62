/**
 * The frame of every page: head, navigation, footer.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { iso } from '../../clock.ts'
import type { Language } from '../words/language.ts'
import type { OfferedLanguage } from '../words/languages.ts'
import { BRAND } from './icons.ts'
import { foreign, html } from './markup.ts'
import type { Content, Markup, Said } from './markup.ts'
import { ZONE } from './words.ts'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** How far apart the rows of the overview are. */
export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

/** The context of the request and the host. */
export interface Frame {
  /** Mount path, without a trailing slash. */
  readonly base: string
  readonly brand: string
  /** As the browser sees it, `https://watch.example.com`. */
  readonly origin: string
  readonly nonce: string
  readonly theme: Theme
  readonly density: Density
  readonly language: Language
  /** All that can be chosen. */
  readonly languages: readonly OfferedLanguage[]
  /** To which the script turns times; absent: that of the viewer. */
  readonly time_zone: string | undefined
  readonly now: EpochMs
  /** Path and query of the page itself, for links back to it. */
  readonly here: string
  readonly assets: AssetPaths
}

/** Of scripts, style and icons, below the base path. */
export interface AssetPaths {
  readonly style: string
  readonly script: string
  /** Of pages with a form. */
  readonly form: string
  /** Of pages with a chart. */
  readonly chart: string
  /** Turns times to the zone of the viewer. */
  readonly times: string
  readonly icon: string
  /** The icon while something is down. */
  readonly alarm: string
}

/** The navigation. */
const SECTIONS = {
  monitors: '/',
  incidents: '/incidents',
  contacts: '/contacts',
  maintenance: '/maintenance',
  keys: '/keys',
  audit: '/audit-log',
} as const
export type Section = keyof typeof SECTIONS

export interface Sheet {
  readonly title: string | Said
  readonly main: Content
  /** The navigation of a signed-in user. */
  readonly signed_in?: {
    readonly section: Section
    readonly can_leave: boolean
    /** May manage API keys. */
    readonly keys: boolean
  }
  /** Address of the event stream; the script updates the page on its events. */
  readonly events?: string
  /** The current state in a sentence; screen readers announce it when it changes. */
  readonly said?: Content
  /** How many monitors are down: the title and the icon of the page say so. */
  readonly down?: number
  /** What the page is about is down: its icon says so. */
  readonly alarm?: boolean
  /** Loads the script of forms. */
  readonly form?: boolean
  /** Loads the script of charts. */
  readonly chart?: boolean
  /** The overview: the density of its rows can be chosen, and there is a view for the wall. */
  readonly rows?: boolean
  /** For a screen on the wall: without navigation and without choices. */
  readonly wall?: boolean
  /** Title of the page, instead of the host's name. */
  readonly masthead?: string
  /** Of a public page made at run time. */
  readonly dress?: Dress
}

/** How one page looks beside all others. */
export interface Dress {
  /** Address of a further style sheet. */
  readonly style: string | undefined
  /** Address of an image beside the title. */
  readonly logo: string | undefined
  readonly noindex: boolean
  /** Address without its ending. */
  readonly feed: string | undefined
  /** The time of the footer in the page's own zone, which it names; absent: UTC, or the zone of the viewer. */
  readonly as_of: { readonly time: Content; readonly time_zone: string } | undefined
}

export function documentOf(frame: Frame, sheet: Sheet): Markup {
  const { base, brand, nonce, theme, density, now, assets, language, time_zone } = frame
  const { title, main, events, dress, down = 0, alarm = down > 0 } = sheet
  return html`<!doctype html>
    <html
      lang="${language.tag}"
      dir="${language.dir}"
      data-intl="${language.locale}"
      data-relative="${JSON.stringify(language.words.common.relative)}"
      data-theme="${theme}"
      data-density="${density}"
      data-now="${iso(now)}"
      ${time_zone !== undefined && html` data-time-zone="${time_zone}"`}
      ${events !== undefined && html` data-events="${events}"`}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}" />
        ${dress?.noindex !== false && html`<meta name="robots" content="noindex" />`}
        <title>${down > 0 && `(${down}) `}${title}${title !== brand && ` · ${brand}`}</title>
        <link rel="icon" href="${base}${alarm ? assets.alarm : assets.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${base}${assets.style}" nonce="${nonce}" />
        ${dress?.style !== undefined && html`<link rel="stylesheet" href="${dress.style}" nonce="${nonce}" />`}
        ${dress?.feed !== undefined && feedLinks(dress.feed)}
        ${sheet.form === true && html`<script src="${base}${assets.form}" nonce="${nonce}" defer></script>`}
        ${sheet.chart === true && html`<script src="${base}${assets.chart}" nonce="${nonce}" defer></script>`}
        ${events !== undefined && html`<script src="${base}${assets.script}" nonce="${nonce}" defer></script>`}
        ${zoned(sheet) && html`<script src="${base}${assets.times}" nonce="${nonce}" defer></script>`}
      </head>
      <body${sheet.masthead !== undefined && html` class="slim"`}${sheet.wall === true && html` class="on-wall"`}>
        <a class="skip" href="#main">${({ words }) => words.frame.skip}</a>
        ${sheet.wall !== true && header(frame, sheet)}
        ${events !== undefined && [LOST, OUT]}
        <main id="main" tabindex="-1">${main}</main>
        ${sheet.said !== undefined && html`<p id="said" class="hidden" role="status" data-live>${sheet.said}</p>`}
        ${events !== undefined && TOASTS}${footer(frame, sheet)}
      </body>
    </html> `
}

function feedLinks(feed: string): Markup {
  return html`<link rel="alternate" type="application/atom+xml" href="${feed}.atom" />
    <link rel="alternate" type="application/rss+xml" href="${feed}.rss" />`
}

/** Made visible by the script. */
const LOST = html`<p id="lost" class="lost" role="status" hidden>
  ${({ words }) => words.frame.lost([html`<time data-at="clock"></time> `, ZONE])}
</p>`

/** Filled by the script; always there, so that screen readers announce what comes into it. */
const TOASTS = html`<div class="toasts" role="status">
  <p
    id="newly"
    data-lead="${({ words }) => words.frame.newlyDown}"
    data-more="${({ words }) => words.frame.newlyMore}"
    hidden
  ></p>
  <p id="news" hidden><a href="">${({ words }) => words.frame.listChanged}</a></p>
</div>`

/** Made visible by the script when the session has ended. */
const OUT = html`<p id="out" class="lost" role="status" hidden>
  ${({ words }) => words.frame.signedOut} <a href="">${({ words }) => words.frame.signIn}</a>
</p>`

function header({ base, brand }: Frame, { signed_in, masthead, dress }: Sheet): Markup {
  if (masthead !== undefined)
    return html`<header class="top">
      <p class="mark">
        ${dress?.logo === undefined ? BRAND : html`<img class="logo" src="${dress.logo}" alt="" />`}<strong
          >${foreign(masthead)}</strong
        >
      </p>
    </header>`
  const mark = html`<a class="mark" href="${base}/">${BRAND}<strong>${foreign(brand)}</strong></a>`
  if (signed_in === undefined) return html`<header class="top">${mark}</header>`
  const links = (Object.entries(SECTIONS) as [Section, string][])
    .filter(([section]) => section !== 'keys' || signed_in.keys)
    .map(
      ([section, path]) =>
        html`<a href="${base}${path}" ${signed_in.section === section && html` aria-current="page"`}
          >${({ words }) => words.frame[section]}</a
        >`,
    )
  return html`<header class="top">
    ${mark}
    <nav aria-label="${({ words }) => words.frame.sections}">${links}</nav>
    ${signed_in.can_leave && html`<form method="post" action="${base}/sign-out"><button class="plain">${({ words }) => words.frame.signOut}</button></form>`}
  </header>`
}

/** Whether the times of the page are UTC as they stand, and so can be turned. */
function zoned({ dress }: Sheet): boolean {
  return dress?.as_of === undefined
}

/** Without the script, or without its connection, a link reloads the page. */
function footer(frame: Frame, sheet: Sheet): Markup {
  const { now, here } = frame
  const { events, dress, rows, wall } = sheet
  const time = html`<time datetime="${iso(now)}" id="as-of" data-at="moment"
    >${({ moment }) => moment(iso(now))}</time
  >`
  const { as_of = { time, time_zone: ZONE } } = dress ?? {}
  return html`<footer class="foot">
    <p>
      ${({ words }) => words.frame.asOf<Content>(as_of.time, as_of.time_zone)}
      ${events !== undefined && html`<span id="live" data-live-word="${({ words }) => words.frame.live}"><a href="${here}">${({ words }) => words.frame.reload}</a></span>`}
      ${zoned(sheet) && html`<button id="zone" class="plain" data-words="${({ words }) => words.frame.timesIn}" hidden></button>`}
      ${rows === true && html`<a href="${frame.base}/wall">${({ words }) => words.frame.wall}</a>`}
    </p>
    ${wall === true ? html`<a href="${frame.base}/">${({ words }) => words.frame.leaveWall}</a>` : looks(frame, sheet)}
  </footer>`
}

/** Each choice is kept in a cookie. */
function looks(frame: Frame, { rows }: Sheet): Markup {
  const { theme, density, language, languages } = frame
  return html`<div class="looks">
    ${rows === true && choices(frame, 'density', density, DENSITIES.map(named))}
    ${
      languages.length > 1 &&
      choices(
        frame,
        'language',
        language.tag,
        languages.map(({ tag, name }) => ({ value: tag, label: name, lang: tag })),
      )
    }
    ${choices(frame, 'theme', theme, THEMES.map(named))}
  </div>`
}

interface Choice {
  readonly value: string
  readonly label: string | Said
  readonly lang?: string
}

function named(value: Theme | Density): Choice {
  return { value, label: ({ words }) => words.frame[value] }
}

function choices(
  { base, here }: Frame,
  name: 'theme' | 'density' | 'language',
  chosen: string,
  all: readonly Choice[],
): Markup {
  return html`<form
    method="post"
    action="${base}/${name}"
    class="themes"
    aria-label="${({ words }) => words.frame[name]}"
  >
    <input type="hidden" name="return" value="${here}" />
    ${all.map(({ value, label, lang }) => html`<button name="${name}" value="${value}" ${lang !== undefined && html` lang="${lang}"`} aria-pressed="${value === chosen ? 'true' : 'false'}">${label}</button>`)}
  </form>`
}
