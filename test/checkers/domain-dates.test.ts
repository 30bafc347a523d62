import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDate } from '../../src/checkers/domain/dates.ts'

const END_OF_DAY = 'T23:59:59.000Z'
const isoOf = (text: string): string | undefined => {
  const at = parseDate(text)
  return at === undefined ? undefined : new Date(at).toISOString()
}

describe('a date with a zone is that moment', () => {
  it.each([
    ['2027-03-01T10:00:00Z', '2027-03-01T10:00:00.000Z'],
    ['2027-03-01t10:00:00z', '2027-03-01T10:00:00.000Z'],
    ['2027-03-01T10:00:00.123456789Z', '2027-03-01T10:00:00.123Z'],
    ['2027-03-01T10:00:00+09:00', '2027-03-01T01:00:00.000Z'],
    ['2027-03-01T00:30:00+0300', '2027-02-28T21:30:00.000Z'],
    ['2027-03-01T23:30:00-05', '2027-03-02T04:30:00.000Z'],
    ['2027-03-01 10:00:00 UTC', '2027-03-01T10:00:00.000Z'],
    ['2027-03-01 10:00:00 (UTC)', '2027-03-01T10:00:00.000Z'],
    ['2027/03/01 01:05:04 (JST)', '2027-02-28T16:05:04.000Z'],
    ['2027.03.01 10:00 MSK', '2027-03-01T07:00:00.000Z'],
    ['Mon, 01 Mar 2027 10:00:00 GMT', '2027-03-01T10:00:00.000Z'],
    ['Mon Mar  1 10:00:00 GMT 2027', '2027-03-01T10:00:00.000Z'],
    ['01-Mar-2027 10:00:00 UTC', '2027-03-01T10:00:00.000Z'],
    ['2027-12-31T23:59:60Z', '2027-12-31T23:59:59.999Z'],
  ])('%s', (text, iso) => {
    expect(isoOf(text)).toBe(iso)
  })
})

describe('without a zone that is certain it is the end of the day in UTC', () => {
  it.each([
    '2027-03-01',
    ' 2027-03-01 ',
    '2027.03.01',
    '2027/03/01',
    '2027. 03. 01.',
    '20270301',
    '20270301 #123456',
    '01.03.2027',
    '1.3.2027',
    '1.3.2027 10:00:00',
    '01-Mar-2027',
    '1 March 2027',
    'Mon 1 Mar 2027',
    'March 1, 2027',
    'Mon Mar 1 2027',
    '2027-03-01 12:48:36',
    '2027-03-01T12:48:36',
    '2027.03.01 12:00:00',
    // China and the middle of America share this one.
    '2027-03-01 12:00:00 CST',
  ])('%s', (text) => {
    expect(isoOf(text)).toBe(`2027-03-01${END_OF_DAY}`)
  })
})

describe('what could mean two days, or none, is refused', () => {
  it.each([
    ['day or month first', '01/03/2027'],
    ['day or month first, with hyphens', '01-03-2027'],
    ['day first for certain, in a form that is not', '31/03/2027'],
    ['two digits of a year', '01-Mar-27'],
    ['two digits of a year, with dots', '01.03.27'],
    ['two digits of a year, year first', '27-03-01'],
    ['a day that does not exist', '2027-02-29'],
    ['a month that does not exist', '2027-13-01'],
    ['no month at all', '00.00.2027'],
    ['the day 31 of April', '31-Apr-2027'],
    ['year zero', '0000-00-00'],
    ['a year before there were domains', '1970-01-01'],
    ['a year that means never', '9999-12-31'],
    ['beyond 32 bits of a year', '292278994-08-17T07:12:55Z'],
    ['before Christ', '-9223372036854775808'],
    ['epoch seconds', '1803895200'],
    ['epoch milliseconds', '1803895200000'],
    ['an hour 24', '2027-03-01T24:00:00Z'],
    ['a minute 60', '2027-03-01T10:60:00Z'],
    ['a second 61', '2027-03-01T10:00:61Z'],
    ['a zone beyond the date line', '2027-03-01T10:00:00+15:00'],
    ['a zone of 99 minutes', '2027-03-01T10:00:00+01:99'],
    ['half a date', '2027-03'],
    ['half a time', '2027-03-01T10'],
    ['mixed separators', '2027-03.01'],
    ['one digit, year first', '2027-3-1'],
    ['a word that is no month', '01-Foo-2027'],
    ['a month by a guess', '01-Marz-2027'],
    ['a bound instead of a date', 'before Aug-1996'],
    ['text around it', 'expires 2027-03-01'],
    ['text behind it', '2027-03-01 or later'],
    ['two dates', '2027-03-01 2028-03-01'],
    ['lines', '2027-03-01\n2028-03-01'],
    ['nothing', ''],
    ['never', 'never'],
    ['too long', `2027-03-01${' '.repeat(10)}${'x'.repeat(1000)}`],
  ])('%s', (_, text) => {
    expect(isoOf(text)).toBeUndefined()
  })
})

const two = (n: number): string => String(n).padStart(2, '0')
const NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

interface Day {
  readonly y: number
  readonly m: number
  readonly d: number
}

/** Every way in which a registry may write the same day. */
const FORMS: readonly ((day: Day) => string)[] = [
  ({ y, m, d }) => `${y}-${two(m)}-${two(d)}`,
  ({ y, m, d }) => `${y}.${two(m)}.${two(d)}`,
  ({ y, m, d }) => `${y}/${two(m)}/${two(d)}`,
  ({ y, m, d }) => `${y}. ${two(m)}. ${two(d)}.`,
  ({ y, m, d }) => `${y}${two(m)}${two(d)}`,
  ({ y, m, d }) => `${two(d)}.${two(m)}.${y}`,
  ({ y, m, d }) => `${d}.${m}.${y}`,
  ({ y, m, d }) => `${two(d)}-${NAMES[m - 1]}-${y}`,
  ({ y, m, d }) => `${d} ${NAMES[m - 1]?.toUpperCase()} ${y}`,
  ({ y, m, d }) => `${NAMES[m - 1]} ${d}, ${y}`,
  ({ y, m, d }) => `${y}-${two(m)}-${two(d)}T12:00:00Z`,
  ({ y, m, d }) => `${y}-${two(m)}-${two(d)} 12:00:00`,
]

const days = fc
  .record({
    y: fc.integer({ min: 1985, max: 2200 }),
    m: fc.integer({ min: 1, max: 12 }),
    d: fc.integer({ min: 1, max: 31 }),
  })
  .filter(({ y, m, d }) => d <= new Date(Date.UTC(y, m, 0)).getUTCDate())

describe('for any date', () => {
  it('every form means the same day: no century, no day and month are swapped', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...FORMS), (day, form) => {
        expect(isoOf(form(day))?.slice(0, 10)).toBe(`${day.y}-${two(day.m)}-${two(day.d)}`)
      }),
      { numRuns: 2000 },
    )
  })

  it('an offset moves it by exactly that', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -14 * 60, max: 14 * 60 }), ({ y, m, d }, offset) => {
        const sign = offset < 0 ? '-' : '+'
        const size = Math.abs(offset)
        const zone = `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
        const at = parseDate(`${y}-${two(m)}-${two(d)}T12:00:00${zone}`)
        expect(at).toBe(Date.UTC(y, m - 1, d, 12) - offset * 60_000)
      }),
    )
  })

  it('a form that cannot tell day from month is refused on every day of the year', () => {
    fc.assert(
      fc.property(days, fc.constantFrom('/', '-'), ({ y, m, d }, sep) => {
        expect(parseDate([two(d), two(m), y].join(sep))).toBeUndefined()
        expect(parseDate([two(m), two(d), y].join(sep))).toBeUndefined()
        expect(parseDate([two(d), two(m), two(y % 100)].join(sep))).toBeUndefined()
      }),
    )
  })
})

describe('for any text', () => {
  const pieces = fc.constantFrom(...'0123456789-./: TZ+,#()'.split(''), 'Mar', 'Mon', 'JST', 'UTC')
  const texts = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
  )

  it('it is a time that domains can have, or none', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const at = parseDate(text)
        if (at === undefined) return
        expect(Number.isSafeInteger(at)).toBe(true)
        expect(at).toBeGreaterThanOrEqual(Date.UTC(1984, 11, 31))
        expect(at).toBeLessThanOrEqual(Date.UTC(2201, 0, 2))
        const year = /\d{4}/.exec(text)
        expect(year).not.toBeNull()
      }),
      { numRuns: 5000 },
    )
  })

  it('it takes no time to read, however long', () => {
    for (const text of ['2027-03-01 '.repeat(10_000), '1'.repeat(100_000), ' '.repeat(100_000)]) {
      expect(parseDate(text)).toBeUndefined()
    }
  })
})
