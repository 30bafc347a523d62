/**
 * Pages for customers that an account makes at run time, and the reports that it writes on them.
 *
 * @module
 */

import type { VersionedRecord } from './versioned.ts'

/** Colours that a page may set, as custom properties of its style. */
export const PAGE_COLORS = [
  'ground',
  'raised',
  'line',
  'text',
  'muted',
  'accent',
  'good',
  'bad',
  'warn',
  'quiet',
] as const
export type PageColor = (typeof PAGE_COLORS)[number]

/** `#rrggbb`; what is absent has the colour of every page. */
export type PageColors = { readonly [C in PageColor]?: string }

/** Services under one heading. */
export interface PageGroup {
  /** Empty: no heading. */
  readonly name: string
  /** In the order of display. `name` replaces the name of the monitor; empty: none. */
  readonly monitors: readonly { readonly id: number; readonly name: string }[]
  /** All monitors with this tag as well, by name; empty: none. */
  readonly tag: string
}

export interface PublicPageSettings {
  readonly title: string
  /** Lower case; unique in a store. */
  readonly slug: string
  readonly description: string
  readonly groups: readonly PageGroup[]
  /** An https URL, or a `data:` URL of an image; empty: none. */
  readonly logo: string
  readonly colors: { readonly light: PageColors; readonly dark: PageColors }
  readonly css: string
  /** IANA. */
  readonly time_zone: string
  /** Of the password that visitors need, with its salt; absent: the page is open to all. */
  readonly password_hash?: string | undefined
  readonly noindex: boolean
  readonly show_targets: boolean
  readonly show_causes: boolean
}

export type PublicPageRecord = VersionedRecord<PublicPageSettings>

/** How far the work on a report is. */
export const REPORT_STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'] as const
export type ReportStatus = (typeof REPORT_STATUSES)[number]

export interface ReportUpdate {
  readonly at: number
  readonly status: ReportStatus
  readonly text: string
}

/** What people write about a disruption, for the visitors of pages. */
export interface StatusReportSettings {
  readonly title: string
  readonly page_ids: readonly number[]
  /** Monitors that are affected, as far as they are on the page. */
  readonly monitor_ids: readonly number[]
  /** Oldest first; at least one. */
  readonly updates: readonly ReportUpdate[]
}

export type StatusReportRecord = VersionedRecord<StatusReportSettings>
