/**
 * All monitors of the account, the most urgent first.
 *
 * @module
 */

import type { TypeView } from '../../engine/api/engine.ts'
import type { MonitorSummary } from '../../engine/api/views.ts'
import type { Frame } from '../layout/frame.ts'
import { html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { counted } from '../layout/words.ts'
import { engineFilter, filterForm, queryOf } from './filter.ts'
import type { Wanted } from './filter.ts'
import { byUrgency, collectMonitors } from './monitors.ts'
import type { Reading } from './monitors.ts'
import { rowItem, rowOf } from './row.ts'
import type { Row } from './row.ts'
import { summary } from './summary.ts'

const ROWS = 25

export interface OverviewFacts {
  readonly all: readonly MonitorSummary[]
  readonly cut: boolean
  readonly found: number
  readonly rows: readonly Row[]
  readonly pages: number
}

export async function overviewFacts(
  reading: Reading,
  wanted: Wanted,
  types: readonly TypeView[],
): Promise<OverviewFacts> {
  const filter = engineFilter(wanted)
  const all = await collectMonitors(reading)
  const found = filter === undefined ? all : await collectMonitors(reading, filter)
  const shown = byUrgency(found.monitors).slice((wanted.page - 1) * ROWS, wanted.page * ROWS)
  const byName = new Map(types.map((each) => [each.type, each]))
  const rows = await Promise.all(
    shown.map((monitor) => rowOf(reading.scope, monitor, byName.get(monitor.type))),
  )
  return {
    all: all.monitors,
    cut: all.cut,
    found: found.monitors.length,
    rows: rows.filter((row) => row !== undefined),
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
              ${rows.map((row) => rowItem(row, frame))}
            </ul>`
    }
    ${found > rows.length && pages(facts, wanted, frame)}
    <p id="news" class="news" role="status" hidden>
      <a href="${frame.here}">Other monitors belong here now: show them</a>
    </p>`
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
  return html`<div class="first" id="first">
    <h1>No monitors yet</h1>
    <p>
      Create the first one with the REST API and the key you signed in with. It appears here after
      its first check:
    </p>
    <pre tabindex="0"><code>curl -s ${origin}/api/v1/monitors \\
  -H 'Authorization: Bearer YOUR_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"http","name":"Example","url":"https://example.com"}'</code></pre>
  </div>`
}
