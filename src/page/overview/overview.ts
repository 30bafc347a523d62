/**
 * All monitors of the account, the most urgent first.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { TypeView } from '../../engine/api/engine.ts'
import type { OccurrenceView } from '../../engine/api/occurrence.ts'
import type { ContactView, MonitorSummary } from '../../engine/api/views.ts'
import { unlessGone } from '../../errors.ts'
import { nearestEnd } from '../monitor/highlights.ts'
import { isFailing } from '../contacts/contact-facts.ts'
import { failingContacts } from '../contacts/contacts-page.ts'
import type { Frame } from '../layout/frame.ts'
import { html, foreign } from '../layout/markup.ts'
import type { Markup, Content, Said } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { plannedList, PLANNED_READ } from '../layout/planned.ts'
import { isUnseen, relative, stateWords } from '../layout/words.ts'
import { bulkBar } from './bulk-form.ts'
import { engineFilter, filterForm, queryOf } from './filter.ts'
import type { Wanted } from './filter.ts'
import { byUrgency, collectMonitors } from './monitors.ts'
import type { Reading } from './monitors.ts'
import { rowItem, rowOf } from './row.ts'
import type { Row } from './row.ts'
import { MONITOR_STATES } from '../../model.ts'
import type { MonitorState } from '../../model.ts'
import { icon } from '../layout/icons.ts'

interface Counted {
  readonly all: readonly MonitorSummary[]
  /** There are more monitors than these. */
  readonly cut: boolean
}

/** Maximum number of down monitors named in the second sentence. */
const NAMED = 3

const ROWS = 25

/** How much of what is planned is shown. */
const PLANNED_DAYS = 7
const PLANNED = 3

export interface OverviewFacts {
  readonly all: readonly MonitorSummary[]
  readonly cut: boolean
  readonly found: number
  readonly rows: readonly Row[]
  readonly pages: number
  /** Maintenance of the account that is open or begins soon. */
  readonly planned: readonly OccurrenceView[]
  /** Contacts whose last notification was not delivered. */
  readonly unreached: readonly ContactView[]
  /** Monitors of which something ends soon, such as a certificate, or has ended. */
  readonly ending: readonly Ending[]
}

interface Ending {
  readonly id: number
  readonly name: string
  /** `Certificate ends in 4 days`. */
  readonly text: Said
}

/** Monitors of which the ends are looked at. */
const ENDS_OF = 200

async function endingOf(
  { scope, clock }: Reading,
  monitors: readonly MonitorSummary[],
  types: ReadonlyMap<string, TypeView>,
): Promise<readonly Ending[]> {
  const dated = monitors.filter(
    ({ type, state }) =>
      state !== 'paused' && types.get(type)?.highlights.some(({ format }) => format === 'end'),
  )
  const now = clock.now()
  const found = await Promise.all(
    dated.slice(0, ENDS_OF).map(async ({ id, name, type }) => {
      const latest = await scope.results.list(id, { limit: 1 }).catch(unlessGone)
      const results = latest?.items ?? []
      const text = nearestEnd({ type: types.get(type), results, now })
      return text === undefined ? [] : [{ id, name, text }]
    }),
  )
  return found.flat()
}

export async function overviewFacts(
  reading: Reading,
  wanted: Wanted,
  types: readonly TypeView[],
): Promise<OverviewFacts> {
  const filter = engineFilter(wanted)
  const yieldIfLong = yielderOf(reading.clock)
  const all = await collectMonitors(reading)
  const found = filter === undefined ? all : await collectMonitors(reading, filter)
  const shown = byUrgency(found.monitors).slice((wanted.page - 1) * ROWS, wanted.page * ROWS)
  const byName = new Map(types.map((each) => [each.type, each]))
  await yieldIfLong()
  const planned = await reading.scope.maintenance.upcoming({
    days: PLANNED_DAYS,
    limit: PLANNED_READ,
  })
  const contacts = await reading.scope.contacts.list()
  await yieldIfLong()
  const rows = await Promise.all(
    shown.map((monitor) => rowOf(reading.scope, monitor, byName.get(monitor.type))),
  )
  await yieldIfLong()
  return {
    all: all.monitors,
    cut: all.cut,
    found: found.monitors.length,
    rows: rows.filter((row) => row !== undefined),
    planned,
    unreached: contacts.filter(isFailing),
    ending: await endingOf(reading, all.monitors, byName),
    pages: Math.max(1, Math.ceil(found.monitors.length / ROWS)),
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
  const { all, rows, found } = facts
  if (all.length === 0) return firstSteps(frame, can_act)
  return html`<h1 class="hidden">${({ words }) => words.overview.title}</h1>
    <div class="over">
      <div id="summary" class="headline" data-live>${summary(facts, frame)}</div>
      ${can_act && html`<a class="button" href="${frame.base}/monitors/new">${({ words }) => words.overview.newMonitor}</a>`}
    </div>
    ${downList(facts, frame)}
    <div id="planned" data-live>${planned(facts, frame)}</div>
    ${filterForm({ wanted, action: `${frame.base}/`, types, monitors: all })}
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
      ${({ words }) => words.overview[can_act ? 'orApi' : 'onlyApi']}
      ${({ words }) => words.overview.appears}
    </p>
    <pre tabindex="0"><code>curl -s ${origin}/api/v1/monitors \\
  -H 'Authorization: Bearer YOUR_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{"type":"http","name":"Example","url":"https://example.com"}'</code></pre>
  </div>`
}

export function downOf(all: readonly MonitorSummary[]): readonly MonitorSummary[] {
  return all.filter(({ status }) => status === 'down')
}

/** Maximum number of down monitors among which the script finds those that are newly down. */
const LISTED = 200

/** For the script, which announces what is newly down and links to it. */
function downList({ all }: OverviewFacts, { base }: Frame): Markup {
  return html`<ul id="down" hidden>
    ${downOf(all)
      .slice(0, LISTED)
      .map(({ id, name }) => html`<li><a href="${base}/monitors/${id}">${name}</a></li>`)}
  </ul>`
}

function isUp(monitor: MonitorSummary): boolean {
  return monitor.status === 'up' && !isUnseen(monitor)
}

/** Failing without being down yet, late, or about to end: what the sentence of the page adds to the state. */
function attention({ all, ending }: Pick<OverviewFacts, 'all' | 'ending'>): number {
  const soon = new Set(ending.map(({ id }) => id))
  return all.filter(
    (each) =>
      each.status !== 'down' &&
      !isUnseen(each) &&
      (soon.has(each.id) || each.state === 'confirming' || each.state === 'late'),
  ).length
}

/** One sentence: what is down or up, and what needs attention soon. */
export function leadOf(facts: OverviewFacts): Said {
  const count = attention(facts)
  const lead = stateOf(facts)
  if (count === 0) return lead
  return (language) => language.words.overview.attention(lead(language), count)
}

function stateOf({ all: monitors, cut }: Counted): Said {
  const down = downOf(monitors).length
  const up = monitors.filter(isUp).length
  const all = monitors.length
  return ({ words }) => {
    if (down > 0) return words.overview.down(down, all, cut)
    return up < all ? words.overview.up(up, all, cut) : words.overview.allUp(all, cut)
  }
}

function summary(facts: OverviewFacts, { base, now }: Frame): Markup {
  const { all, unreached, ending } = facts
  const down = downOf(all)
  const up = all.filter(isUp)
  const newest = all.reduce(
    (last, { last_check_at: at }) => (at !== null && at > last ? at : last),
    '',
  )
  const last = relative(newest, now)
  const parts: readonly Content[] = [
    failingContacts(unreached, base),
    endingText(ending, base),
    down.length > 0 && namesOf(down),
    down.length > 0 &&
      up.length > 0 &&
      (({ words }: Language) => words.overview.countUp(up.length)),
    ...others(all),
    ({ words }: Language) =>
      newest === '' ? words.overview.nothingChecked : words.overview.lastCheck(last),
  ].filter((part) => part !== false)
  return html`${sign(down.length, { up: up.length, unseen: all.filter(isUnseen).length, soon: attention(facts) })}
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

function sign(
  down: number,
  { up, unseen, soon }: { up: number; unseen: number; soon: number },
): Markup {
  if (down > 0) return icon('cross', 'bad')
  if (unseen > 0) return icon('dash', 'warn')
  if (soon > 0) return icon('alert', 'warn')
  return up > 0 ? icon('check', 'good') : icon('dots', 'quiet')
}

function namesOf(down: readonly MonitorSummary[]): Content {
  const named = down.slice(0, NAMED).map(({ name }, at) => [at > 0 && ', ', foreign(name)])
  return [named, more(down.length - NAMED)]
}

/** The monitors that are neither up nor down, by state. */
function others(all: readonly MonitorSummary[]): readonly Said[] {
  const rest = all.filter((each) => !isUnseen(each))
  const counted = (count: number, state: MonitorState | 'stale'): readonly Said[] => {
    const { short } = stateWords(state)
    return count === 0 ? [] : [(language) => `${language.number(count)} ${short(language)}`]
  }
  return [
    ...counted(all.length - rest.length, 'stale'),
    ...MONITOR_STATES.flatMap((state) => {
      const isOther = (each: MonitorSummary): boolean =>
        each.state === state && each.status !== 'up' && each.status !== 'down'
      return counted(rest.filter(isOther).length, state)
    }),
  ]
}
