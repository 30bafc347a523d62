/**
 * Times of a public page: in the time zone that it was given, or in UTC, which the script turns to the zone of the
 * viewer.
 *
 * @module
 */

import { moment, timeOfDay } from '../layout/words.ts'
import { html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'

export interface PageTimes {
  readonly time_zone: string
  /** The same time as the clocks of the zone show it: `2026-03-03T14:05`. */
  local(iso: string): string
  /** Its day: `2026-03-03`. */
  date(iso: string): string
  /** `3 Mar 2026, 14:05`, with the exact time as title. */
  moment(iso: string): Markup
  /** Without the day if it is that of `other`. */
  within(iso: string, other: string): Markup
  /** Below a heading with its day. */
  onItsDay(iso: string): Markup
}

export function timesIn(time_zone: string): PageTimes {
  const local = localOf(time_zone)
  const date = (iso: string): string => local(iso).slice(0, 10)
  if (time_zone === 'UTC') {
    const onItsDay = (iso: string): Markup => timeOfDay(iso, date(iso))
    return { time_zone, local, date, moment, within: timeOfDay, onItsDay }
  }
  const marked = (iso: string, text: Content): Markup =>
    html`<time datetime="${iso}" title="${iso}">${text}</time>`
  const whole = (iso: string): Markup => marked(iso, (language) => language.moment(local(iso)))
  const onItsDay = (iso: string): Markup => marked(iso, local(iso).slice(11, 16))
  return {
    ...{ time_zone, local, date, onItsDay },
    moment: whole,
    within: (iso, other) => (date(iso) === date(other) ? onItsDay(iso) : whole(iso)),
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
