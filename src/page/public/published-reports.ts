/**
 * Reports of a public page beyond the newest ones.
 *
 * @module
 */

import type { StatusReportView } from '../../engine/api/status-reports.ts'
import type { Clock } from '../../clock.ts'
import { unlessGone } from '../../errors.ts'
import { settled } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'
import { spokenFor } from './cached.ts'
import { publicReport, shortened } from './public-facts.ts'
import type { PublicReport } from './public-page.ts'
import type { DrawnReport, PublishedPage } from './published.ts'
import { reportItem } from './reports.ts'

/** Reports per query. */
const STEP = 100

/** Drawn reports of a page that are kept, and how long. */
const MAX_KEPT = 20
const KEPT_MS = 2000

/** Drawn once in two seconds, however many ask. `undefined` for one that is not on this page. */
export function drawnReport(
  page: PublishedPage,
  id: number,
  { clock, language }: { readonly clock: Clock; readonly language: Language },
): Promise<DrawnReport | undefined> {
  const { reports, times, step } = page
  const draw = async (into: Language): Promise<DrawnReport | undefined> => {
    const report = await reportOf(page, id)
    if (report === undefined) return undefined
    await step()
    const { title } = report
    return { title, main: settled(reportItem(report, times, 'heading'), into) }
  }
  const kept = reports.get(id) ?? spokenFor(draw, { clock, ms: KEPT_MS })
  reports.delete(id)
  reports.set(id, kept)
  for (const oldest of reports.keys()) if (reports.size > MAX_KEPT) reports.delete(oldest)
  return kept.get(language)
}

async function reportOf(page: PublishedPage, id: number): Promise<PublicReport | undefined> {
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
