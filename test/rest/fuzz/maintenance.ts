/** Bodies of planned work: windows of each form that are not open, targets of each kind, and what contradicts itself. */

import fc from 'fast-check'

const DAY_MS = 86_400_000

interface Body {
  readonly json: Readonly<Record<string, unknown>>
}

function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString()
}

/** They open on few days of a year: the monitors of the other requests go on. */
const WINDOWS = [
  { start: inDays(2), end: inDays(3) },
  { start: inDays(700), end: inDays(700.1), skip_checks: true },
  { start: '2090-01-01T00:00:00+02:00', end: '2090-01-02T00:00:00Z' },
  { cron: '0 4 1 1 *', duration_min: 90, time_zone: 'Europe/Berlin' },
  { cron: '@yearly', duration_min: 1 },
  { at: '03:30', duration_min: 1, days: [31], weekdays: ['mon'], skip_checks: true },
  { at: '23:59', duration_min: 2, days: [31], time_zone: 'Australia/Lord_Howe' },
]

const REFUSED_WINDOWS = [
  { cron: '* * * * *', duration_min: 1 },
  { cron: '0 3 * * *', duration_min: 1440 },
  { cron: '0 3 30 2 *', duration_min: 1 },
  { cron: '0 3 * * *', duration_min: 1, at: '03:00' },
  { start: inDays(3), end: inDays(2) },
  { start: inDays(1), end: inDays(100) },
  { start: inDays(800), end: inDays(801) },
  { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
  { start: '2026-02-30T00:00:00', end: 1 },
  { at: '24:00', duration_min: 0, weekdays: ['someday'], days: [0] },
  { at: '03:00', duration_min: 1, time_zone: 'Europe/Nowhere' },
]

const TARGETS = [
  { all_monitors: true },
  { tags: ['shop'] },
  { tags: 'shop, ä' },
  { monitor_ids: [1] },
  { monitor_ids: [1, 1, 2], tags: ['SHOP', 'shop'] },
]

const REFUSED_TARGETS = [
  {},
  { all_monitors: false, tags: [], monitor_ids: null },
  { monitor_ids: [Number.MAX_SAFE_INTEGER] },
  { monitor_ids: Array.from({ length: 201 }, (_, n) => n + 1) },
  { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) },
]

const NAMES = ['Database', ' <b>Disks</b> ', '漢😀', 'x'.repeat(200)]

const mostly = <T>(good: readonly T[], refused: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...refused) },
  )

const whole: fc.Arbitrary<Body> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    window: mostly<object>(WINDOWS, REFUSED_WINDOWS),
    target: mostly<object>(TARGETS, REFUSED_TARGETS),
  })
  .map(({ name, window, target }) => ({ json: { name, window, ...target } }))

/** `change`: a few of the fields. */
export function maintenance(change: boolean): fc.Arbitrary<Body> {
  if (!change) return whole
  return fc.tuple(whole, fc.integer({ min: 0, max: 4 })).map(([{ json }, first]) => ({
    json: Object.fromEntries(Object.entries(json).slice(first, first + 2)),
  }))
}
