/**
 * Status reports, what people write on public pages about a disruption, in the public API of the engine.
 *
 * @module
 */

import type { ReportStatus } from '../../model.ts'
import type { Page, PageOptions, VersionOptions } from './filters.ts'

export interface StatusReportInput {
  /** 1 to 200 characters. */
  readonly title: string
  /** Public pages of the account that show it, 1 to 50. */
  readonly page_ids: readonly number[]
  /** Monitors that are affected, at most 100; a page names those that it shows. */
  readonly monitor_ids?: readonly number[] | null | undefined
  /** Of the first update; default `investigating`. */
  readonly status?: ReportStatus | null | undefined
  /** The first update: plain text of 1 to 5000 characters. */
  readonly text: string
}

/** `null` resets a field, `undefined` keeps it. Updates are added with `addUpdate`. */
export type StatusReportPatch = Partial<
  Pick<StatusReportInput, 'title' | 'page_ids' | 'monitor_ids'>
>

export interface ReportUpdateInput {
  readonly status: ReportStatus
  /** Plain text of 1 to 5000 characters; line breaks are kept. */
  readonly text: string
}

export interface ReportUpdateView {
  readonly at: string
  readonly status: ReportStatus
  readonly text: string
}

export interface StatusReportView {
  readonly id: number
  readonly title: string
  readonly page_ids: readonly number[]
  readonly monitor_ids: readonly number[]
  /** Of the newest update. */
  readonly status: ReportStatus
  /** Oldest first. */
  readonly updates: readonly ReportUpdateView[]
  readonly started_at: string
  /** `null` until the newest update says `resolved`. */
  readonly resolved_at: string | null
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}

export interface StatusReportFilter extends PageOptions {
  /** Those on this page. */
  readonly page_id?: number | undefined
  /** Not resolved, or resolved. */
  readonly open?: boolean | undefined
}

/** An account keeps at most 500 reports unless its quota `status_reports` says otherwise; a report has at most 50 updates. */
export interface StatusReportServices {
  /** @throws ValidationError with every problem at once, ConflictError `quota` */
  create(input: StatusReportInput): Promise<StatusReportView>
  get(id: number): Promise<StatusReportView>
  /** Newest first. */
  list(filter?: StatusReportFilter): Promise<Page<StatusReportView>>
  update(id: number, patch: StatusReportPatch, options?: VersionOptions): Promise<StatusReportView>
  /** Adds an update; one that is not `resolved` opens a resolved report again. @throws ConflictError `quota` */
  addUpdate(
    id: number,
    update: ReportUpdateInput,
    options?: VersionOptions,
  ): Promise<StatusReportView>
  remove(id: number, options?: VersionOptions): Promise<void>
}
