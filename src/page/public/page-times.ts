/**
 * Times of a public page in its time zone.
 *
 * @module
 */

import { dayText, momentText } from '../layout/words.ts'
import { html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'

export interface PageTimes {
  readonly time_zone: string
  /** The same time as the clocks of the zone show it: `2026-03-03T14:05`. */
  local(iso: string): string
  /** `3 Mar 2026, 14:05`, with the exact time as title. */
  moment(iso: string): Markup
  /** Without the day if it is that of `other`. */
  within(iso: string, other: string): Markup
  /** `3 Mar 2026` */
  day(iso: string): string
}

export function timesIn(time_zone: string): PageTimes {
  const local = localOf(time_zone)
  const marked = (iso: string, text: string): Markup =>
    html`<time datetime="${iso}" title="${iso}">${text}</time>`
  const moment = (iso: string): Markup => marked(iso, momentText(local(iso)))
  return {
    time_zone,
    local,
    moment,
    within: (iso, other) =>
      local(iso).slice(0, 10) === local(other).slice(0, 10)
        ? marked(iso, local(iso).slice(11, 16))
        : moment(iso),
    day: (iso) => dayText(local(iso)),
  }
}

function localOf(time_zone: string): PageTimes['local'] {
  if (time_zone === 'UTC') return (iso) => iso.slice(0, 16)
  const digits = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: time_zone,
    year: 'numeric',
    ...digits,
    hourCycle: 'h23',
  })
  return (iso) => {
    const parts = format.formatToParts(Date.parse(iso)).map(({ type, value }) => [type, value])
    const { year, month, day, hour, minute } = Object.fromEntries(parts) as Record<string, string>
    return `${year}-${month}-${day}T${hour}:${minute}`
  }
}
