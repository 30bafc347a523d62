/**
 * The history of a public page by month: what people wrote, what checks found, and the uptime of each service.
 *
 * @module
 */

import { iso, yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { IncidentView } from '../../engine/api/views.ts'
import { DAY_MS } from '../../model/time.ts'
import { notFound } from '../http/page-error.ts'
import { html, settled } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { percentUp } from './badges.ts'
import { spokenFor } from './cached.ts'
import { publicIncident, publicName } from './public-facts.ts'
import type { MonitorGroup } from './public-facts.ts'
import { past } from './public-page.ts'
import type { PublicIncident } from './public-page.ts'
import type { PublishedPage } from './published.ts'
import { reportsOf } from './published-reports.ts'
import { reportItem } from './reports.ts'
import { serviceName } from '../layout/service-name.ts'

/** Months that are shown, this one included. */
const MONTHS = 12
const KEPT_MS = 30_000
const INCIDENTS_SHOWN = 100

interface Asked {
  readonly clock: Clock
  /** Of the page. */
  readonly path: string
  /** `2026-11`; absent: this month. */
  readonly month: string | undefined
  readonly language: Language
}

/** @throws PageError 404 for a month that is not shown */
export async function monthPage(page: PublishedPage, asked: Asked): Promise<Markup> {
  const { times } = page
  const { clock, path, language } = asked
  const current = times.local(iso(clock.now())).slice(0, 7)
  const months = Array.from({ length: MONTHS }, (_, ago) => monthBefore(current, ago))
  const month = asked.month ?? current
  const at = months.indexOf(month)
  if (at < 0) throw notFound(({ words }) => words.errors.noMonth)
  // Months that have left the list are forgotten.
  for (const name of page.months.keys()) if (!months.includes(name)) page.months.delete(name)
  const names = namesOf(await page.inTurn(() => page.groups.get()))
  const known = page.months.get(month)
  // A monitor that has left the page is gone from its months as well, and a new name is in them.
  const kept =
    known?.names === names
      ? known.drawn
      : spokenFor(
          async (into) => settled(await page.inTurn(() => drawn(page, clock, month)), into),
          { clock, ms: KEPT_MS },
        )
  page.months.set(month, { names, drawn: kept })
  const main = await kept.get(language)
  const link = (name: string | undefined, arrow: Said): Markup =>
    name === undefined
      ? html`<span></span>`
      : html`<a href="${path}/history/${name}">${arrow} ${monthText(name)}</a>`
  return html`<h1>${monthText(month)}</h1>
    ${main}
    <nav class="months" aria-label="${({ words }) => words.public.months}">
      ${link(months[at + 1], ({ dir }) => (dir === 'rtl' ? '→' : '←'))}
      <a href="${path}">${({ words }) => words.public.allServices}</a>
      ${link(months[at - 1], ({ dir }) => (dir === 'rtl' ? '←' : '→'))}
    </nav>`
}

function namesOf(groups: readonly MonitorGroup[]): string {
  return JSON.stringify(groups.map(({ monitors }) => monitors.map(({ id, name }) => [id, name])))
}

async function drawn(page: PublishedPage, clock: Clock, month: string): Promise<Markup> {
  const { times } = page
  const isIn = (time: string): boolean => times.local(time).startsWith(month)
  const reports = await reportsOf(page, month)
  const { incidents, sums } = await found(page, clock, month)
  return html`<section>
      ${reports.length > 0 && html`<h2>${({ words }) => words.public.incidents}</h2>`}
      ${reports.map((report) => reportItem(report, times))}
    </section>
    <section>
      <h2>${({ words }) => words.public.foundByChecks}</h2>
      ${past(
        incidents.filter(({ started_at }) => isIn(started_at)),
        times,
        clock.now(),
      )}
    </section>
    <section>
      <h2>${({ words }) => words.public.uptimeTitle}</h2>
      <table class="sums">
        <tbody>
          ${sums.map(
            ({ name, percent }) =>
              html`<tr>
                <th scope="row">${serviceName(name)}</th>
                <td>${uptimeText(percent)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </section>`
}

interface Found {
  readonly incidents: readonly PublicIncident[]
  readonly sums: readonly { readonly name: string; readonly percent: number | null }[]
}

/** Of the monitors that are on the page now. */
async function found(page: PublishedPage, clock: Clock, month: string): Promise<Found> {
  const { scope, look, groups } = page
  const naming = { show_targets: look.show_targets === true, names: look.names ?? new Map() }
  const yieldIfLong = yielderOf(clock)
  const first = Date.parse(`${month}-01T00:00:00Z`)
  // A day more on both sides: the month of the time zone begins earlier or later.
  const [from, to] = [first - DAY_MS, first + 32 * DAY_MS]
  const days = Math.min(365, Math.ceil((clock.now() - from) / DAY_MS) + 1)
  const incidents: IncidentView[] = []
  const sums: Found['sums'][number][] = []
  for (const monitor of (await groups.get()).flatMap(({ monitors }) => monitors)) {
    await yieldIfLong()
    const { id } = monitor
    const own = await scope.incidents.list({ monitor_id: id, from, to, limit: INCIDENTS_SHOWN })
    incidents.push(...own.items)
    const uptime = await scope.monitors.uptime(id, { days })
    const shown = uptime.days.filter(({ date }) => date.startsWith(month))
    sums.push({ name: publicName(monitor, naming), percent: percentUp(shown) })
  }
  const newest = incidents.sort((a, b) => (a.started_at < b.started_at ? 1 : -1))
  return {
    incidents: newest
      .slice(0, INCIDENTS_SHOWN)
      .map((incident) => publicIncident(incident, naming, look.show_causes === true)),
    sums,
  }
}

function monthBefore(month: string, ago: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 - ago, 1)).toISOString().slice(0, 7)
}

function uptimeText(percent: number | null): Said {
  return ({ words, uptime }) => (percent === null ? words.days.noData : uptime(percent))
}

function monthText(month: string): Said {
  return (language) => language.month(month)
}
