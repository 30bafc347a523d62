/**
 * One bar per day. The lower part of a bar shows the downtime, with a visible minimum; a day without data is a stub.
 * The text alternative names the days with downtime.
 *
 * @module
 */

import type { AvailabilityDay, AvailabilityView } from '../../engine/services/uptime.ts'
import type { Language } from '../words/language.ts'
import { html, settled } from './markup.ts'
import type { Markup, Said } from './markup.ts'

const HEIGHT = 32
const STEP = 6
const WIDTH = 4
const STUB = 8

export interface BarsOptions {
  /** The name for the text alternative. */
  readonly name: string | Said
  /** Every day has a tooltip, not only days with downtime. Default `false`. */
  readonly each_day?: boolean
  /** How the tooltip of a day is drawn; those of many services are alike. */
  readonly tooltip?: Tooltip
  /** When the monitor was created, in ISO 8601: earlier days are left empty. */
  readonly since?: string
}

/** `x`: where the bar of the day begins. */
type Tooltip = (day: AvailabilityDay, x: number) => Markup

export function bars(
  { days, overall }: Pick<AvailabilityView, 'days' | 'overall'>,
  options: BarsOptions,
): Markup {
  const { name, each_day = false, since = '', tooltip = tooltipOf } = options
  const width = days.length * STEP - (STEP - WIDTH)
  const drawn = days.map((day, at) => ({
    day,
    x: at * STEP,
    parts: day.date < since.slice(0, 10) ? {} : partsOf(day, at * STEP),
  }))
  const spoken = drawn.filter(
    ({ day, parts }) => (each_day && Object.keys(parts).length > 0) || day.down_sec > 0,
  )
  // One path per kind, which keeps ninety bars for twenty-five monitors small.
  const path = (kind: Kind): Markup | false => {
    const d = drawn.map(({ parts }) => parts[kind] ?? '').join('')
    return d !== '' && html`<path class="${kind}" d="${d}" />`
  }
  const label = alternative(days, overall, name)
  return html`<svg
    class="bars"
    viewBox="0 0 ${width} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    ${KINDS.map(path)}${spoken.map(({ day, x }) => tooltip(day, x))}
  </svg>`
}

function tooltipOf(day: AvailabilityDay, x: number): Markup {
  return html`<rect x="${x - 1}" y="0" width="${STEP}" height="${HEIGHT}"
    ><title>${(language) => language.day(day.date)}: ${dayWords(day)}</title></rect
  >`
}

/** Each is written once, for pages on which many services have the same days. */
export function writtenTooltips(language: Language): Tooltip {
  const known = new Map<string, Markup>()
  return (day, x) => {
    const key = `${x} ${day.date} ${dayWords(day)(language)}`
    const tooltip = known.get(key) ?? settled(tooltipOf(day, x), language)
    known.set(key, tooltip)
    return tooltip
  }
}

const KINDS = ['up', 'down', 'none', 'rest'] as const
type Kind = (typeof KINDS)[number]

function partsOf(day: AvailabilityDay, x: number): { readonly [K in Kind]?: string } {
  const { up_sec, down_sec, paused_sec, maintenance_sec } = day
  const known = up_sec + down_sec
  if (known === 0)
    return { [paused_sec + maintenance_sec > 0 ? 'rest' : 'none']: column(x, HEIGHT - STUB, STUB) }
  if (down_sec === 0) return { up: column(x, 0, HEIGHT) }
  const down = lowerPart(down_sec / known)
  const up = HEIGHT - down - 2
  return {
    down: column(x, HEIGHT - down, down),
    ...(up > 0 ? { up: column(x, 0, up) } : {}),
  }
}

function column(x: number, y: number, height: number): string {
  return `M${x} ${y}h${WIDTH}v${height}h-${WIDTH}z`
}

/** Minutes and hours must both be visible: the scale is not linear, one minute is a quarter of the bar. */
function lowerPart(share: number): number {
  return share >= 1 ? HEIGHT : Math.round(HEIGHT * (0.25 + 0.65 * Math.sqrt(share)))
}

export function dayWords({ uptime, down_sec, paused_sec, maintenance_sec }: AvailabilityDay): Said {
  return ({ words: { days }, duration, percent }) => {
    if (uptime === null) {
      if (maintenance_sec > 0) return days.maintenance
      return paused_sec > 0 ? days.paused : days.noData
    }
    return down_sec === 0 ? days.noDowntime : days.downtime(duration(down_sec), percent(uptime))
  }
}

/** Maximum number of days listed in the text alternative. */
const NAMED = 5

function alternative(
  days: readonly AvailabilityDay[],
  overall: number | null,
  name: string | Said,
): Said {
  const known = days.filter(({ uptime }) => uptime !== null)
  const bad = known.filter(({ down_sec }) => down_sec > 0)
  return (language) => {
    const { words, percent, day, duration } = language
    const named = typeof name === 'string' ? name : name(language)
    const lead = words.days.lead(named, days.length)
    if (known.length === 0) return words.days.noDataYet(lead)
    const up = words.days.up(lead, percent(overall), known.length)
    if (bad.length === 0) return words.days.without(up)
    const latest = bad.slice(-NAMED).reverse()
    const list = latest.map(({ date, down_sec }) => `${day(date)} ${duration(down_sec)}`)
    const more = bad.length > NAMED ? words.days.more(bad.length - NAMED) : ''
    return words.days.with(up, list.join(', ') + more)
  }
}
