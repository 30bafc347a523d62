/**
 * The overview for a screen on the wall: a tile for each monitor, the most urgent first, without forms. The list as a
 * whole is live, so that tiles change their places without a press of a button.
 *
 * @module
 */

import type { IncidentView, MonitorSummary } from '../../engine/api/views.ts'
import type { TypeView } from '../../engine/api/engine.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import { unlessGone } from '../../errors.ts'
import type { Frame } from '../layout/frame.ts'
import { stateLabel } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { shownAs } from '../layout/words.ts'
import type { Language } from '../words/language.ts'
import { isFailing } from '../contacts/contact-facts.ts'
import { countsOf } from './counts.ts'
import { engineFilter } from './filter.ts'
import type { Wanted } from './filter.ts'
import { collectMonitors, mostUrgent } from './monitors.ts'
import { downList, summary } from './overview.ts'
import type { OverviewFacts, OverviewReading } from './overview.ts'

/** As many as are read from a few steps away. The others are counted. */
const TILES = 60

interface Tile {
  readonly monitor: MonitorSummary
  /** The open incident, if any. */
  readonly open: IncidentView | undefined
}

export interface WallFacts extends Pick<OverviewFacts, 'counts' | 'unreached'> {
  readonly tiles: readonly Tile[]
  /** Whether a filter is set. */
  readonly filtered: boolean
}

/** Of all monitors, or those of the filter of the overview. */
export async function wallFacts(
  reading: OverviewReading,
  wanted: Wanted,
  types: readonly TypeView[],
): Promise<WallFacts> {
  const { engine, scope, clock } = reading
  const filter = engineFilter(wanted)
  const found = await collectMonitors(reading, filter)
  const counts = await countsOf(found, new Map(types.map((each) => [each.type, each])), clock)
  const shown = await mostUrgent(found.entries, { from: 0, to: TILES, clock })
  const contacts = await scope.contacts.list()
  const { accountMonitors } = requestServicesOf(engine)
  const tiles = shown.map(async (entry): Promise<Tile> => {
    const { open_incident_id } = entry
    // It may have been removed meanwhile, with its monitor.
    const open =
      open_incident_id === null
        ? undefined
        : await scope.incidents.get(open_incident_id).catch(unlessGone)
    return { monitor: accountMonitors.summaryOf(entry), open }
  })
  const unreached = contacts.filter(isFailing)
  return { counts, unreached, tiles: await Promise.all(tiles), filtered: filter !== undefined }
}

export function wallPage(facts: WallFacts, frame: Frame): Markup {
  const { counts, tiles } = facts
  const rest = counts.total - tiles.length
  return html`<h1 class="hidden">${({ words }) => words.overview.title}</h1>
    <div id="summary" class="headline" data-live>
      ${counts.total === 0 ? nothing(facts) : summary(facts, frame)}
    </div>
    ${downList(facts, frame)}
    <ul id="wall" class="wall" data-live>
      ${tiles.map((each) => tile(each, frame))}
    </ul>
    <p id="rest" class="muted" data-live>
      ${rest > 0 && (({ words }) => words.overview.notShown(rest))}
    </p>`
}

function nothing({ filtered }: WallFacts): Markup {
  return html`<p>
    <strong>${({ words }) => words.overview[filtered ? 'noMatch' : 'none']}</strong>
  </p>`
}

function tile({ monitor, open }: Tile, { base }: Frame): Markup {
  const { id, name, degraded } = monitor
  const { tone } = shownAs(monitor)
  return html`<li class="${tone === 'good' && degraded !== null ? 'warn' : tone}">
    <h2><a href="${base}/monitors/${id}">${foreign(name)}</a></h2>
    ${stateLabel(monitor)}
    ${open !== undefined && html`<p>${({ roughly }) => roughly(open.duration_sec)}: <bdi>${open.cause_text}</bdi></p>`}
    ${degraded !== null && html`<p>${({ words }: Language) => words.overview.degraded(foreign(degraded.cause_text))}</p>`}
  </li>`
}
