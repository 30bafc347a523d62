/**
 * The types of monitors, to choose one from.
 *
 * @module
 */

import type { TypeView } from '../../engine/api/engine.ts'
import type { Frame } from '../layout/frame.ts'
import { english, html } from '../layout/markup.ts'
import type { Content } from '../layout/markup.ts'

export function typeList(types: readonly TypeView[], { base }: Frame): Content {
  return ({ words }) =>
    html`<p class="back"><a href="${base}/">${words.frame.monitors}</a></p>
      <h1>${words.overview.newMonitor}</h1>
      <ul class="types">
        ${types.map(
          ({ type, name, description, available, install }) =>
            html`<li>
              ${available ? html`<a href="${base}/monitors/new?type=${type}">${english(name)}</a>` : html`<strong>${english(name)}</strong>`}
              <p class="muted">
                ${english(description)}${!available && install !== undefined && words.forms.notInstalled(html`<code>${install}</code>`)}
              </p>
            </li>`,
        )}
      </ul>`
}
