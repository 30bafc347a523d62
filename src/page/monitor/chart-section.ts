/**
 * The charts of a monitor, with the choice of their range.
 *
 * @module
 */

import { chart } from '../chart/chart.ts'
import { panelsOf } from '../chart/panels.ts'
import { RANGES } from '../chart/ranges.ts'
import type { Frame } from '../layout/frame.ts'
import { html } from '../layout/markup.ts'
import type { Markup, Said } from '../layout/markup.ts'
import { isSignalled } from './monitor-facts.ts'
import type { MonitorFacts } from './monitor-facts.ts'

export function chartSection(facts: MonitorFacts, frame: Frame): Markup {
  const { chart: data, monitor, type } = facts
  const isResponse = isTimed(facts)
  const name: Said = isResponse ? responseName(facts) : () => type?.charts[0]?.title ?? ''
  const locations = new Map(monitor.locations.map(({ location_id, name }) => [location_id, name]))
  return html`<section aria-labelledby="h-time">
    <div class="bar">
      <h2 id="h-time">${name}</h2>
      ${ranges(facts, frame)}
    </div>
    <div id="chart" data-live>
      ${(language) =>
        chart(
          {
            data,
            panels: panelsOf(
              {
                ...{ data, type, locations },
                response: isResponse ? name(language) : undefined,
              },
              language,
            ),
            title: language.words.monitor.chart(
              name(language),
              language.words.monitor.ranges[data.range],
            ),
            locations: locations.size,
          },
          language,
        )}
    </div>
  </section>`
}

/** The type's name for its response time. */
function responseName({ type }: MonitorFacts): Said {
  const title = type?.highlights.find(({ name }) => name === type.response)?.title
  return ({ words }) => title ?? words.monitor.responseTime
}

/** Whether the type has a response time. */
export function isTimed(facts: MonitorFacts): boolean {
  const { results, chart } = facts
  if (chart.overall.p50_ms !== null || results.some(({ response_ms }) => response_ms !== null))
    return true
  return results.length === 0 && !isSignalled(facts)
}

/** Whether there is anything to chart. */
export function isCharted(facts: MonitorFacts): boolean {
  return isTimed(facts) || (facts.type?.charts ?? []).length > 0
}

function ranges({ monitor, chart }: MonitorFacts, { base }: Frame): Markup {
  return html`<nav class="choices" aria-label="${({ words }) => words.monitor.timeShown}">
    ${RANGES.map((range) => html`<a href="${base}/monitors/${monitor.id}?range=${range}" ${range === chart.range && html` aria-current="true"`}>${({ words }) => words.monitor.shortRanges[range]}</a>`)}
  </nav>`
}
