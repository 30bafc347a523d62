/**
 * All monitors at a glance, what needs somebody first.
 *
 * @module
 */

import type { AccountScope, TypeView } from '../../engine/api.ts'
import type { MonitorSummary, UptimeView } from '../../engine/views.ts'
import { bars } from '../bars.ts'
import type { Frame } from '../frame.ts'
import { stateLabel } from '../icons.ts'
import { foreign, html } from '../markup.ts'
import type { Markup } from '../markup.ts'
import { counted, msText, percentText, relative } from '../words.ts'
import { engineFilter, filterForm, queryOf } from './filter.ts'
import type { Wanted } from './filter.ts'
import { byUrgency, collectMonitors } from './monitors.ts'
import { summary } from './summary.ts'

const ROWS = 25
const DAYS = 90

interface Row {
  readonly monitor: MonitorSummary
  readonly uptime: UptimeView
}

export interface OverviewFacts {
  readonly all: readonly MonitorSummary[]
  readonly cut: boolean
  readonly found: number
  readonly rows: readonly Row[]
  readonly pages: number
}

export async function overviewFacts(scope: AccountScope, wanted: Wanted): Promise<OverviewFacts> {
  const filter = engineFilter(wanted)
  const all = await collectMonitors(scope)
  const found = filter === undefined ? all : await collectMonitors(scope, filter)
  const shown = byUrgency(found.monitors).slice((wanted.page - 1) * ROWS, wanted.page * ROWS)
  const rows = await Promise.all(
    shown.map(async (monitor) => {
      // Removed between the two questions: its row is left out.
      const uptime = await scope.monitors.uptime(monitor.id, { days: DAYS }).catch(() => undefined)
      return uptime === undefined ? [] : [{ monitor, uptime }]
    }),
  )
  return {
    all: all.monitors,
    cut: all.cut,
    found: found.monitors.length,
    rows: rows.flat(),
    pages: Math.max(1, Math.ceil(found.monitors.length / ROWS)),
  }
}

export interface OverviewOptions {
  readonly frame: Frame
  readonly wanted: Wanted
  readonly types: readonly TypeView[]
}

export function overviewPage(
  facts: OverviewFacts,
  { frame, wanted, types }: OverviewOptions,
): Markup {
  const { all, rows, found } = facts
  const titles = new Map(types.map(({ type, name }) => [type, name]))
  if (all.length === 0) return firstSteps(frame)
  return html`<h1 class="hidden">Monitors</h1>
    <div id="summary" class="headline" data-live>${summary(facts, frame.now)}</div>
    ${filterForm({ wanted, action: `${frame.base}/`, types, monitors: all })}
    ${
      rows.length === 0
        ? html`<p class="empty">No monitor is like that. <a href="${frame.base}/">Show all</a></p>`
        : html`<div class="list-head" aria-hidden="true">
              <span>Monitor</span><span>90 days</span
              ><span class="figures"
                ><span>Uptime</span><span>Response</span><span>Checked</span></span
              >
            </div>
            <ul class="rows">
              ${rows.map((row) => rowItem(row, titles, frame))}
            </ul>`
    }
    ${found > rows.length && pages(facts, wanted, frame)}`
}

function rowItem(
  { monitor, uptime }: Row,
  titles: ReadonlyMap<string, string>,
  { base, now }: Frame,
): Markup {
  const { id, name, target, type, state, flapping, last_check_at, last_duration_ms } = monitor
  return html`<li id="m${id}" class="row" data-live data-monitor="${id}">
    <div class="who">
      <div class="lead">
        <h2><a href="${base}/monitors/${id}" id="m${id}-link">${foreign(name)}</a></h2>
        ${stateLabel(state)}
      </div>
      <p class="muted target">
        ${target !== name && html`<span class="mono">${foreign(target)}</span>`}<span>${titles.get(type) ?? type}</span>${flapping && html`<span class="tag">Flapping</span>`}
      </p>
    </div>
    ${bars(uptime, { name })}
    <dl class="figures">
      <div>
        <dt>Uptime</dt>
        <dd>${percentText(uptime.overall)}</dd>
      </div>
      <div>
        <dt>Response</dt>
        <dd>${state === 'paused' ? '–' : msText(last_duration_ms)}</dd>
      </div>
      <div>
        <dt>Checked</dt>
        <dd>${last_check_at === null ? '–' : relative(last_check_at, now)}</dd>
      </div>
    </dl>
  </li>`
}

function pages({ pages: last, found }: OverviewFacts, wanted: Wanted, { base }: Frame): Markup {
  const { page } = wanted
  const to = (number: number, label: string, rel: string): Markup =>
    html`<a href="${base}/${queryOf(wanted, number)}" rel="${rel}">${label}</a>`
  return html`<nav class="pages" aria-label="Pages">
    ${page > 1 && to(page - 1, 'Previous', 'prev')}<span class="muted"
      >Page ${page} of ${last}, ${counted(found, 'monitor')}</span
    >${page < last && to(page + 1, 'Next', 'next')}
  </nav>`
}

function firstSteps({ origin }: Frame): Markup {
  return html`<div class="first">
    <h1>No monitors yet</h1>
    <p>
      Create the first one with the REST API and the key you signed in with, and load this page
      again:
    </p>
    <pre tabindex="0"><code>curl -s ${origin}/api/v1/monitors \\
  -H 'Authorization: Bearer YOUR_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"http","name":"Example","url":"https://example.com"}'</code></pre>
  </div>`
}
