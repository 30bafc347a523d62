/**
 * The frame of every page: head, navigation, footer.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { iso } from '../../clock.ts'
import { BRAND } from './icons.ts'
import { foreign, html } from './markup.ts'
import type { Content, Markup } from './markup.ts'
import { momentText } from './words.ts'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** The context of the request and the host. */
export interface Frame {
  /** Mount path, without a trailing slash. */
  readonly base: string
  readonly brand: string
  /** As the browser sees it, `https://watch.example.com`. */
  readonly origin: string
  readonly nonce: string
  readonly theme: Theme
  readonly now: EpochMs
  /** Path and query of the page itself, for links back to it. */
  readonly here: string
  readonly assets: {
    readonly style: string
    readonly script: string
    /** Of pages with a form. */
    readonly form: string
    /** Of pages with a chart. */
    readonly chart: string
    readonly icon: string
    /** The icon while something is down. */
    readonly alarm: string
  }
}

/** The navigation. */
const SECTIONS = {
  monitors: { path: '/', label: 'Monitors' },
  incidents: { path: '/incidents', label: 'Incidents' },
  contacts: { path: '/contacts', label: 'Contacts' },
  maintenance: { path: '/maintenance', label: 'Maintenance' },
  keys: { path: '/keys', label: 'API keys' },
  audit: { path: '/audit-log', label: 'Audit log' },
} as const
export type Section = keyof typeof SECTIONS

export interface Sheet {
  readonly title: string
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
  /** The time of the footer, and the zone that it names. */
  readonly as_of: string
  readonly time_zone: string
}

export function documentOf(frame: Frame, sheet: Sheet): Markup {
  const { base, brand, nonce, theme, now, assets } = frame
  const { title, main, events, dress, down = 0, alarm = down > 0 } = sheet
  return html`<!doctype html>
    <html
      lang="en"
      data-theme="${theme}"
      data-now="${iso(now)}"
      ${events !== undefined && html` data-events="${events}"`}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}" />
        ${dress?.noindex !== false && html`<meta name="robots" content="noindex" />`}
        <title>${down > 0 && `(${down}) `}${title === brand ? title : `${title} · ${brand}`}</title>
        <link rel="icon" href="${base}${alarm ? assets.alarm : assets.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${base}${assets.style}" nonce="${nonce}" />
        ${dress?.style !== undefined && html`<link rel="stylesheet" href="${dress.style}" nonce="${nonce}" />`}
        ${dress?.feed !== undefined && feedLinks(dress.feed)}
        ${sheet.form === true && html`<script src="${base}${assets.form}" nonce="${nonce}" defer></script>`}
        ${sheet.chart === true && html`<script src="${base}${assets.chart}" nonce="${nonce}" defer></script>`}
        ${events !== undefined && html`<script src="${base}${assets.script}" nonce="${nonce}" defer></script>`}
      </head>
      <body${sheet.masthead !== undefined && html` class="slim"`}>
        <a class="skip" href="#main">Skip to the content</a>
        ${header(frame, sheet)}
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
  No connection to the service since <time></time> UTC. This page shows what was known then.
</p>`

/** Filled by the script; always there, so that screen readers announce what comes into it. */
const TOASTS = html`<div class="toasts" role="status">
  <p id="newly" hidden></p>
  <p id="news" hidden><a href="">The list has changed: show it anew</a></p>
</div>`

/** Made visible by the script when the session has ended. */
const OUT = html`<p id="out" class="lost" role="status" hidden>
  You are signed out. This page shows what was known then. <a href="">Sign in</a>
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
  const links = Object.entries(SECTIONS)
    .filter(([section]) => section !== 'keys' || signed_in.keys)
    .map(
      ([section, { path, label }]) =>
        html`<a href="${base}${path}" ${signed_in.section === section && html` aria-current="page"`}
          >${label}</a
        >`,
    )
  return html`<header class="top">
    ${mark}
    <nav aria-label="Sections">${links}</nav>
    ${signed_in.can_leave && html`<form method="post" action="${base}/sign-out"><button class="plain">Sign out</button></form>`}
  </header>`
}

/** Without the script, or without its connection, this link reloads the page. */
function footer({ base, theme, now, here }: Frame, { events, dress }: Sheet): Markup {
  const button = (choice: Theme, label: string): Markup =>
    html`<button
      name="theme"
      value="${choice}"
      aria-pressed="${theme === choice ? 'true' : 'false'}"
    >
      ${label}
    </button>`
  return html`<footer class="foot">
    <p>
      As of
      <time datetime="${iso(now)}" id="as-of">${dress?.as_of ?? momentText(iso(now))}</time>
      ${dress?.time_zone ?? 'UTC'}.
      ${events !== undefined && html`<span id="live"><a href="${here}">Reload</a></span>`}
    </p>
    <form method="post" action="${base}/theme" class="themes" aria-label="Theme">
      <input type="hidden" name="return" value="${here}" />
      ${button('auto', 'Auto')}${button('light', 'Light')}${button('dark', 'Dark')}
    </form>
  </footer>`
}
