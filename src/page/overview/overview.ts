/**
 * All monitors of the account, the most urgent first.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { TypeView } from '../../engine/api/engine.ts'
import type { OccurrenceView } from '../../engine/api/maintenance.ts'
import type { AccountScope } from '../../engine/api/engine.ts'
import type { ContactView } from '../../engine/api/views.ts'
import { requestServicesOf } from '../../engine/services/request-services.ts'
import type { MonitorEntry } from '../../engine/services/account-monitors.ts'
import { isFailing } from '../contacts/contact-facts.ts'
import { failingContacts } from '../contacts/contacts-page.ts'
import type { Frame } from '../layout/frame.ts'
import { html, foreign } from '../layout/markup.ts'
import type { Markup, Content, Said } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { plannedList, PLANNED_READ } from '../layout/planned.ts'
import { relative, stateWords } from '../layout/words.ts'
import { bulkBar } from './bulk-form.ts'
import { engineFilter, filterForm, queryOf } from './filter.ts'
import type { Wanted } from './filter.ts'
import { countsOf } from './counts.ts'
import type { Counts, Ending } from './counts.ts'
import { collectMonitors, mostUrgent } from './monitors.ts'
import type { Reading } from './monitors.ts'
import { rowItem, rowOf } from './row.ts'
import type { Row } from './row.ts'
import { MONITOR_STATES } from '../../model.ts'
import type { MonitorState } from '../../model.ts'
import { icon } from '../layout/icons.ts'

/** Maximum number of down monitors named in the second sentence. */
const NAMED = 3

const ROWS = 25

/** How much of what is planned is shown. */
const PLANNED_DAYS = 7
const PLANNED = 3

export interface OverviewFacts {
  readonly counts: Counts
  readonly found: number
  readonly rows: readonly Row[]
  readonly pages: number
  /** Maintenance of the account that is open or begins soon. */
  readonly planned: readonly OccurrenceView[]
  /** Contacts whose last notification was not delivered. */
  readonly unreached: readonly ContactView[]
}

export interface OverviewReading extends Reading {
  readonly scope: AccountScope
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>
}

export async function overviewFacts(
  reading: OverviewReading,
  wanted: Wanted,
  types: readonly TypeView[],
): Promise<OverviewFacts> {
  const { engine, scope, clock } = reading
  const filter = engineFilter(wanted)
  const yieldIfLong = yielderOf(clock)
  const all = await collectMonitors(reading)
  await yieldIfLong()
  const found = filter === undefined ? all : await collectMonitors(reading, filter)
  await yieldIfLong()
  const byName = new Map(types.map((each) => [each.type, each]))
  const counts = await countsOf(all, byName, clock)
  const part = { from: (wanted.page - 1) * ROWS, to: wanted.page * ROWS, clock }
  const shown = await mostUrgent(found.entries, part)
  await yieldIfLong()
  const planned = await scope.maintenance.upcoming({ days: PLANNED_DAYS, limit: PLANNED_READ })
  const contacts = await scope.contacts.list()
  const { accountMonitors } = requestServicesOf(engine)
  const rows: Row[] = []
  for (const entry of shown) {
    await yieldIfLong()
    const monitor = accountMonitors.summaryOf(entry)
    const row = await rowOf(scope, { monitor, last: entry.last }, byName.get(entry.type))
    if (row !== undefined) rows.push(row)
  }
  return {
    ...{ counts, found: found.entries.length, rows, planned },
    unreached: contacts.filter(isFailing),
    pages: Math.max(1, Math.ceil(found.entries.length / ROWS)),
  }
}

export interface OverviewOptions {
  readonly frame: Frame
  readonly wanted: Wanted
  readonly types: readonly TypeView[]
  /** Whether buttons and forms are shown. */
  readonly can_act: boolean
}

export function overviewPage(
  facts: OverviewFacts,
  { frame, wanted, types, can_act }: OverviewOptions,
): Markup {
  const { counts, rows, found } = facts
  if (counts.total === 0) return firstSteps(frame, can_act)
  return html`<h1 class="hidden">${({ words }) => words.overview.title}</h1>
    <div class="over">
      <div id="summary" class="headline" data-live>${summary(facts, frame)}</div>
      ${can_act && html`<a class="button" href="${frame.base}/monitors/new">${({ words }) => words.overview.newMonitor}</a>`}
    </div>
    ${downList(facts, frame)}
    <div id="planned" data-live>${planned(facts, frame)}</div>
    ${filterForm({ wanted, action: `${frame.base}/`, types, used: counts.used })}
    ${
      rows.length === 0
        ? html`<p class="empty">
            ${({ words }) => words.overview.noMatch}
            <a href="${frame.base}/">${({ words }) => words.overview.showAll}</a>
          </p>`
        : html`<div class="list-head" aria-hidden="true">
              <span>${({ words }) => words.overview.monitor}</span
              ><span>${({ words }) => words.overview.days}</span
              ><span class="figures"
                ><span>${({ words }) => words.overview.uptime}</span
                ><span>${({ words }) => words.overview.response}</span
                ><span>${({ words }) => words.overview.checked}</span></span
              >
            </div>
            <ul class="rows">
              ${rows.map((row) => rowItem(row, { frame, can_act }))}
            </ul>
            ${can_act && bulkBar(wanted, { base: frame.base, found })}`
    }
    ${found > rows.length && pages(facts, wanted, frame)}`
}

function planned({ planned: work }: OverviewFacts, { now }: Frame): Markup | false {
  if (work.length === 0) return false
  return html`<h2 class="hidden">${({ words }) => words.overview.planned}</h2>
    ${plannedList(work, now, { shown: PLANNED })}`
}

function pages({ pages: last, found }: OverviewFacts, wanted: Wanted, { base }: Frame): Markup {
  const { page } = wanted
  const to = (number: number, label: Said, rel: string): Markup =>
    html`<a href="${base}/${queryOf(wanted, number)}" rel="${rel}">${label}</a>`
  return html`<nav class="pages" aria-label="${({ words }) => words.common.pages}">
    ${page > 1 && to(page - 1, ({ words }) => words.common.previous, 'prev')}<span class="muted"
      >${({ words: { common } }) => common.page(page, last, common.monitors(found))}</span
    >${page < last && to(page + 1, ({ words }) => words.common.next, 'next')}
  </nav>`
}

function firstSteps({ origin, base }: Frame, can_act: boolean): Markup {
  return html`<div class="first" id="first">
    <h1>${({ words }) => words.overview.none}</h1>
    ${can_act && html`<p><a class="button" href="${base}/monitors/new">${({ words }) => words.overview.newMonitor}</a></p>`}
    <p>
      ${({ words }) => words.overview.appears}
      ${({ words }) => words.overview[can_act ? 'orApi' : 'onlyApi']}
    </p>
    <pre tabindex="0"><code>curl -s ${origin}/api/v1/monitors \\
  -H 'Authorization: Bearer YOUR_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"http","name":"Example","url":"https://example.com"}'</code></pre>
  </div>`
}

/** Maximum number of down monitors among which the script finds those that are newly down. */
const LISTED = 200

/** For the script, which announces what is newly down and links to it. */
export function downList({ counts }: Pick<OverviewFacts, 'counts'>, { base }: Frame): Markup {
  return html`<ul id="down" hidden>
    ${counts.down
      .slice(0, LISTED)
      .map(({ id, name }) => html`<li><a href="${base}/monitors/${id}">${name}</a></li>`)}
  </ul>`
}

/** One sentence: what is down or up, and what needs attention soon. */
export function leadOf({ counts }: Pick<OverviewFacts, 'counts'>): Said {
  const { attention } = counts
  const lead = stateOf(counts)
  if (attention === 0) return lead
  return (language) => language.words.overview.attention(lead(language), attention)
}

function stateOf({ down, up, total, cut }: Counts): Said {
  return ({ words }) => {
    if (down.length > 0) return words.overview.down(down.length, total, cut)
    return up < total ? words.overview.up(up, total, cut) : words.overview.allUp(total, cut)
  }
}

export function summary(
  facts: Pick<OverviewFacts, 'counts' | 'unreached'>,
  { base, now }: Frame,
): Markup {
  const { counts, unreached } = facts
  const { down, up, newest } = counts
  const last = relative(newest, now)
  const parts: readonly Content[] = [
    failingContacts(unreached, base),
    endingText(counts.ending, base),
    down.length > 0 && namesOf(down),
    down.length > 0 && up > 0 && (({ words }: Language) => words.overview.countUp(up)),
    ...others(counts),
    ({ words }: Language) =>
      newest === '' ? words.overview.nothingChecked : words.overview.lastCheck(last),
  ].filter((part) => part !== false)
  return html`${sign(counts)}
    <p>
      <strong>${leadOf(facts)}</strong><br />
      <span class="muted">${parts.map((part, at) => [at > 0 && ' · ', part])}</span>
    </p>`
}

function more(count: number): Said | false {
  return count > 0 && (({ words }) => words.overview.more(count))
}

function endingText(ending: readonly Ending[], base: string): Markup | false {
  const [first, ...others] = ending
  if (first === undefined) return false
  return html`<span class="near"
    >${icon('alert', 'warn')}<a href="${base}/monitors/${first.id}">${foreign(first.name)}</a>:
    ${first.text}${more(others.length)}</span
  >`
}

function sign({ down, up, unseen, attention }: Counts): Markup {
  if (down.length > 0) return icon('cross', 'bad')
  if (unseen > 0) return icon('dash', 'warn')
  if (attention > 0) return icon('alert', 'warn')
  return up > 0 ? icon('check', 'good') : icon('dots', 'quiet')
}

function namesOf(down: readonly MonitorEntry[]): Content {
  const named = down.slice(0, NAMED).map(({ name }, at) => [at > 0 && ', ', foreign(name)])
  return [named, more(down.length - NAMED)]
}

/** The monitors that are neither up nor down, by state. */
function others({ unseen, others: rest }: Counts): readonly Said[] {
  const counted = (count: number, state: MonitorState | 'stale'): readonly Said[] => {
    const { short } = stateWords(state)
    return count === 0 ? [] : [(language) => `${language.number(count)} ${short(language)}`]
  }
  return [
    ...counted(unseen, 'stale'),
    ...MONITOR_STATES.flatMap((state) => counted(rest.get(state) ?? 0, state)),
  ]
}
