/**
 * What is planned: maintenance that is open or begins soon.
 *
 * @module
 */

import type { OccurrenceView } from '../../engine/api/maintenance.ts'
import type { EpochMs } from '../../model.ts'
import { icon } from './icons.ts'
import { foreign, html } from './markup.ts'
import { serviceName } from './service-name.ts'
import type { Content, Markup } from './markup.ts'
import { moment, relative, timeOfDay } from './words.ts'

/** What a page shows of an occurrence. */
export type PlannedWork = Pick<OccurrenceView, 'name' | 'starts_at' | 'ends_at' | 'active'> & {
  /** What it concerns, where the page does not say so anyway. */
  readonly services?: readonly string[]
}

/** On the page of a monitor, as many as its status has. */
export const PLANNED_SHOWN = 5

/** What is read to know how much more there is. */
export const PLANNED_READ = 50

/** How times are written; the default is UTC. */
interface Times {
  moment(iso: string): Markup
  /** Without the day if it is that of `other`. */
  within(iso: string, other: string): Markup
}

interface ListOptions {
  /** Default: all. */
  readonly shown?: number | undefined
  readonly times?: Times | undefined
}

/** The first `shown`, and how many more there are among those that were read. */
export function plannedList(
  planned: readonly PlannedWork[],
  now: EpochMs,
  { shown = planned.length, times = { moment, within: timeOfDay } }: ListOptions = {},
): Markup {
  const more = planned.length - shown
  return html`<ul class="past">
      ${planned.slice(0, shown).map((work) => plannedItem(work, now, times))}
    </ul>
    ${more > 0 && html`<p class="muted">${({ words }) => words.planned[planned.length < PLANNED_READ ? 'more' : 'atLeast'](more)}</p>`}`
}

function plannedItem(
  { name, starts_at, ends_at, active, services = [] }: PlannedWork,
  now: EpochMs,
  times: Times,
): Markup {
  const at = relative(active ? ends_at : starts_at, now)
  const when: Content = ({ words }) => words.planned[active ? 'ends' : 'begins'](at)
  const title: Content = name === null ? ({ words }) => words.planned.work : foreign(name)
  const what = html`<strong>${title}</strong> ${when}`
  return html`<li>
    ${icon('tool', 'quiet')}
    <p>
      ${what}<br />
      <span class="muted"
        >${times.moment(starts_at)} –
        ${times.within(ends_at, starts_at)}${services.map((service, at) => [at === 0 ? ' · ' : ', ', serviceName(service)])}</span
      >
    </p>
  </li>`
}
