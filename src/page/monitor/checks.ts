/**
 * Single checks, newest first: location, outcome and phases, with details on demand.
 *
 * @module
 */

import type { TypeView, AccountScope } from '../../engine/api/engine.ts'
import type { ResultView, MonitorView } from '../../engine/api/views.ts'
import type { Page } from '../../engine/api/filters.ts'
import type { EpochMs, Phase, Verdict } from '../../model.ts'
import { verdictIcon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup, Said } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { inWords } from './highlights.ts'
import { clockTime, inOrder, phaseClass, phaseWord, VERDICT_TONES } from '../layout/words.ts'
import type { Frame } from '../layout/frame.ts'

const ROWS = 50

interface ChecksAsk {
  readonly id: number
  readonly verdict: Verdict | undefined
  readonly location_id: number | undefined
  readonly after: number | undefined
}

interface ChecksFound {
  readonly monitor: MonitorView
  readonly results: Page<ResultView>
  readonly type: TypeView | undefined
}

export interface ChecksFacts {
  readonly results: readonly ResultView[]
  readonly locations: ReadonlyMap<number, string>
  readonly type: TypeView | undefined
  readonly now: EpochMs
}

/** The phases of all checks share one scale, so that a slow one stands out. */
export function checkList({ results, locations, type, now }: ChecksFacts): Markup {
  const longest = Math.max(1, ...results.map(lengthOf))
  return html`${legend(results)}
    <ol class="checks">
      ${results.map(
        (result) =>
          html`<li>
            <details id="check-${result.id}">
              <summary>
                <span class="at">${clockTime(result.started_at, now)}</span>
                <span class="where"
                  >${foreign(locations.get(result.location_id) ?? `#${result.location_id}`)}</span
                >
                <span class="what"
                  >${verdictIcon(result.verdict)}<span>${sayVerdict(result)}</span></span
                >
                ${isMeasured(result) && waterfall(result, longest)}
                <span class="took">${({ ms }) => ms(result.response_ms)}</span>
              </summary>
              ${inFull(result, type)}
            </details>
          </li>`,
      )}
    </ol>`
}

function sayVerdict({ verdict, cause_text }: ResultView): Content {
  const label: Said = ({ words }) => words.common.verdicts[verdict]
  if (cause_text === null) return label
  // The icon shows the verdict, which leaves room for the cause.
  return [html`<span class="hidden">${label}: </span>`, foreign(cause_text)]
}

/** Whether there is a bar to draw; without it the cause has its place. */
function isMeasured(result: ResultView): boolean {
  return result.response_ms !== null || phasesOf(result).length > 0
}

/** The length of a check's bar: its response time and the phases that are drawn. */
function lengthOf(result: ResultView): number {
  const phases_ms = phasesOf(result).reduce((sum, [, ms]) => sum + ms, 0)
  return Math.max(result.response_ms ?? 0, phases_ms)
}

const SCALE = 1000

function waterfall(result: ResultView, longest: number): Markup {
  const width = (ms: number): number => Math.round((ms / longest) * SCALE * 10) / 10
  let x = 0
  const parts = phasesOf(result).map(([phase, ms]) => {
    const from = x
    x += width(ms)
    return html`<rect
      x="${from}"
      y="0"
      width="${width(ms)}"
      height="10"
      class="${phaseClass(phase)}"
    />`
  })
  const label: Said = (language) => {
    const { words, ms } = language
    const list = phasesOf(result).map(
      ([phase, took]) => `${phaseWord(phase)(language)} ${ms(took)}`,
    )
    return list.length === 0 ? words.monitor.noPhases : words.monitor.phases(list.join(', '))
  }
  return html`<svg
    class="waterfall"
    viewBox="0 0 ${SCALE} 10"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    <title>${label}</title>
    <rect x="0" y="0" width="${width(lengthOf(result))}" height="10" class="rest" />
    ${parts}
  </svg>`
}

/** In the order in which they take place. */
function phasesOf({ phases }: Pick<ResultView, 'phases'>): readonly (readonly [Phase, number])[] {
  const names = Object.keys(phases).map((name) => name.replace(/_ms$/, ''))
  return inOrder(names).flatMap((phase) => {
    const ms = phases[`${phase}_ms`]
    return ms === undefined ? [] : [[phase, ms] as const]
  })
}

function legend(results: readonly ResultView[]): Markup | false {
  const present = new Set(results.flatMap((result) => phasesOf(result).map(([phase]) => phase)))
  if (present.size === 0) return false
  return html`<p class="legend" aria-hidden="true">
    ${inOrder(present).map((phase) => html`<span><span class="key ${phaseClass(phase)}"></span>${phaseWord(phase)}</span>`)}
  </p>`
}

function inFull(result: ResultView, type: TypeView | undefined): Markup {
  const { cause_code, cause_text, phase, remote_ip, lag_ms, details, duration_ms, response_ms } =
    result
  const meanings = new Map(type?.measurements.map(({ name, description }) => [name, description]))
  const row = (name: string | Said, value: Content, title?: string): Markup =>
    html`<div><dt${title !== undefined && html` title="${title}"`}>${name}</dt><dd>${value}</dd></div>`
  return html`<dl class="full">
    ${cause_code !== null && row(({ words }) => words.monitor.cause, [html`<code>${cause_code}</code> `, foreign(cause_text ?? '')])}
    ${phase !== null && row(({ words }) => words.monitor.phase, phaseWord(phase))}
    ${phasesOf(result).map(([name, ms]) => row(phaseWord(name), (language: Language) => language.ms(ms)))}
    ${
      duration_ms > 0 &&
      duration_ms !== response_ms &&
      row(
        ({ words }) => words.monitor.took,
        ({ ms }: Language) => ms(duration_ms),
      )
    }
    ${remote_ip !== null && row(({ words }) => words.monitor.address, html`<code>${remote_ip}</code>`)}
    ${
      lag_ms >= 1000 &&
      row(
        ({ words }) => words.monitor.late,
        ({ ms }: Language) => ms(lag_ms),
      )
    }
    ${Object.entries(details).map(([name, value]) => value !== undefined && value !== null && row(name, foreign(inWords(value)), meanings.get(name)))}
  </dl>`
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
    <h1>${({ words }) => words.monitor.checks}</h1>
    <form class="filter" action="${path}" method="get">
      <label
        >${({ words }) => words.monitor.result}
        <select name="verdict">
          <option value="">${({ words }) => words.common.all}</option>
          ${(Object.keys(VERDICT_TONES) as Verdict[]).map((verdict) => html`<option value="${verdict}" ${verdict === ask.verdict && html` selected`}>${({ words }) => words.common.verdicts[verdict]}</option>`)}
        </select></label
      >
      ${
        names.size > 1 &&
        html`<label
          >${({ words }) => words.monitor.atLocation}
          <select name="location">
            <option value="">${({ words }) => words.common.all}</option>
            ${[...names].map(([id, name]) => html`<option value="${id}" ${id === ask.location_id && html` selected`}>${name}</option>`)}
          </select></label
        >`
      }
      <button>${({ words }) => words.common.filter}</button>
    </form>
    ${results.items.length === 0 ? html`<p class="empty">${({ words }) => words.monitor.noMatch}</p>` : checkList({ results: results.items, locations: names, type, now })}
    <nav class="pages" aria-label="${({ words }) => words.common.pages}">
      ${ask.after !== undefined && html`<a href="${path}">${({ words }) => words.common.newest}</a>`}${results.next !== null && html`<a href="${path}?${query.toString()}" rel="next">${({ words }) => words.common.older}</a>`}
    </nav>`
}
