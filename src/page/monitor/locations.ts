/**
 * The last result of each location.
 *
 * @module
 */

import type { LocationStatus } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { relative } from '../layout/words.ts'
import type { Language } from '../words/language.ts'

const STATUS: Readonly<Record<LocationStatus['status'], Markup>> = {
  up: html`${icon('check', 'good')}${({ words }) => words.monitor.up}`,
  down: html`${icon('cross', 'bad')}${({ words }) => words.monitor.down}`,
  unknown: html`${icon('dash', 'quiet')}${({ words }) => words.monitor.unknown}`,
}

export function locationTable(locations: readonly LocationStatus[], now: EpochMs): Markup {
  return html`<div
    class="wide"
    tabindex="0"
    role="group"
    aria-label="${({ words }) => words.monitor.locations}"
  >
    <table>
      <thead>
        <tr>
          <th scope="col">${({ words }) => words.monitor.atLocation}</th>
          <th scope="col">${({ words }) => words.monitor.state}</th>
          <th scope="col" class="number">${({ words }) => words.monitor.time}</th>
          <th scope="col">${({ words }) => words.monitor.interval}</th>
        </tr>
      </thead>
      <tbody>
        ${locations.map(
          ({ name, status, response_ms, last_check_at, cause_text }) =>
            html`<tr>
              <th scope="row">${foreign(name)}</th>
              <td>
                <span class="what">${STATUS[status]}</span
                >${status !== 'up' && cause_text !== null && html`<br /><span class="muted cause">${foreign(cause_text)}</span>`}
              </td>
              <td class="number">${({ ms }) => ms(response_ms)}</td>
              <td>
                ${last_check_at === null ? ({ words }: Language) => words.common.never : relative(last_check_at, now)}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}
