import { describe, expect, it } from 'vitest'
import {
  cronField,
  cronOccurrences,
  firstOccurrences,
  occurrencesOf,
  timeZoneField,
} from '../../src/fields/cron.ts'
import { parse } from '../../src/fields/parse.ts'
import { timeZones } from '../../src/model/time.ts'
import { measureCpu } from '../support/turns.ts'

const fields = {
  cron: cronField({ description: 'When' }),
  time_zone: timeZoneField({ description: 'Where' }),
}

function problem(input: Record<string, unknown>): unknown {
  const result = parse(fields, input as never)
  return result.ok ? undefined : result.fields
}

const ZONE = 'America/New_York'

/** As maintenance windows have them. */
function times(cron: string, after: string, count: number, zone = ZONE): string[] {
  return timesBy((at) => cronOccurrences(timeZones())(cron, zone, at), after, count)
}

function timesBy(next: (after: number) => number, after: string, count: number): string[] {
  const found: string[] = []
  for (let at = Date.parse(after); found.length < count;) {
    at = next(at)
    found.push(new Date(at).toISOString().slice(0, 16))
  }
  return found
}

describe('a cron expression', () => {
  it.each([
    '0 3 * * *',
    '*/5 * * * *',
    '30 9-17 * * MON-FRI',
    '0 0 L * *',
    '@daily',
    ' 0 3 * * * ',
  ])('is taken: %j', (cron) => {
    expect(problem({ cron })).toBeUndefined()
  })

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '0 24 * * *',
    '0 0 * * 8',
    'now',
    '@reboot',
    '? * * * *',
    '0 3 ? * *',
    '0 0 30 2 *',
    '0 0 31 4,6 *',
    5,
  ])('is refused: %j', (cron) => {
    expect(problem({ cron })).toEqual({
      cron: expect.stringMatching(/^(?:invalid|out_of_range): |^required$/),
    })
  })

  it('has at most 100 characters', () => {
    const list = (count: number): string => `${Array(count).fill('5').join(',')} * * * *`
    expect(list(46)).toHaveLength(99)
    expect(problem({ cron: `0${list(46)}` })).toBeUndefined()
    expect(problem({ cron: `00${list(46)}` })).toEqual({ cron: 'out_of_range: 1..100 characters' })
  })

  it('has a time zone of the IANA database', () => {
    expect(problem({ time_zone: 'Europe/Berlin' })).toBeUndefined()
    expect(problem({ time_zone: 'Mars/Base' })).toEqual({
      time_zone: 'invalid: an IANA time zone is expected, such as Europe/Berlin',
    })
  })
})

describe('the next occurrence', () => {
  it('is in the time zone, in summer and winter', () => {
    expect(times('0 9 * * *', '2026-03-28T00:00:00Z', 3, 'Europe/Berlin')).toEqual([
      '2026-03-28T08:00',
      '2026-03-29T07:00',
      '2026-03-30T07:00',
    ])
  })

  it('of a time that the clocks skip is read with the offset from before (RFC 5545, 3.3.5)', () => {
    // On 2026-03-08 there is no time between 2:00 and 3:00; 2:30 with the offset of the winter is 7:30 UTC.
    expect(times('30 2 * * *', '2026-03-07T00:00:00Z', 3)).toEqual([
      '2026-03-07T07:30',
      '2026-03-08T07:30',
      '2026-03-09T06:30',
    ])
  })

  it('of a time that the clocks skip is the same from within the hour in which it is due', () => {
    expect(times('30 2 * * *', '2026-03-08T07:10:00Z', 2)).toEqual([
      '2026-03-08T07:30',
      '2026-03-09T06:30',
    ])
    expect(times('*/20 2 * * *', '2026-03-08T06:00:00Z', 4)).toEqual([
      '2026-03-08T07:00',
      '2026-03-08T07:20',
      '2026-03-08T07:40',
      '2026-03-09T06:00',
    ])
    // The clocks of Lord Howe skip half an hour, from 2:00 to 2:30.
    const island = 'Australia/Lord_Howe'
    expect(times('20 2 * * *', '2026-10-03T15:31:00Z', 2, island)).toEqual([
      '2026-10-03T15:50',
      '2026-10-04T15:20',
    ])
    // Samoa had no 30 December in 2011.
    expect(times('0 9 30 12 *', '2011-12-30T18:00:00Z', 2, 'Pacific/Apia')).toEqual([
      '2011-12-30T19:00',
      '2012-12-29T19:00',
    ])
  })

  it('of a time in the last hour of a day that the clocks skip is not left out', () => {
    // On 2026-03-28 the clocks of Nuuk go from 23:00 to the next day.
    const nuuk = 'America/Nuuk'
    const last = '2026-03-29T01:30'
    expect(times('30 23 * * *', '2026-03-27T12:00:00Z', 3, nuuk)).toEqual([
      '2026-03-28T01:30',
      last,
      '2026-03-30T00:30',
    ])
    expect(times('30 23 * * *', '2026-03-29T01:10:00Z', 1, nuuk)).toEqual([last])
    expect(times('*/30 23 * * 6', '2026-03-20T00:00:00Z', 5, nuuk)).toEqual([
      '2026-03-22T01:00',
      '2026-03-22T01:30',
      '2026-03-29T01:00',
      last,
      '2026-04-05T00:00',
    ])
    const job = occurrencesOf('30 23 * * *', nuuk)
    expect(timesBy(job, '2026-03-28T12:00:00Z', 2)).toEqual([last, '2026-03-30T00:30'])
    expect(timesBy(job, '2026-03-29T01:00:04Z', 1)).toEqual(['2026-03-30T00:30'])
  })

  it('of a job whose time the clocks skip is on the next day, where it ran at the skip', () => {
    const next = occurrencesOf('30 2 * * *', ZONE)
    const tomorrow = '2026-03-09T06:30'
    expect(timesBy(next, '2026-03-07T12:00:00Z', 2)).toEqual(['2026-03-08T07:30', tomorrow])
    expect(timesBy(next, '2026-03-08T07:00:04Z', 1)).toEqual([tomorrow])
  })

  it('of a time that the clocks do not skip is not changed by those that they do', () => {
    expect(times('30 1,3 * * *', '2026-03-08T06:00:00Z', 3)).toEqual([
      '2026-03-08T06:30',
      '2026-03-08T07:30',
      '2026-03-09T05:30',
    ])
    expect(times('30 4 * * *', '2026-03-08T07:10:00Z', 1)).toEqual(['2026-03-08T08:30'])
  })

  it('of a day in winter is in the time of winter, asked for in summer', () => {
    expect(times('0 9 30 12 *', '2026-10-02T00:00:00Z', 2)).toEqual([
      '2026-12-30T14:00',
      '2027-12-30T14:00',
    ])
  })

  it('of the time to which the clocks skip is the skip', () => {
    expect(times('0 3 * * *', '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T07:00',
      '2026-03-09T07:00',
    ])
  })

  it('of a time that comes twice is the first', () => {
    expect(times('30 1 * * *', '2026-10-31T00:00:00Z', 3)).toEqual([
      '2026-10-31T05:30',
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ])
  })

  it('of every half hour goes on through both', () => {
    expect(times('*/30 * * * *', '2026-11-01T04:45:00Z', 5)).toEqual([
      '2026-11-01T05:00',
      '2026-11-01T05:30',
      '2026-11-01T06:00',
      '2026-11-01T06:30',
      '2026-11-01T07:00',
    ])
    expect(times('*/30 * * * *', '2026-03-08T06:15:00Z', 3)).toEqual([
      '2026-03-08T06:30',
      '2026-03-08T07:00',
      '2026-03-08T07:30',
    ])
  })

  it('is strictly later', () => {
    expect(times('0 3 * * *', '2026-05-05T07:00:00Z', 1)).toEqual(['2026-05-06T07:00'])
  })
})

describe('occurrences that are asked for often', () => {
  const HOUR = 3_600_000
  /** Counts the questions that were not answered from memory. */
  function counting(max_kept?: number) {
    const zones = timeZones()
    const asked: string[] = []
    const next = cronOccurrences((zone) => {
      asked.push(zone)
      return zones(zone)
    }, max_kept)
    return { next, asked }
  }

  it('are those of a single question, whatever was asked before', () => {
    const { next } = counting()
    const start = Date.parse('2026-03-07T00:00:00Z')
    const hours = [0, 30, 2, 31, 32, 7, 55, 8, 700, 3]
    for (const cron of ['30 2 * * *', '0 3 * * *', '*/30 * * * *']) {
      for (const zone of [ZONE, 'Europe/Berlin']) {
        const after = hours.map((hour) => start + hour * HOUR)
        const expected = after.map((at) => counting().next(cron, zone, at))
        expect(after.map((at) => next(cron, zone, at))).toEqual(expected)
      }
    }
  })

  it('are known between the last question and its answer', () => {
    const { next, asked } = counting()
    const noon = Date.parse('2026-05-05T12:00:00Z')
    const due = next('0 3 * * *', 'UTC', noon)
    expect(due).toBe(noon + 15 * HOUR)
    expect([noon, noon + HOUR, due - 1].map((at) => next('0 3 * * *', 'UTC', at))).toEqual([
      due,
      due,
      due,
    ])
    expect(asked).toHaveLength(1)
    expect(next('0 3 * * *', 'UTC', noon - 1)).toBe(due)
    expect(asked).toHaveLength(2)
    expect(next('0 3 * * *', 'UTC', due)).toBe(due + 24 * HOUR)
    expect(next('0 4 * * *', 'UTC', due)).toBe(due + HOUR)
    expect(next('0 4 * * *', 'Europe/Berlin', due)).toBe(due + 23 * HOUR)
    expect(asked).toHaveLength(5)
  })

  it('are forgotten of the expression that was computed longest ago, if there are too many', () => {
    const { next, asked } = counting(2)
    /** How many of the expressions, one for each minute, are computed again. */
    const computed = (...minutes: readonly number[]) => {
      asked.length = 0
      for (const minute of minutes) next(`${minute} * * * *`, 'UTC', 0)
      return asked.length
    }
    expect(computed(1, 2)).toBe(2)
    expect(computed(1, 2, 1, 2)).toBe(0)
    expect(next('1 * * * *', 'UTC', HOUR)).toBe(HOUR + 60_000)
    expect(computed(3)).toBe(1)
    // A computation of what is known replaces no other one.
    expect(next('1 * * * *', 'UTC', 2 * HOUR)).toBe(2 * HOUR + 60_000)
    expect(computed(3)).toBe(0)
    expect(computed(2)).toBe(1)
  })
})

describe('the first occurrences', () => {
  const DAY = 86_400_000
  const from = Date.parse('2024-01-01T00:00:00Z')

  it('are in UTC, from 2024 on', () => {
    expect(firstOccurrences('0 3 * * *', 2)).toEqual([from + DAY / 8, from + DAY / 8 + DAY])
  })

  it('are few of what is rare, those of one day together', () => {
    const years = (cron: string) =>
      firstOccurrences(cron, 12).map((time) => new Date(time).getUTCFullYear())
    expect(years('0 0 29 2 *')).toEqual([2024, 2028, 2032])
    expect(years('0 0,1 30 2 mon#5')).toEqual([2044, 2044])
    expect(years('0 0 1 1 *')).toEqual([2024, 2025, 2026, 2027, 2028, 2029, 2030, 2031, 2032, 2033])
  })

  it('are none of what is no expression, or never due', () => {
    expect(firstOccurrences('nonsense', 3)).toEqual([])
    expect(firstOccurrences('0 3 31 2 *', 3)).toEqual([])
  })
})

describe('what a client is told', () => {
  const description = 'd'
  it('of the fields', () => {
    expect(cronField({ description }).info).toEqual({
      ...{ kind: 'string', format: 'cron', min: 1, max: 100 },
      ...{ example: '0 3 * * *', description },
    })
    expect(timeZoneField({ description }).info).toEqual({
      ...{ kind: 'string', format: 'time_zone', min: 1, max: 64 },
      ...{ example: 'Europe/Berlin', description },
    })
  })

  it.each([
    ['cron', 5, 'invalid: a cron expression such as "0 3 * * *" is expected'],
    [
      'cron',
      '99 * * * *',
      'invalid: a cron expression of five fields is expected, such as "0 3 * * *"',
    ],
    [
      'cron',
      '0 3 * * *?',
      'invalid: a cron expression of five fields is expected, such as "0 3 * * *"',
    ],
    ['cron', '0 3 31 2 *', 'invalid: there is no such day'],
    ['time_zone', 5, 'invalid: a time zone is expected'],
  ])('of %s %j', (name, value, message) => {
    const table = { cron: cronField({ description }), time_zone: timeZoneField({ description }) }
    const parsed = parse(table, { [name]: value })
    expect(parsed).toMatchObject({ ok: false, fields: { [name]: message } })
  })

  it('of a rare day that comes, and of one that never comes, is found at once', async () => {
    const rare = ['0 0 29 2 *', '0 0 29 2 1', '0 0 29 2 0', '0 0 29 2 sat', '0 0 29 2 mon#5']
    // A fifth Monday of February is a 29th.
    const fifths = ['mon', 'tue', 'wed'].map((day) => `0 0 * 2 ${day}#5`)
    for (const cron of [...rare, ...fifths, '59 23 31 12 *', '0 0 L 2 *'])
      expect(problem({ cron, time_zone: ZONE }), cron).toBeUndefined()
    const never = Array.from({ length: 40 }, (_, n) => `${n} 0 31 2,4,6,9,11 *`)
    const { value, cpu_ms } = await measureCpu(() =>
      Promise.resolve(never.map((cron) => [problem({ cron }), firstOccurrences(cron, 5)])),
    )
    expect(new Set(value.map((each) => JSON.stringify(each)))).toEqual(
      new Set(['[{"cron":"invalid: there is no such day"},[]]']),
    )
    expect(cpu_ms).toBeLessThan(60)
  })

  it('of a day that never comes', () => {
    expect(() => occurrencesOf('0 3 31 2 *', 'UTC')(0)).toThrow('"0 3 31 2 *" is never due')
  })
})
