/**
 * What can be done with several monitors of the overview.
 *
 * @module
 */

import { html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { queryOf } from './filter.ts'
import type { Wanted } from './filter.ts'

/** The form of which the boxes in the rows are part. */
export const BULK_FORM = 'several'

/** What can be done with the marked rows. */
export function bulkBar(
  wanted: Wanted,
  { base, found }: { readonly base: string; readonly found: number },
): Markup {
  return html`<form
    id="${BULK_FORM}"
    method="post"
    action="${base}/monitors/several${queryOf(wanted, wanted.page)}"
    class="several"
    aria-label="${({ words }) => words.overview.marked}"
  >
    <label class="checkbox"
      ><input type="checkbox" name="all" />${({ words }) => words.overview.allOf(found)}</label
    >
    <span class="muted">${({ words }) => words.overview.orMarked}</span>
    <button class="small" name="do" value="pause">${({ words }) => words.overview.pause}</button>
    <button class="small" name="do" value="resume">${({ words }) => words.overview.resume}</button>
    <button class="small" name="do" value="acknowledge">
      ${({ words }) => words.overview.acknowledge}
    </button>
  </form>`
}
