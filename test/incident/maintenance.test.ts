import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cronOccurrences } from '../../src/fields/cron.ts'
import { isOpen, maintenanceAt as lookedUp } from '../../src/incident/maintenance.ts'
import type { Maintenance } from '../../src/incident/maintenance.ts'
import type { CronWindow, MaintenanceWindow, RecurringWindow } from '../../src/model.ts'
import { timeZones } from '../../src/model/time.ts'
import type { Calendar } from '../../src/model/time.ts'

const at = (text: string): number => Date.parse(text)
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

function newCalendar(): Calendar {
  const zones = timeZones()
  return { zones, nextOccurrence: cronOccurrences(zones) }
}

function maintenanceAt(
  windows: readonly MaintenanceWindow[],
  now: number,
  calendar = newCalendar(),
): Maintenance {
  return lookedUp(windows, now, calendar)
}

function every(rule: Partial<RecurringWindow>): RecurringWindow {
  const none = { weekdays: [], days: [], skip_checks: false }
  return { at: '02:00', duration_min: 60, time_zone: 'UTC', ...none, ...rule }
}

/** Begin and end of the first `count` windows that open after `from`. */
function windows(rule: MaintenanceWindow, from: string, count: number): string[] {
  const found: string[] = []
  let now = at(from)
  while (found.length < count * 2) {
    const { changes_at } = maintenanceAt([rule], now)
    if (changes_at === null) break
    now = changes_at
    found.push(new Date(now).toISOString().slice(0, 16))
  }
  return found
}

it('a window is open from its start until before its end, and not without an end', () => {
  expect([9, 10, 19, 20].map((at) => isOpen([10, 20], at))).toEqual([false, true, true, false])
  expect(isOpen([10, Infinity], 15)).toBe(false)
})

describe('a window that comes once', () => {
  const once = { start: '2026-03-01T22:00:00.000Z', end: '2026-03-02T02:00:00.000Z' }

  it.each([
    ['2026-03-01T21:59:59.999Z', false, once.start],
    ['2026-03-01T22:00:00.000Z', true, once.end],
    ['2026-03-02T01:59:59.999Z', true, once.end],
    ['2026-03-02T02:00:00.000Z', false, null],
  ])('at %s: %s', (now, active, changes_at) => {
    const said = maintenanceAt([{ ...once, skip_checks: false }], at(now))
    expect({ active: said.active, changes_at: iso(said.changes_at) }).toEqual({
      active,
      changes_at,
    })
  })
})

describe('a window that comes again', () => {
  it('crosses midnight', () => {
    const rule = every({ at: '23:30', duration_min: 120 })
    expect(maintenanceAt([rule], at('2026-03-02T01:00:00Z')).active).toBe(true)
    expect(maintenanceAt([rule], at('2026-03-02T01:30:00Z')).active).toBe(false)
  })

  it('on days of the week, in the time zone of the rule', () => {
    // Sunday 02:00 in Tokyo is Saturday 17:00 UTC.
    const rule = every({ weekdays: ['sun'], time_zone: 'Asia/Tokyo' })
    expect(windows(rule, '2026-03-01T00:00:00Z', 2)).toEqual([
      '2026-03-07T17:00',
      '2026-03-07T18:00',
      '2026-03-14T17:00',
      '2026-03-14T18:00',
    ])
  })

  it('the first Sunday of a month is a Sunday from the 1st to the 7th', () => {
    const rule = every({ weekdays: ['sun'], days: [1, 2, 3, 4, 5, 6, 7] })
    expect(windows(rule, '2026-03-02T00:00:00Z', 2)).toEqual([
      '2026-04-05T02:00',
      '2026-04-05T03:00',
      '2026-05-03T02:00',
      '2026-05-03T03:00',
    ])
  })

  it('keeps its time of day when the clocks go forward and back', () => {
    const rule = every({ at: '04:00', time_zone: 'Europe/Berlin' })
    // +01:00 until 2026-03-29, +02:00 until 2026-10-25.
    expect(windows(rule, '2026-03-28T12:00:00Z', 1)[0]).toBe('2026-03-29T02:00')
    expect(windows(rule, '2026-03-27T12:00:00Z', 1)[0]).toBe('2026-03-28T03:00')
    expect(windows(rule, '2026-10-24T12:00:00Z', 1)[0]).toBe('2026-10-25T03:00')
  })

  it('lasts as long as it says, also in the night in which an hour is skipped or comes twice', () => {
    const rule = every({ at: '01:30', duration_min: 120, time_zone: 'Europe/Berlin' })
    expect(windows(rule, '2026-03-28T12:00:00Z', 1)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T02:30',
    ])
    expect(windows(rule, '2026-10-24T12:00:00Z', 1)).toEqual([
      '2026-10-24T23:30',
      '2026-10-25T01:30',
    ])
  })

  it('a time that is skipped is read with the offset from before; one that comes twice is the first', () => {
    const rule = every({ at: '02:30', time_zone: 'Europe/Berlin' })
    expect(windows(rule, '2026-03-28T12:00:00Z', 1)[0]).toBe('2026-03-29T01:30')
    expect(windows(rule, '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-26T01:30',
      '2026-10-26T02:30',
    ])
  })

  it('knows the 29th of February, and gives up on the 31st for a while only', () => {
    expect(windows(every({ days: [29] }), '2028-02-01T00:00:00Z', 1)[0]).toBe('2028-02-29T02:00')
    const never = maintenanceAt([every({ days: [31], weekdays: ['mon'] })], at('2026-03-01T00:00Z'))
    expect(never.changes_at).toBeGreaterThan(at('2026-03-01T00:00Z'))
  })

  it.each(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const)('on a %s', (weekday) => {
    const [begin = ''] = windows(every({ weekdays: [weekday] }), '2026-03-01T12:00:00Z', 1)
    const day = new Date(`${begin}Z`)
    expect(day.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' }).toLowerCase()).toBe(
      weekday,
    )
    expect(day.getTime() - at('2026-03-01T12:00:00Z')).toBeLessThan(7 * 86_400_000)
  })

  it('misses no window of a rule that matches a day every other year, whenever it is evaluated', () => {
    // A Monday the 31st: 2025-03-31, then 2026-08-31.
    const rule = every({ weekdays: ['mon'], days: [31] })
    const calendar = newCalendar()
    const missed: string[] = []
    for (let from = at('2025-04-01T12:00Z'); from < at('2026-08-31'); from += 86_400_000) {
      let now = from
      // The result is valid until `changes_at`, so an engine evaluates the rule then.
      for (;;) {
        const said = maintenanceAt([rule], now, calendar)
        if (said.active) break
        now = said.changes_at!
      }
      if (now !== at('2026-08-31T02:00Z')) missed.push(new Date(from).toISOString())
    }
    expect(missed).toEqual([])
  })

  it('is open for exactly its length before each end, wherever and whenever (property)', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 1439 }),
        fc.integer({ min: 1, max: 1440 }),
        fc.integer({ min: at('2026-01-01T00:00Z'), max: at('2027-12-31T00:00Z') }),
        (time_zone, minute, duration_min, from) => {
          const clock = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
          const rule = every({ at: clock, duration_min, time_zone })
          const first = maintenanceAt([rule], from)
          const opens = first.active ? from : first.changes_at!
          const during = maintenanceAt([rule], opens)
          expect(during.active).toBe(true)
          if (!first.active) expect(during.changes_at! - opens).toBe(duration_min * 60_000)
          // A day may be as short as the clocks make it, so the next window may follow at once.
          const closed = maintenanceAt([rule], during.changes_at!)
          expect(closed.changes_at! - during.changes_at!).toBeLessThanOrEqual(26 * 3_600_000)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a window by cron', () => {
  const byCron = (cron: string, rest: Partial<CronWindow> = {}): CronWindow => ({
    cron,
    duration_min: 60,
    time_zone: 'Europe/Berlin',
    skip_checks: false,
    ...rest,
  })

  it('keeps its time of day in its time zone, and its length, when the clocks change', () => {
    // 02:30 is skipped on 2026-03-29 and read with the offset before; on 2026-10-25 the first of two counts.
    expect(windows(byCron('30 2 * * *'), '2026-03-28T00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-28T02:30',
      '2026-03-29T01:30',
      '2026-03-29T02:30',
      '2026-03-30T00:30',
      '2026-03-30T01:30',
    ])
    expect(windows(byCron('30 2 * * *'), '2026-10-25T00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-26T01:30',
      '2026-10-26T02:30',
    ])
  })

  it('opens on the same days as the window that names them', () => {
    const fridays = every({
      at: '22:00',
      duration_min: 600,
      weekdays: ['fri'],
      time_zone: 'Asia/Tokyo',
    })
    const cron = byCron('0 22 * * 5', { duration_min: 600, time_zone: 'Asia/Tokyo' })
    expect(windows(cron, '2026-01-01T00:00Z', 20)).toEqual(
      windows(fridays, '2026-01-01T00:00Z', 20),
    )
  })

  it('is evaluated the same from kept results, in any order (property)', () => {
    const calendar = newCalendar()
    fc.assert(
      fc.property(
        fc.constantFrom('0 3 * * *', '15 */6 * * 1-5', '0 0 1 * *', '0 4 29 2 *'),
        fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe'),
        fc.integer({ min: at('2026-01-01T00:00Z'), max: at('2027-12-31T00:00Z') }),
        (cron, time_zone, from) => {
          const window = byCron(cron, { time_zone })
          expect(maintenanceAt([window], from, calendar)).toEqual(maintenanceAt([window], from))
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('time zones that are kept', () => {
  it('tell the same as those made anew, over more days than are remembered (property)', () => {
    const calendar = newCalendar()
    const names = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: at('2026-01-01T00:00Z'), max: at('2027-12-31T00:00Z') }),
        (time_zone, hour, from) => {
          const rule = every({ at: `${String(hour).padStart(2, '0')}:30`, time_zone })
          expect(maintenanceAt([rule], from, calendar)).toEqual(maintenanceAt([rule], from))
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('several windows', () => {
  it('the next change is that of whichever comes first, and one that skips checks is enough', () => {
    const both = [
      every({ at: '02:00', duration_min: 120 }),
      every({ at: '03:00', duration_min: 30, skip_checks: true }),
    ]
    const seen = ['01:00', '02:30', '03:10', '03:40'].map((time) => {
      const said = maintenanceAt(both, at(`2026-03-01T${time}:00Z`))
      return [said.active, said.skip_checks, iso(said.changes_at)?.slice(11, 16)]
    })
    expect(seen).toEqual([
      [false, false, '02:00'],
      [true, false, '03:00'],
      [true, true, '03:30'],
      [true, false, '04:00'],
    ])
  })
})
