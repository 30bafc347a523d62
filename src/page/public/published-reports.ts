/**
 * Reports of a public page beyond the newest ones.
 *
 * @module
 */

import type { StatusReportView } from '../../engine/api/status-reports.ts'
import { unlessGone } from '../../errors.ts'
import { publicReport, shortened } from './public-facts.ts'
import type { PublicReport } from './public-page.ts'
import type { PublishedPage } from './published.ts'

/** Reports per query. */
const STEP = 100

/** `undefined` for one that is not on this page. */
export async function reportOf(page: PublishedPage, id: number): Promise<PublicReport | undefined> {
  const { facts, scope, record, inTurn } = page
  const { reports } = await facts.get()
  const known = reports.find((report) => report.id === id)
  if (known !== undefined && known.updates.length > 1) return known
  // Older, or shortened.
  const whole = await inTurn(() => scope.statusReports.get(id).catch(unlessGone))
  if (whole?.page_ids.includes(record.id) !== true) return undefined
  return shown(page, whole)
}

/** Those that began in this month of the page's time zone, the newest first, a hundred at most. */
export async function reportsOf(
  page: PublishedPage,
  month: string,
): Promise<readonly PublicReport[]> {
  const { scope, record, times } = page
  const found: StatusReportView[] = []
  for (let after: number | null | undefined; after !== null;) {
    const query = { page_id: record.id, limit: STEP, ...(after === undefined ? {} : { after }) }
    const { items, next } = await scope.statusReports.list(query)
    found.push(...items.filter(({ started_at }) => times.local(started_at).startsWith(month)))
    const last = items.at(-1)
    // Ids rise with the time of creation.
    const isOver = last === undefined || times.local(last.started_at).slice(0, 7) < month
    after = isOver ? null : next
  }
  const newest = shortened(found.slice(0, STEP))
  return Promise.all(newest.map((report) => shown(page, report)))
}

async function shown({ groups, look }: PublishedPage, report: StatusReportView) {
  const monitors = (await groups.get()).flatMap((group) => group.monitors)
  const naming = { show_targets: look.show_targets === true, names: look.names ?? new Map() }
  return publicReport(report, monitors, naming)
}
