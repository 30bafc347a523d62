/**
 * Numbers, times and states as texts. Pure; used on every page.
 *
 * @module
 */

import type { BuiltinPhase, EpochMs, MonitorState, Phase, Verdict } from '../../model.ts'
import { ENGLISH } from '../words/language.ts'
import { html } from './markup.ts'
import type { Markup, Said } from './markup.ts'

/** The tone of a state, shown as colour and shape beside its word. */
export type Tone = 'good' | 'bad' | 'warn' | 'quiet'

export interface StateWords {
  readonly label: Said
  readonly tone: Tone
  /** An explanation for a reader who sees the label for the first time. */
  readonly meaning: Said
  /** Within a sentence. */
  readonly short: Said
}

const STATE_TONES: Readonly<Record<MonitorState | 'stale', Tone>> = {
  up: 'good',
  down: 'bad',
  confirming: 'warn',
  recovering: 'warn',
  late: 'warn',
  pending: 'quiet',
  maintenance: 'quiet',
  paused: 'quiet',
  // For a monitor that would be shown as good although its state is unknown.
  stale: 'warn',
}

export function stateWords(state: MonitorState | 'stale'): StateWords {
  return {
    tone: STATE_TONES[state],
    label: ({ words }) => words.common.states[state].label,
    meaning: ({ words }) => words.common.states[state].meaning,
    short: ({ words }) => words.common.states[state].short,
  }
}

/** The words of a monitor's state: a stale monitor is never shown as good. */
export function shownAs({ state, stale }: Shown): StateWords {
  return stateWords(isUnseen({ state, stale }) ? 'stale' : state)
}

export interface Shown {
  readonly state: MonitorState
  readonly stale: boolean
}

/** Whether the monitor is stale and its state would otherwise be good or pending. */
export function isUnseen({ state, stale }: Shown): boolean {
  return stale && ['up', 'late', 'confirming', 'pending'].includes(state)
}

export const VERDICT_TONES: Readonly<Record<Verdict, Tone>> = {
  ok: 'good',
  fail: 'bad',
  unknown: 'quiet',
}

const PHASES = Object.keys(ENGLISH.words.common.phases) as readonly BuiltinPhase[]

const isBuiltin = (phase: Phase): phase is BuiltinPhase =>
  Object.hasOwn(ENGLISH.words.common.phases, phase)

/** A phase of a custom checker is shown by its own name. */
export function phaseWord(phase: Phase): Said {
  return ({ words }) => (isBuiltin(phase) ? words.common.phases[phase] : phase)
}

/** CSS class for the colour; phases of custom checkers share one. */
export function phaseClass(phase: Phase): string {
  return isBuiltin(phase) ? phase : 'own'
}

/** In the order in which phases take place, those of custom checkers last. */
export function inOrder(phases: Iterable<Phase>): readonly Phase[] {
  const present = new Set(phases)
  const builtin = PHASES.filter((phase) => present.has(phase))
  return [...builtin, ...[...present].filter((phase) => !isBuiltin(phase))]
}

/** `12 s ago`, `in 5 min`, with the exact time as title. The script of the page keeps it up to date. */
export function relative(iso: string, now: EpochMs): Markup {
  const text: Said = (language) => language.relative(iso, now)
  return html`<time datetime="${iso}" title="${iso}" data-ago>${text}</time>`
}

/** A time that the script turns to the zone of the viewer: UTC as it stands. */
export function moment(iso: string): Markup {
  const text: Said = (language) => language.moment(iso)
  return html`<time datetime="${iso}" title="${iso}" data-at="moment">${text}</time>`
}

/** Hours and minutes, and the day if it is not `shown`: a day that stands beside it, or the one of another time. */
export function timeOfDay(iso: string, shown: string): Markup {
  const same = iso.slice(0, 10) === shown.slice(0, 10)
  const text: Said = (language) => (same ? iso.slice(11, 16) : language.moment(iso))
  const at = html`datetime="${iso}" title="${iso}"`
  return html`<time ${at} data-at="time" data-beside="${shown}">${text}</time>`
}

/** With seconds, and without the day if it is that of `now`: for lists of checks. */
export function clockTime(iso: string, now: EpochMs): Markup {
  const today = new Date(now).toISOString().slice(0, 10) === iso.slice(0, 10)
  const text: Said = ({ dayOfYear }) => `${today ? '' : `${dayOfYear(iso)}, `}${iso.slice(11, 19)}`
  return html`<time datetime="${iso}" title="${iso}" data-at="clock">${text}</time>`
}

/** The zone of the times beside it; the script says which one when it has turned them. */
export const ZONE: Markup = html`<span data-zone>UTC</span>`
