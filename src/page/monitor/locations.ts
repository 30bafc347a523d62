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
import { msText, relative } from '../layout/words.ts'

const STATUS: Readonly<Record<LocationStatus['status'], Markup>> = {
  up: html`${icon('check', 'good')}Up`,
  down: html`${icon('cross', 'bad')}Down`,
  unknown: html`${icon('dash', 'quiet')}Unknown`,
}

export function locationTable(locations: readonly LocationStatus[], now: EpochMs): Markup {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Locations">
    <table>
      <thead>
        <tr>
          <th scope="col">Location</th>
          <th scope="col">State</th>
          <th scope="col" class="number">Time</th>
          <th scope="col">Checked</th>
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
              <td class="number">${msText(response_ms)}</td>
              <td>${last_check_at === null ? 'never' : relative(last_check_at, now)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}
