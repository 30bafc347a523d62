/**
 * Icons. Each state has a shape of its own, so that colour is not needed to distinguish them; screen readers use the
 * word beside it.
 *
 * @module
 */

import type { MonitorState, Verdict } from '../../model.ts'
import { html } from './markup.ts'
import type { Markup } from './markup.ts'
import { isUnseen, shownAs, VERDICT_TONES } from './words.ts'
import type { Shown, Tone } from './words.ts'

const SHAPES = {
  check: html`<circle cx="8" cy="8" r="7" class="solid" /><path
      d="M4.8 8.3l2.2 2.2 4.2-4.6"
      class="cut"
    />`,
  cross: html`<path d="M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2z" class="solid" /><path
      d="M5.4 5.4l5.2 5.2m0-5.2l-5.2 5.2"
      class="cut"
    />`,
  alert: html`<path d="M8 1.2l7.2 13H.8z" class="solid" /><path d="M8 6v3.6m0 2v.6" class="cut" />`,
  arrow: html`<circle cx="8" cy="8" r="7" class="solid" /><path
      d="M8 11.6V4.6M4.9 7.6L8 4.5l3.1 3.1"
      class="cut"
    />`,
  clock: html`<circle cx="8" cy="8" r="7" class="solid" /><path
      d="M8 4.2V8l2.6 1.8"
      class="cut"
    />`,
  dots: html`<circle cx="8" cy="8" r="6.2" class="line" stroke-dasharray="2.4 2.47" />`,
  bars: html`<rect x="1" y="1" width="14" height="14" rx="4" class="solid" /><path
      d="M6 5.2v5.6m4-5.6v5.6"
      class="cut"
    />`,
  tool: html`<rect x="1" y="1" width="14" height="14" rx="4" class="solid" /><path
      d="M4.6 8h6.8M8 4.6v6.8"
      class="cut"
    />`,
  dash: html`<circle cx="8" cy="8" r="6.2" class="line" /><path d="M5.4 8h5.2" class="line" />`,
} as const

const OF_STATE: Readonly<Record<MonitorState, keyof typeof SHAPES>> = {
  up: 'check',
  down: 'cross',
  confirming: 'alert',
  recovering: 'arrow',
  late: 'clock',
  pending: 'dots',
  maintenance: 'tool',
  paused: 'bars',
}

const OF_VERDICT: Readonly<Record<Verdict, keyof typeof SHAPES>> = {
  ok: 'check',
  fail: 'cross',
  unknown: 'dash',
}

export function icon(shape: keyof typeof SHAPES, tone: Tone): Markup {
  return html`<svg
    class="icon ${tone}"
    viewBox="0 0 16 16"
    width="16"
    height="16"
    aria-hidden="true"
  >
    ${SHAPES[shape]}
  </svg>`
}

export function stateIcon(shown: Shown): Markup {
  return icon(isUnseen(shown) ? 'dash' : OF_STATE[shown.state], shownAs(shown).tone)
}

export function verdictIcon(verdict: Verdict): Markup {
  return icon(OF_VERDICT[verdict], VERDICT_TONES[verdict])
}

/** Icon and word of a state. */
export function stateLabel(shown: Shown): Markup {
  const { label, meaning, tone } = shownAs(shown)
  return html`<span class="state ${tone}" title="${meaning}">${stateIcon(shown)}${label}</span>`
}

/** The logo, a heartbeat in a ring. Also the favicon. */
export const BRAND: Markup = html`<svg
  class="brand"
  viewBox="0 0 24 24"
  width="24"
  height="24"
  aria-hidden="true"
>
  <rect width="24" height="24" rx="7" fill="#1f7a54" />
  <path
    d="M4 12.6h3.6l2.3-5.4 3.9 10 2.4-6.2 1 1.6H20"
    fill="none"
    stroke="#fff"
    stroke-width="1.9"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`

/** The favicon while something is down: another colour and another shape. */
export const ALARM: Markup = html`<svg class="brand" viewBox="0 0 24 24" width="24" height="24">
  <path d="M7 0h10l7 7v10l-7 7H7l-7-7V7z" fill="#c6303c" />
  <path d="M12 5v8.5m0 4.2v.6" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" />
</svg>`
