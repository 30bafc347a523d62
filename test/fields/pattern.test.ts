import { describe, expect, it } from 'vitest'
import { compilePattern, parsePattern, PATTERN_TEXT_LIMIT } from '../../src/fields/pattern.ts'
import type { Pattern } from '../../src/fields/pattern.ts'

/** What is left, and in how many steps. */
function removed(
  pattern: Pattern,
  text: string,
): { readonly left: string; readonly steps: number } {
  const work = pattern.removeFrom(text)
  for (let steps = 1; ; steps++) {
    const step = work.next()
    if (step.done === true) return { left: step.value, steps }
  }
}

describe('a pattern', () => {
  it.each([
    '[ab]{0,999}[ab]{0,999}[0-9]',
    'a{0,1000}[0-9]',
    '(?:(?:[ab]?){25}){22}',
    `${'a?'.repeat(500)}[0-9]`,
    '(?:(?:a?){31}){32}',
    '(?:x{0,499}y{0,499})',
  ])('that takes long for its size is refused, and so it is at once: %s', (source) => {
    const parsed = parsePattern(source)
    expect(parsed.ok ? '' : parsed.problem).toMatch(/too large|add up to more/)
  })

  it.each(['(a+)+$', '(a|aa)+$', '(.*)*x', '[0-9a-f]{64}', '\\d{1,3}(\\.\\d{1,3}){3}', '.{0,200}'])(
    'that others fear, or that people write, is taken: %s',
    (source) => {
      expect(parsePattern(source)).toMatchObject({ ok: true })
    },
  )

  it.each(['/\\PL{3}\\pL\\p{Lu}\\P{Greek}\\\\p[\\pN\\pS][^\\pZ\\pM]/i', '\\\\p'.repeat(50)])(
    'may have a few Unicode classes: %s',
    (source) => {
      expect(parsePattern(source)).toMatchObject({ ok: true })
    },
  )

  it.each(['\\PL'.repeat(9), `/[${'\\PL'.repeat(300)}]/i`])(
    'of many Unicode classes is refused, since it takes long to put them together: %s',
    (source) => {
      const parsed = parsePattern(source)
      expect(parsed.ok ? '' : parsed.problem).toMatch(/more than 8 Unicode classes/)
    },
  )

  it.each([
    '/[B-\\x{1E942}]/i',
    '(?i)[B-\\x{1E942}]',
    'a(?s-m:x)(?mi:[B-\\x{0000000000000000000001E942}])',
    '/[B-𞥂]/i',
    '/[^--\\x{1E942}]/i',
    '/[\\w--\\x{1E942}]/i',
    '/[\\102-\\x{1E942}]/i',
    `/${'[\\x{100}-\\x{1FFF}]'.repeat(5)}/i`,
  ])('whose ranges take long to be folded is refused: %s', (source) => {
    const parsed = parsePattern(source)
    expect(parsed.ok ? '' : parsed.problem).toMatch(/more than 30000 characters/)
  })

  it.each([
    '[B-\\x{1E942}]',
    '/[а-яё]+ [а-яё]+/i',
    '/[一-龥]{2}/i',
    '/\\d{3}-\\d{4} [a-z]-[a-z]/i',
  ])('may have ranges, also long ones where case counts: %s', (source) => {
    expect(parsePattern(source)).toMatchObject({ ok: true })
  })

  it('that is none is refused where it is compiled, with the problem', () => {
    const parsed = parsePattern('(')
    expect(() => compilePattern('(')).toThrow(
      new TypeError(parsed.ok ? 'it is one' : parsed.problem),
    )
  })

  it('between slashes ends with its flags', () => {
    expect(parsePattern('/a/i')).toMatchObject({ ok: true, pattern: 'a' })
    expect(parsePattern('/a/i b')).toMatchObject({ ok: true, pattern: '/a/i b', flags: 0 })
  })

  it('looks at less of a text the larger it is', () => {
    expect(compilePattern('a+b').searched).toBe(PATTERN_TEXT_LIMIT)
    const large = compilePattern('a?'.repeat(240) + '[0-9]')
    expect(large.searched).toBeLessThan(10_000)
    expect(large.searched).toBeGreaterThan(3_000)
    expect(large.test('b'.repeat(large.searched - 1) + '7')).toBe(true)
    expect(large.test('b'.repeat(large.searched) + '7')).toBe(false)
  })

  it('is cut out of a text, of which nothing else is lost', () => {
    const pattern = compilePattern('/\\d+ views|\\s+$/m')
    expect(removed(pattern, 'one\n12 views of two  \n7 views')).toEqual({
      left: 'one\n of two\n',
      steps: 1,
    })
    const large = compilePattern('1?'.repeat(240) + '2')
    const text = '12'.padEnd(large.searched, '.') + '12'
    expect(removed(large, text).left).toBe('.'.repeat(large.searched - 2) + '12')
  })

  it('that finds much, and looks far for each, is cut out in steps', () => {
    const pattern = compilePattern('/a(?:.*z)?/s')
    const { left, steps } = removed(pattern, `${'a'.repeat(1500)}end`)
    expect(left).toBe('end')
    // A thousand characters a thousand times is more than one step may take.
    expect(steps).toBeGreaterThan(1)
  })
})

describe('a pattern', () => {
  const problem = (source: string) => {
    const parsed = parsePattern(source)
    return parsed.ok ? undefined : parsed.problem
  }
  const TOO_MANY = 'its ranges have more than 30000 characters, too many to ignore their case'

  it.each([
    ['/a/x', 'the flag "x" is not known; i, m, s, u and g are'],
    ['a{500}', undefined],
    ['a{501}', 'its counts add up to more than 500 repetitions'],
    ['a{2,501}', 'its counts add up to more than 500 repetitions'],
    ['a{501,}', 'its counts add up to more than 500 repetitions'],
    ['a{250}b{1,250}', undefined],
    ['a{250}b{251}', 'its counts add up to more than 500 repetitions'],
    ['\\p{L}'.repeat(8), undefined],
    ['\\p{L}'.repeat(9), 'it has more than 8 Unicode classes (\\p, \\P)'],
    ['\\P{L}'.repeat(9), 'it has more than 8 Unicode classes (\\p, \\P)'],
    ['\\\\p'.repeat(9), undefined],
    ['[\\x{3040}-\\x{309F}\\x{4000}]{2}\\{501}', undefined],
    ['\\x{41}{501}', 'its counts add up to more than 500 repetitions'],
    ['\\\\{501}', 'its counts add up to more than 500 repetitions'],
    ['/[\\x{100}-\\x{7630}]/i', undefined],
    ['/[\\x{100}-\\x{7631}]/i', TOO_MANY],
    // Numbers of two digits, and octals: a range from 127, from 511, and many up to 200.
    ['/[\\x7f-\\x{75AF}]/i', undefined],
    ['/[\\x7f-\\x{75B0}]/i', TOO_MANY],
    ['/[\\777-\\x{772F}]/i', undefined],
    ['/[\\777-\\x{7730}]/i', TOO_MANY],
    [`/${'[\\x00-\\xc8]'.repeat(150)}/i`, undefined],
    [`/${'[\\x00-\\xc8]'.repeat(151)}/i`, TOO_MANY],
    [`/${'[\\0-\\310]'.repeat(150)}/i`, undefined],
    [`/${'[\\0-\\310]'.repeat(151)}/i`, TOO_MANY],
  ])('%s: %s', (source, expected) => {
    expect(problem(source)).toBe(expected)
  })

  it('has a thousand instructions at most, here one for each letter and two more', () => {
    expect(problem('a'.repeat(998))).toBeUndefined()
    expect(problem('a'.repeat(999))).toBe('it is too large; fewer or lower counts make it smaller')
  })

  it('is compiled only if it was accepted', () => {
    expect(() => compilePattern('(')).toThrow(TypeError)
  })

  it('is bare unless it stands between slashes with flags', () => {
    expect(compilePattern('x/A/i').test('a')).toBe(false)
    expect(compilePattern('/A/i/').test('A/i')).toBe(true)
    expect(compilePattern('/A/ims').test('a')).toBe(true)
    expect(compilePattern('/A/1').test('/A/1')).toBe(true)
  })

  it.each(['(b)(x)?', '(b)(x)?|[0-9]{3}[a-f]{9}|[g-k]{7}'])(
    '%s tells where it matched',
    (source) => {
      const pattern = compilePattern(source)
      expect(pattern.exec('abb')).toEqual(['b', 'b', null])
      expect(pattern.exec('xyz')).toBeNull()
      expect(pattern.find('abb', 0)).toEqual({ start: 1, end: 2, groups: ['b', 'b', null] })
      expect(pattern.find('abb', 2)).toEqual({ start: 2, end: 3, groups: ['b', 'b', null] })
      expect(pattern.find('xyz', 1)).toBeUndefined()
      expect(pattern.find('abx', 2)).toBeUndefined()
    },
  )

  it('sees what stands before the place where the search begins', () => {
    expect(compilePattern('^b').find('abb', 1)).toBeUndefined()
  })
})
