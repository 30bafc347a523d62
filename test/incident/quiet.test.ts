import { describe, expect, it } from 'vitest'
import { isAlwaysQuiet, quietUntil } from '../../src/incident/quiet.ts'
import type { QuietSpan, Weekday } from '../../src/model.ts'
import { timeZones } from '../../src/model/time.ts'

const NIGHT: QuietSpan = { from: '22:00', to: '07:00', weekdays: [] }

function until(time_zone: string, hours: readonly QuietSpan[], at: string): string | null {
  const end = quietUntil({ time_zone, hours }, Date.parse(at))
  return end === null ? null : new Date(end).toISOString().replace('.000Z', 'Z')
}

describe('quiet time', () => {
  it.each<[string, string | null]>([
    ['2026-01-14T20:59:59Z', null],
    ['2026-01-14T21:00:00Z', '2026-01-15T06:00:00Z'],
    ['2026-01-15T05:59:59Z', '2026-01-15T06:00:00Z'],
    ['2026-01-15T06:00:00Z', null],
    ['2026-07-14T20:00:00Z', '2026-07-15T05:00:00Z'],
  ])('at %s of a night in Berlin ends at %s', (at, end) => {
    expect(until('Europe/Berlin', [NIGHT], at)).toBe(end)
  })

  it('runs on where spans touch or overlap, and belongs to the day that it begins on', () => {
    const hours: QuietSpan[] = [
      { from: '20:00', to: '07:00', weekdays: ['fri'] },
      { from: '00:00', to: '24:00', weekdays: ['sat', 'sun'] },
      { from: '23:00', to: '06:30', weekdays: ['sun'] },
    ]
    expect(until('UTC', hours, '2026-01-16T21:00:00Z')).toBe('2026-01-19T06:30:00Z')
    expect(until('UTC', hours, '2026-01-15T21:00:00Z')).toBeNull()
    expect(until('UTC', hours, '2026-01-16T03:00:00Z')).toBeNull()
  })

  it('is a whole day where a span ends at the time at which it begins', () => {
    const monday: QuietSpan = { from: '08:00', to: '08:00', weekdays: ['mon'] }
    expect(until('UTC', [monday], '2026-01-12T07:59:00Z')).toBeNull()
    expect(until('UTC', [monday], '2026-01-12T08:00:00Z')).toBe('2026-01-13T08:00:00Z')
  })

  it('has an end even if its spans have none', () => {
    const always: QuietSpan = { from: '00:00', to: '24:00', weekdays: [] }
    expect(until('UTC', [always], '2026-01-12T08:00:00Z')).not.toBeNull()
  })
})

/** Time zone, from and to, a time within, and the end; the changes are those of the tz database. */
describe('a change of the offset', () => {
  it.each<[what: string, zone: string, from: string, to: string, at: string, end: string | null]>([
    // Berlin, 29 March 2026: 02:00 becomes 03:00 at 01:00Z.
    [
      'a short night',
      'Europe/Berlin',
      '22:00',
      '07:00',
      '2026-03-28T21:00:00Z',
      '2026-03-29T05:00:00Z',
    ],
    [
      'an end that is skipped',
      'Europe/Berlin',
      '22:00',
      '02:30',
      '2026-03-29T00:59:00Z',
      '2026-03-29T01:30:00Z',
    ],
    [
      'a begin that is skipped',
      'Europe/Berlin',
      '02:30',
      '05:00',
      '2026-03-29T01:30:00Z',
      '2026-03-29T03:00:00Z',
    ],
    [
      'before a begin that is skipped',
      'Europe/Berlin',
      '02:30',
      '05:00',
      '2026-03-29T01:29:59Z',
      null,
    ],
    ['a span that is skipped', 'Europe/Berlin', '02:30', '03:00', '2026-03-29T01:00:00Z', null],
    [
      'a day of 23 hours',
      'Europe/Berlin',
      '00:00',
      '24:00',
      '2026-03-28T23:00:00Z',
      '2026-03-29T22:00:00Z',
    ],
    // Berlin, 25 October 2026: 03:00 becomes 02:00 at 01:00Z.
    [
      'a long night',
      'Europe/Berlin',
      '22:00',
      '07:00',
      '2026-10-24T20:00:00Z',
      '2026-10-25T06:00:00Z',
    ],
    [
      'an end that occurs twice',
      'Europe/Berlin',
      '22:00',
      '02:30',
      '2026-10-25T00:00:00Z',
      '2026-10-25T00:30:00Z',
    ],
    ['its second time', 'Europe/Berlin', '22:00', '02:30', '2026-10-25T01:15:00Z', null],
    [
      'a begin that occurs twice',
      'Europe/Berlin',
      '02:30',
      '05:00',
      '2026-10-25T00:30:00Z',
      '2026-10-25T04:00:00Z',
    ],
    // New York, 8 March and 1 November 2026.
    [
      'New York in spring',
      'America/New_York',
      '23:00',
      '06:00',
      '2026-03-08T06:59:00Z',
      '2026-03-08T10:00:00Z',
    ],
    [
      'New York in autumn',
      'America/New_York',
      '23:00',
      '06:00',
      '2026-11-01T05:30:00Z',
      '2026-11-01T11:00:00Z',
    ],
    // Lord Howe: half an hour, 4 October 2026 at 02:00 (15:30Z of the day before).
    [
      'half an hour',
      'Australia/Lord_Howe',
      '22:00',
      '06:00',
      '2026-10-03T15:45:00Z',
      '2026-10-03T19:00:00Z',
    ],
    // Santiago, 6 September 2026: midnight itself is skipped, at 04:00Z.
    [
      'a skipped midnight',
      'America/Santiago',
      '00:00',
      '08:00',
      '2026-09-06T04:00:00Z',
      '2026-09-06T11:00:00Z',
    ],
    [
      'the evening before it',
      'America/Santiago',
      '20:00',
      '24:00',
      '2026-09-06T03:59:00Z',
      '2026-09-06T04:00:00Z',
    ],
    // Kathmandu: no change, five hours and three quarters.
    [
      'a quarter of an hour',
      'Asia/Kathmandu',
      '22:00',
      '07:00',
      '2026-06-01T16:15:00Z',
      '2026-06-02T01:15:00Z',
    ],
    [
      'beyond the date line',
      'Pacific/Kiritimati',
      '22:00',
      '07:00',
      '2026-06-01T08:00:00Z',
      '2026-06-01T17:00:00Z',
    ],
  ])('%s in %s from %s to %s: %s ends at %s', (_, zone, from, to, at, end) => {
    const weekdays = to === '24:00' && from === '00:00' ? (['sun'] as const) : []
    expect(until(zone, [{ from, to, weekdays }], at)).toBe(end)
  })

  it('lasts nowhere longer than the minutes of its span and the offset, hour by hour of a year', () => {
    const zones = timeZones()
    const nights = { time_zone: 'Europe/Berlin', hours: [NIGHT] }
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 3_600_000) {
      const end = quietUntil(nights, at, zones)
      expect((end ?? at) - at).toBeLessThanOrEqual(10 * 3_600_000)
      if (end !== null) {
        expect(end).toBeGreaterThan(at)
        expect(quietUntil(nights, end, zones)).toBeNull()
      }
    }
  })
})

it('spans that leave no minute of a week are known', () => {
  expect(isAlwaysQuiet([NIGHT])).toBe(false)
  expect(isAlwaysQuiet([NIGHT, { from: '07:00', to: '22:00', weekdays: [] }])).toBe(true)
  expect(
    isAlwaysQuiet([
      { from: '00:00', to: '24:00', weekdays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
    ]),
  ).toBe(false)
  expect(isAlwaysQuiet([{ from: '08:00', to: '08:00', weekdays: [] }])).toBe(true)
  expect(isAlwaysQuiet([{ from: '12:00', to: '13:00', weekdays: [] }])).toBe(false)
  // One minute of each day is left.
  expect(isAlwaysQuiet([{ from: '00:00', to: '23:59', weekdays: [] }])).toBe(false)
  // Spans overlap, also across the end of the week.
  expect(isAlwaysQuiet([NIGHT, { from: '06:00', to: '22:00', weekdays: [] }])).toBe(true)
  const day = (...weekdays: Weekday[]): QuietSpan => ({ from: '00:00', to: '24:00', weekdays })
  expect(isAlwaysQuiet([day('mon', 'tue', 'wed', 'thu', 'fri', 'sat'), day('sat', 'sun')])).toBe(
    true,
  )
})
