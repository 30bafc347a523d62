/**
 * All stored checks of a monitor, in pages.
 *
 * @module
 */

import type { AccountScope, TypeView } from '../../engine/api/engine.ts'
import type { MonitorView, Page, ResultView } from '../../engine/api/views.ts'
import type { Verdict } from '../../model.ts'
import type { Frame } from '../layout/frame.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { VERDICT_WORDS } from '../layout/words.ts'
import { checkList } from './checks.ts'

const ROWS = 50

export interface ChecksAsk {
  readonly id: number
  readonly verdict: Verdict | undefined
  readonly location_id: number | undefined
  readonly after: number | undefined
}

export interface ChecksFound {
  readonly monitor: MonitorView
  readonly results: Page<ResultView>
  readonly type: TypeView | undefined
}

/** @throws NotFoundError */
export async function checksFound(
  scope: AccountScope,
  types: readonly TypeView[],
  { id, verdict, location_id, after }: ChecksAsk,
): Promise<ChecksFound> {
  const monitor = await scope.monitors.get(id)
  const results = await scope.results.list(id, {
    limit: ROWS,
    ...(verdict === undefined ? {} : { verdict }),
    ...(location_id === undefined ? {} : { location_id }),
    ...(after === undefined ? {} : { after }),
  })
  return { monitor, results, type: types.find(({ type }) => type === monitor.type) }
}

export function checksPage(
  { monitor, results, type }: ChecksFound,
  ask: ChecksAsk,
  frame: Frame,
): Markup {
  const { base, now } = frame
  const path = `${base}/monitors/${monitor.id}/checks`
  const names = new Map(monitor.locations.map(({ location_id, name }) => [location_id, name]))
  const query = new URLSearchParams()
  if (ask.verdict !== undefined) query.set('verdict', ask.verdict)
  if (ask.location_id !== undefined) query.set('location', String(ask.location_id))
  if (results.next !== null) query.set('after', String(results.next))
  return html`<p class="back">
      <a href="${base}/monitors/${monitor.id}">${foreign(monitor.name)}</a>
    </p>
    <h1>Checks</h1>
    <form class="filter" action="${path}" method="get">
      <label
        >Result
        <select name="verdict">
          <option value="">All</option>
          ${Object.entries(VERDICT_WORDS).map(([verdict, { label }]) => html`<option value="${verdict}" ${verdict === ask.verdict && html` selected`}>${label}</option>`)}
        </select></label
      >
      ${
        names.size > 1 &&
        html`<label
          >Location
          <select name="location">
            <option value="">All</option>
            ${[...names].map(([id, name]) => html`<option value="${id}" ${id === ask.location_id && html` selected`}>${name}</option>`)}
          </select></label
        >`
      }
      <button>Filter</button>
    </form>
    ${results.items.length === 0 ? html`<p class="empty">No such check is on record.</p>` : checkList({ results: results.items, locations: names, type, now })}
    <nav class="pages" aria-label="Pages">
      ${ask.after !== undefined && html`<a href="${path}">Newest</a>`}${results.next !== null && html`<a href="${path}?${query.toString()}" rel="next">Older</a>`}
    </nav>`
}
