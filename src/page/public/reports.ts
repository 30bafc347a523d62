/**
 * Status reports on a public page, the newest update first.
 *
 * @module
 */

import type { StatusReportView } from '../../engine/api/status-reports.ts'
import type { ReportStatus } from '../../model.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup, Said } from '../layout/markup.ts'
import type { PageTimes } from './page-times.ts'
import { serviceName } from '../layout/service-name.ts'

export interface PublicReport extends Pick<
  StatusReportView,
  'id' | 'title' | 'status' | 'updates' | 'started_at' | 'resolved_at'
> {
  /** Names of the affected services that are on the page. */
  readonly services: readonly string[]
}

function statusText(status: ReportStatus): Said {
  return ({ words }) => words.public.statuses[status]
}

export function reportItem(
  { id, title, status, updates, services }: PublicReport,
  times: PageTimes,
  level: 'heading' | 'part' = 'part',
): Markup {
  const over = status === 'resolved'
  const name =
    level === 'part' ? html`<h3>${foreign(title)}</h3>` : html`<h1>${foreign(title)}</h1>`
  return html`<article class="report ${over ? 'good' : 'bad'}" id="r${id}">
    <div class="bar">
      ${name}
      <span class="state ${over ? 'good' : 'bad'}"
        >${icon(over ? 'check' : 'alert', over ? 'good' : 'bad')}${statusText(status)}</span
      >
    </div>
    ${services.length > 0 && html`<p class="muted">${affected(services)}</p>`}
    <ol class="updates">
      ${updates.toReversed().map(
        (update) =>
          html`<li>
            <strong>${statusText(update.status)}</strong>
            <span class="muted">${times.moment(update.at)}</span>
            ${paragraphs(update.text)}
          </li>`,
      )}
    </ol>
  </article>`
}

function affected(services: readonly string[]): Content {
  const names = services.map((service, at) => [at > 0 && ', ', serviceName(service)])
  return ({ words }) => words.public.affectedBy<Content>(names)
}

/** Plain text: an empty line begins a paragraph. */
function paragraphs(text: string): readonly Markup[] {
  return text
    .split(/\r?\n[ \t]*(?:\r?\n)+/)
    .map((part) => html`<p class="words" dir="auto">${part}</p>`)
}
