/**
 * The schemas of public pages and status reports.
 *
 * @module
 */

import type { PublicPageView } from '../../engine/api/public-pages.ts'
import type { PageColors, PageGroup } from '../../model.ts'
import type { ReportUpdateView, StatusReportView } from '../../engine/api/status-reports.ts'
import { PAGE_COLORS, REPORT_STATUSES } from '../../model/public-page.ts'
import { arrayOf, flag, integer, nullable, object, text, time, word } from './schemas.ts'
import type { Schema } from './schemas.ts'

const colors = object<PageColors>(
  Object.fromEntries(PAGE_COLORS.map((name) => [name, text('`#rrggbb`')])) as Readonly<
    Record<keyof PageColors, Schema>
  >,
  { optional: PAGE_COLORS },
)

export const PUBLIC_PAGE_VIEWS: Readonly<Record<'PublicPage' | 'StatusReport', Schema>> = {
  PublicPage: object<PublicPageView>({
    id: integer('Positive, never used twice'),
    title: text(),
    slug: text('The page is at `/status/<slug>`'),
    description: text(),
    groups: arrayOf(
      object<PageGroup>({
        name: text('Empty: no heading'),
        monitors: arrayOf(
          object({ id: integer(), name: text('On the page; empty: that of the monitor') }),
        ),
        tag: text('All monitors with it as well; empty: none'),
      }),
    ),
    logo: text('Empty: none'),
    colors: object({ light: colors, dark: colors }),
    css: text(),
    time_zone: text('IANA'),
    password: nullable(text('`***` if there is one')),
    noindex: flag(),
    show_targets: flag(),
    show_causes: flag(),
    version: integer('Raised by every change; `If-Match` compares it'),
    created_at: time(),
    updated_at: time(),
  }),
  StatusReport: object<StatusReportView>({
    id: integer('Positive, never used twice'),
    title: text(),
    page_ids: arrayOf(integer()),
    monitor_ids: arrayOf(integer()),
    status: word(REPORT_STATUSES, 'Of the newest update'),
    updates: arrayOf(
      object<ReportUpdateView>({ at: time(), status: word(REPORT_STATUSES), text: text() }),
    ),
    started_at: time(),
    resolved_at: nullable(time('`null` until it is resolved')),
    version: integer('Raised by every change; `If-Match` compares it'),
    created_at: time(),
    updated_at: time(),
  }),
}
