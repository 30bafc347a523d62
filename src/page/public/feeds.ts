/**
 * A public page for programs: Atom (RFC 4287), RSS 2.0, and JSON. They say what the page says, and nothing else.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { html, textOf } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { uptimeOfAll } from './badges.ts'
import { overallOf, saidOf, servicesOf } from './public-page.ts'
import { serviceWords } from './service-states.ts'
import type { PublicFacts } from './public-page.ts'
import { plainName } from '../layout/service-name.ts'
import { ENGLISH } from '../words/language.ts'
import type { Language } from '../words/language.ts'

export interface FeedSource {
  readonly facts: PublicFacts
  /** Of the page. */
  readonly url: string
  /** When its settings changed last. */
  readonly updated_at: number
  readonly now: number
  readonly language: Language
}

interface Item {
  readonly url: string
  readonly title: string
  readonly text: string
  readonly published: string
  readonly updated: string
}

export function atomFeed(source: FeedSource): string {
  const { facts, url } = source
  const items = itemsOf(source)
  return xml(
    html`<feed xmlns="http://www.w3.org/2005/Atom"
      ><id>${url}</id><title>${facts.title}</title><updated>${updatedOf(items, source)}</updated
      ><author><name>${facts.title}</name></author
      ><link href="${url}" /><link
        rel="self"
        type="application/atom+xml"
        href="${url}/feed.atom"
      />${items.map((item) => html`<entry><id>${item.url}</id><title>${item.title}</title><link href="${item.url}" /><published>${item.published}</published><updated>${item.updated}</updated><content type="text">${item.text}</content></entry>`)}</feed
    >`,
  )
}

export function rssFeed(source: FeedSource): string {
  const { facts, url } = source
  const items = itemsOf(source)
  const date = (time: string): string => new Date(time).toUTCString()
  return xml(
    html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>${facts.title}</title><link>${url}</link><description>${facts.description ?? facts.title}</description><lastBuildDate>${date(updatedOf(items, source))}</lastBuildDate><atom:link rel="self" type="application/rss+xml" href="${url}/feed.rss"/>${items.map((item) => html`<item><guid isPermaLink="false">${item.url}</guid><link>${item.url}</link><title>${item.title}</title><pubDate>${date(item.updated)}</pubDate><description>${item.text}</description></item>`)}</channel></rss>`,
  )
}

function xml(content: Markup): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${textOf(content, ENGLISH)}\n`
}

/** Reports with all their updates, the newest first; then what is planned. */
function itemsOf({ facts, url, language }: FeedSource): readonly Item[] {
  const { words } = language
  const named = (services: readonly string[]): string =>
    words.public
      .affectedBy(services.map((service) => plainName(service)(language)).join(', '))
      .join('')
  const reports = facts.reports.map((report): Item => {
    const updates = report.updates.toReversed().map(({ at, status, text }) => {
      return `${words.public.statuses[status]}, ${at}\n${text}`
    })
    const affected = report.services.length === 0 ? [] : [named(report.services)]
    return {
      url: `${url}/incidents/${report.id}`,
      title: `${words.public.statuses[report.status]}: ${report.title}`,
      text: [...affected, ...updates].join('\n\n'),
      published: report.started_at,
      updated: report.updates.at(-1)?.at ?? report.started_at,
    }
  })
  const planned = facts.planned.map(({ name, starts_at, ends_at, services = [] }): Item => {
    const affected = services.length === 0 ? '' : `\n${named(services)}`
    return {
      url: `${url}#planned-${Date.parse(starts_at)}`,
      title: words.public.feedPlanned(name ?? words.planned.work),
      text: words.public.feedFromTo(starts_at, ends_at) + affected,
      published: starts_at,
      updated: starts_at,
    }
  })
  return [...reports, ...planned]
}

/** Of the newest item that is not in the future. */
function updatedOf(items: readonly Item[], { updated_at, now }: FeedSource): string {
  const times = items.map(({ updated }) => updated).filter((time) => Date.parse(time) <= now)
  return [iso(updated_at), ...times].sort().at(-1) ?? iso(updated_at)
}

export function jsonStatus({ facts, url, language }: FeedSource): string {
  const services = servicesOf(facts)
  const nameOf = (name: string): string => plainName(name)(language)
  const document = {
    page: { title: facts.title, url, time_zone: facts.times.time_zone },
    status: {
      state: stateOf(facts),
      text: saidOf(facts)(language),
      uptime_90_days: threeDecimals(uptimeOfAll(services)),
    },
    groups: facts.groups.map(({ name, services: own }) => ({
      name,
      services: own.map((service) => ({
        key: service.key,
        name: nameOf(service.name),
        ...(service.target === undefined ? {} : { target: service.target }),
        state: serviceWords(service).code,
        uptime_90_days: threeDecimals(service.uptime.overall),
      })),
    })),
    reports: facts.reports.map((report) => ({
      url: `${url}/incidents/${report.id}`,
      ...report,
      services: report.services.map(nameOf),
    })),
    planned: facts.planned.map(({ services = [], ...work }) => {
      return { ...work, services: services.map(nameOf) }
    }),
  }
  return JSON.stringify(document)
}

const CODES = { good: 'operational', bad: 'disrupted', warn: 'unknown', quiet: 'limited' } as const

function stateOf(facts: PublicFacts): string {
  const { tone, shape } = overallOf(facts)
  return shape === 'alert' ? 'incident' : CODES[tone]
}

/** Truncated: 99.9999 never becomes 100. */
function threeDecimals(percent: number | null): number | null {
  return percent === null ? null : Math.floor(percent * 1000) / 1000
}
