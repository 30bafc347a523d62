/**
 * Emits the event `published`: what is new on public pages, for hosts that tell subscribers. Pages are only read if
 * the event has a listener.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { MonitorRecord, PublicPageRecord } from '../../model.ts'
import { coverageOf } from '../../model/coverage.ts'
import type { EngineEvents, PublishedChange } from '../api/events.ts'
import type { MaintenanceView } from '../api/maintenance.ts'
import type { StatusReportView } from '../api/status-reports.ts'
import { emit } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import { MAX_SERVICES } from '../registry/public-page-fields.ts'

/** Pages per query. */
const STEP = 50

type PublishedPage = EngineEvents['published']['pages'][number]

export async function publishReport(
  core: Core,
  {
    account_id,
    report,
    change,
  }: {
    readonly account_id: number
    readonly report: StatusReportView
    readonly change: PublishedChange
  },
): Promise<void> {
  if (core.events.listenerCount('published') === 0) return
  const pages: PublishedPage[] = []
  for (const id of report.page_ids) {
    const record = await core.store.publicPages.get(id)
    if (record?.account_id === account_id) pages.push(publishedPage(record))
  }
  if (pages.length > 0) emit(core, 'published', { account_id, change, pages, report })
}

function publishedPage({ id, settings }: PublicPageRecord): PublishedPage {
  const { slug, title, password_hash } = settings
  return { id, slug, title, has_password: password_hash !== undefined }
}

interface PublishedMaintenance {
  readonly account_id: number
  readonly view: MaintenanceView
  readonly change: PublishedChange
}

/** On every page that shows a monitor which the window covers. */
export async function publishMaintenance(
  core: Core,
  { account_id, view, change }: PublishedMaintenance,
): Promise<void> {
  if (core.events.listenerCount('published') === 0) return
  const pages: PublishedPage[] = []
  const yieldIfLong = yielderOf(core.clock)
  const covered = new Map<number, boolean>()
  const isInWindow = coverageOf(view)
  const covers = ({ id, common }: MonitorRecord): boolean => isInWindow({ id, tags: common.tags })
  async function isCovered(id: number): Promise<boolean> {
    const monitor = await core.store.monitors.get(id)
    return monitor?.account_id === account_id && covers(monitor)
  }
  async function shows({ settings: { groups } }: PublicPageRecord): Promise<boolean> {
    for (const { monitors, tag } of groups) {
      for (const { id } of monitors) {
        await yieldIfLong()
        const known = covered.get(id) ?? (await isCovered(id))
        covered.set(id, known)
        if (known) return true
      }
      const query = { account_id, tags: [[tag]], limit: MAX_SERVICES }
      if (
        tag !== '' &&
        (await core.store.monitors.list(query, setAside(core, 'monitor'))).some(covers)
      )
        return true
    }
    return false
  }
  for (let after_id = 0; ;) {
    const step = await core.store.publicPages.list(
      { account_id, after_id, limit: STEP },
      setAside(core, 'page'),
    )
    for (const page of step) if (await shows(page)) pages.push(publishedPage(page))
    const last = step.at(-1)
    if (last === undefined || step.length < STEP) break
    after_id = last.id
  }
  if (pages.length > 0) emit(core, 'published', { account_id, change, pages, maintenance: view })
}
