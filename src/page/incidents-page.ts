/**
 * The incidents of an account, newest first.
 *
 * @module
 */

import type { AccountScope } from '../engine/api.ts'
import type { IncidentView, Page } from '../engine/views.ts'
import type { Frame } from './frame.ts'
import { incidentList } from './incidents.ts'
import { foreign, html } from './markup.ts'
import type { Markup } from './markup.ts'

const ROWS = 50

export interface IncidentsAsk {
  readonly monitor_id: number | undefined
  readonly after: number | undefined
}

/** @throws NotFoundError */
export function incidentsFound(
  scope: AccountScope,
  { monitor_id, after }: IncidentsAsk,
): Promise<Page<IncidentView>> {
  return scope.incidents.list({
    limit: ROWS,
    ...(monitor_id === undefined ? {} : { monitor_id }),
    ...(after === undefined ? {} : { after }),
  })
}

export function incidentsPage(found: Page<IncidentView>, ask: IncidentsAsk, frame: Frame): Markup {
  const { base, now } = frame
  const { items, next } = found
  const monitor = ask.monitor_id === undefined ? '' : `monitor=${ask.monitor_id}`
  const href = (query: string): string => `${base}/incidents${query === '' ? '' : `?${query}`}`
  const name = items[0]?.monitor.name
  return html`${ask.monitor_id !== undefined && html`<p class="back"><a href="${base}/monitors/${ask.monitor_id}">${name === undefined ? 'The monitor' : foreign(name)}</a></p>`}
    <h1>Incidents</h1>
    <div id="incidents" data-live>
      ${items.length === 0 ? html`<p class="empty">There is no incident on record.</p>` : incidentList({ incidents: items, now, monitorHref: (id) => `${base}/monitors/${id}` })}
    </div>
    <nav class="pages" aria-label="Pages">
      ${ask.after !== undefined && html`<a href="${href(monitor)}">Newest</a>`}${next !== null && html`<a href="${href([monitor, `after=${next}`].filter((part) => part !== '').join('&'))}" rel="next">Older</a>`}
    </nav>`
}
