/**
 * The types of monitors, to choose one from.
 *
 * @module
 */

import type { TypeView } from '../../engine/api/engine.ts'
import type { Frame } from '../layout/frame.ts'
import { html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'

export function typeList(types: readonly TypeView[], { base }: Frame): Markup {
  return html`<p class="back"><a href="${base}/">Monitors</a></p>
    <h1>New monitor</h1>
    <ul class="types">
      ${types.map(
        ({ type, name, description, available, install }) =>
          html`<li>
            ${available ? html`<a href="${base}/monitors/new?type=${type}">${name}</a>` : html`<strong>${name}</strong>`}
            <p class="muted">
              ${description}${!available && install !== undefined && html`. Not installed: <code>${install}</code>`}
            </p>
          </li>`,
      )}
    </ul>`
}
