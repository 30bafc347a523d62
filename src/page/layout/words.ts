/**
 * Numbers, times and states as texts. Pure; used on every page.
 *
 * @module
 */

import type { BuiltinPhase, EpochMs, MonitorState, Phase, Verdict } from '../../model.ts'
import { html } from './markup.ts'
import type { Markup } from './markup.ts'

/** The tone of a state, shown as colour and shape beside its word. */
export type Tone = 'good' | 'bad' | 'warn' | 'quiet'

export interface StateWords {
  readonly label: string
  readonly tone: Tone
  /** An explanation for a reader who sees the label for the first time. */
  readonly meaning: string
}

export const STATE_WORDS: Readonly<Record<MonitorState, StateWords>> = {
  up: { label: 'Up', tone: 'good', meaning: 'The last check succeeded' },
  down: { label: 'Down', tone: 'bad', meaning: 'An incident is open' },
  confirming: {
    label: 'Confirming',
    tone: 'warn',
    meaning: 'A check failed; the next ones decide whether it is down',
  },
  recovering: {
    label: 'Recovering',
    tone: 'warn',
    meaning: 'A check succeeded; the next ones decide whether it is up',
  },
  late: { label: 'Late', tone: 'warn', meaning: 'A signal is overdue, within its grace' },
  pending: { label: 'Pending', tone: 'quiet', meaning: 'Nothing is known yet' },
  maintenance: { label: 'Maintenance', tone: 'quiet', meaning: 'Planned work' },
  paused: { label: 'Paused', tone: 'quiet', meaning: 'Checks are paused' },
}

/** For a monitor that would be shown as good although its state is unknown (`stale`). */
export const STALE_WORDS: StateWords = {
  label: 'Unknown',
  tone: 'warn',
  meaning: 'No check has been completed for a while',
}

/** The words of a monitor's state: a stale monitor is never shown as good. */
export function shownAs({ state, stale }: Shown): StateWords {
  const words = STATE_WORDS[state]
  return isUnseen({ state, stale }) ? STALE_WORDS : words
}

export interface Shown {
  readonly state: MonitorState
  readonly stale: boolean
}

/** Whether the monitor is stale and its state would otherwise be good or pending. */
export function isUnseen({ state, stale }: Shown): boolean {
  return stale && ['up', 'late', 'confirming', 'pending'].includes(state)
}

export const VERDICT_WORDS: Readonly<
  Record<Verdict, { readonly label: string; readonly tone: Tone }>
> = {
  ok: { label: 'OK', tone: 'good' },
  fail: { label: 'Failed', tone: 'bad' },
  unknown: { label: 'Unknown', tone: 'quiet' },
}

const PHASE_WORDS: Readonly<Record<BuiltinPhase, string>> = {
  resolve: 'DNS',
  connect: 'Connect',
  tls: 'TLS',
  starttls: 'STARTTLS',
  greeting: 'Greeting',
  send: 'Send',
  auth: 'Login',
  query: 'Query',
  first_byte: 'First byte',
  transfer: 'Transfer',
}

const isBuiltin = (phase: Phase): phase is BuiltinPhase => Object.hasOwn(PHASE_WORDS, phase)

/** A phase of a custom checker is shown by its own name. */
export function phaseWord(phase: Phase): string {
  return isBuiltin(phase) ? PHASE_WORDS[phase] : phase
}

/** CSS class for the colour; phases of custom checkers share one. */
export function phaseClass(phase: Phase): string {
  return isBuiltin(phase) ? phase : 'own'
}

/** In the order in which phases take place, those of custom checkers last. */
export function inOrder(phases: Iterable<Phase>): readonly Phase[] {
  const present = new Set(phases)
  const builtin = Object.keys(PHASE_WORDS).filter((phase) => present.has(phase))
  return [...builtin, ...[...present].filter((phase) => !isBuiltin(phase))]
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `42 s`, `12 min`, `3 h 20 min`, `2 d 4 h`. */
export function durationText(sec: number): string {
  if (sec < MINUTE) return `${Math.floor(sec)} s`
  if (sec < HOUR) return `${Math.floor(sec / MINUTE)} min`
  if (sec < DAY) return twoUnits(sec, [HOUR, 'h'], [MINUTE, 'min'])
  return twoUnits(sec, [DAY, 'd'], [HOUR, 'h'])
}

function twoUnits(sec: number, [big, b]: [number, string], [small, s]: [number, string]): string {
  const rest = Math.floor((sec % big) / small)
  return `${Math.floor(sec / big)} ${b}${rest === 0 ? '' : ` ${rest} ${s}`}`
}

/** In one unit; the script of the page uses the same form. */
export function roughly(sec: number): string {
  if (sec < MINUTE) return `${Math.floor(sec)} s`
  if (sec < HOUR) return `${Math.floor(sec / MINUTE)} min`
  if (sec < 2 * DAY) return `${Math.floor(sec / HOUR)} h`
  return `${Math.floor(sec / DAY)} d`
}

/** `0.03 ms`, `8.1 ms`, `143 ms`, `1.24 s`, `21 min 4 s`; a dash if there is none. */
export function msText(ms: number | null): string {
  if (ms === null || ms === 0) return '–'
  if (ms < 0.01) return '< 0.01 ms'
  if (ms < 0.95) return `${ms.toFixed(2)} ms`
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms >= HOUR * 1000) return durationText(ms / 1000)
  if (ms >= MINUTE * 1000) return twoUnits(ms / 1000, [MINUTE, 'min'], [1, 's'])
  return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`
}

/** Truncated, not rounded: 99.9999 never becomes 100. */
export function percentText(percent: number | null): string {
  if (percent === null) return '–'
  if (percent === 100) return '100 %'
  return `${(Math.floor(percent * 100) / 100).toFixed(2)} %`
}

/** `99.987 %`: three decimals, truncated as in {@link percentText}. */
export function uptimeText(percent: number): string {
  return percent === 100 ? '100 %' : `${(Math.floor(percent * 1000) / 1000).toFixed(3)} %`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `3 Mar 2026`, of an ISO date or time. */
export function dayText(iso: string): string {
  const [year = '', month = '', day = ''] = iso.slice(0, 10).split('-')
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? month} ${year}`
}

/** `3 Mar 2026, 14:05`. Always UTC, as the footer of every page says. */
export function momentText(iso: string): string {
  return `${dayText(iso)}, ${iso.slice(11, 16)}`
}

/** `12 s ago`, `in 5 min`, with the exact time as title. The script of the page keeps it up to date. */
export function relative(iso: string, now: EpochMs): Markup {
  const sec = (Date.parse(iso) - now) / 1000
  const text = sec > 0 ? `in ${roughly(sec)}` : `${roughly(-sec)} ago`
  return html`<time datetime="${iso}" title="${iso}" data-ago>${text}</time>`
}

export function moment(iso: string): Markup {
  return html`<time datetime="${iso}" title="${iso}">${momentText(iso)}</time>`
}

/** With seconds, and without the day if it is that of `now`: for lists of checks. */
export function clockTime(iso: string, now: EpochMs): Markup {
  const today = new Date(now).toISOString().slice(0, 10) === iso.slice(0, 10)
  const day = today ? '' : `${dayText(iso).replace(/ \d+$/, '')}, `
  return html`<time datetime="${iso}" title="${iso}">${day}${iso.slice(11, 19)}</time>`
}

/** `1 monitor`, `12 monitors`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}
