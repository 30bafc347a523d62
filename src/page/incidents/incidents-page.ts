/**
 * The incidents of an account, newest first.
 *
 * @module
 */

import type { AccountScope } from '../../engine/api/engine.ts'
import type { IncidentView, Page } from '../../engine/api/views.ts'
import type { Frame } from '../layout/frame.ts'
import { incidentList } from './incidents.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'

const ROWS = 50

export interface IncidentsAsk {
  readonly monitor_id: number | undefined
  /** Only open incidents. */
  readonly open: boolean
  readonly after: number | undefined
}

/** @throws NotFoundError */
export function incidentsFound(
  scope: AccountScope,
  { monitor_id, open, after }: IncidentsAsk,
): Promise<Page<IncidentView>> {
  return scope.incidents.list({
    limit: ROWS,
    ...(monitor_id === undefined ? {} : { monitor_id }),
    ...(open ? { open } : {}),
    ...(after === undefined ? {} : { after }),
  })
}

export function incidentsPage(found: Page<IncidentView>, ask: IncidentsAsk, frame: Frame): Markup {
  const { base, now } = frame
  const { items, next } = found
  const name = items[0]?.monitor.name
  return html`${ask.monitor_id !== undefined && html`<p class="back"><a href="${base}/monitors/${ask.monitor_id}">${name === undefined ? 'The monitor' : foreign(name)}</a></p>`}
    <div class="bar">
      <h1>Incidents</h1>
      <nav class="choices" aria-label="Incidents shown">
        ${[false, true].map((open) => html`<a href="${hrefOf({ ...ask, open, after: undefined }, base)}" ${open === ask.open && html` aria-current="true"`}>${open ? 'Ongoing' : 'All'}</a>`)}
      </nav>
    </div>
    <div id="incidents" data-live>
      ${items.length === 0 ? html`<p class="empty">${ask.open ? 'No incident is going on.' : 'There is no incident on record.'}</p>` : incidentList({ incidents: items, now, monitorHref: (id) => `${base}/monitors/${id}` })}
    </div>
    <nav class="pages" aria-label="Pages">
      ${ask.after !== undefined && html`<a href="${hrefOf({ ...ask, after: undefined }, base)}">Newest</a>`}${next !== null && html`<a href="${hrefOf({ ...ask, after: next }, base)}" rel="next">Older</a>`}
    </nav>`
}

function hrefOf({ monitor_id, open, after }: IncidentsAsk, base: string): string {
  const query = new URLSearchParams()
  if (monitor_id !== undefined) query.set('monitor', String(monitor_id))
  if (open) query.set('open', '1')
  if (after !== undefined) query.set('after', String(after))
  return `${base}/incidents${query.size === 0 ? '' : `?${query.toString()}`}`
}
