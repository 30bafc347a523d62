import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { Tokenizer } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { difference } from '../../../src/checkers/content/change.ts'
import { textOfHtml } from '../../../src/checkers/content/html-text.ts'
import { textOfJson } from '../../../src/checkers/content/json-text.ts'
import { hashOf, linesOf, MAX_LINES } from '../../../src/checkers/content/baseline.ts'
import { fold } from '../../../src/checkers/content/page-text.ts'
import { runSteps } from './run-steps.ts'

/** As the platform reads and writes it, in one turn. */
function printed(source: string): string | undefined {
  const lines: string[] = []
  try {
    print(JSON.parse(source), '', 0)
  } catch {
    return undefined
  }
  return lines.join('\n')

  function print(value: unknown, label: string, depth: number): void {
    if (depth > 200) throw new RangeError()
    if (Array.isArray(value)) {
      lines.push(`${label}[`)
      for (const item of value) print(item, '', depth + 1)
      lines.push(']')
    } else if (typeof value === 'object' && value !== null) {
      lines.push(`${label}{`)
      for (const key of Object.keys(value).sort()) {
        print((value as Record<string, unknown>)[key], `${JSON.stringify(key)}: `, depth + 1)
      }
      lines.push('}')
    } else {
      lines.push(label + JSON.stringify(value))
    }
  }
}

const html = (source: string): Generator<void, string> => textOfHtml(source, Tokenizer)

const json = (source: string): string | undefined => runSteps(textOfJson(source))

describe('JSON in steps', () => {
  it('is what the platform makes of it', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), fc.boolean(), (source, spaced) => {
        const written = spaced ? JSON.stringify(JSON.parse(source), null, 2) : source
        expect(json(written)).toBe(printed(written))
      }),
      { numRuns: 1000 },
    )
  })

  it('is none where the platform says so', () => {
    const bits = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '0',
      '.',
      'e',
      'true',
      ' ',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...bits, '"b":', 'null', '\n', '{}', '[]')), (all) => {
        expect(json(all.join(''))).toBe(printed(all.join('')))
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    ['a key again', '{"b":1,"a":2,"b":3}'],
    ['a prototype', '{"__proto__":{"x":1},"constructor":null}'],
    ['numbers', '[1.0,1e999,-0,1E2,0.1e-7,123456789012345678901]'],
    ['escapes', '["\\"\\\\\\/\\u0041\\ud800","\\\\","a\\\\\\""]'],
    ['a bad escape', '["\\x"]'],
    ['a control character', '["\n"]'],
    ['no value', ''],
    ['a byte order mark', '\ufeff1'],
    ['a zero in front', '[01]'],
    ['a comma at the end', '[1,]'],
    ['a comma at the end of an object', '{"a":1,}'],
    ['two values', '1 2'],
    ['the wrong bracket', '[1}'],
    ['a list as deep as is read', '['.repeat(201) + ']'.repeat(201)],
    ['a list one deeper', '['.repeat(202) + ']'.repeat(202)],
    ['a number as deep as is read', '['.repeat(200) + '1' + ']'.repeat(200)],
    ['a number one deeper', '['.repeat(201) + '1' + ']'.repeat(201)],
    ['a text one deeper', '['.repeat(201) + '"a"' + ']'.repeat(201)],
  ])('with %s is what the platform makes of it', (_, source) => {
    expect(json(source)).toBe(printed(source))
  })

  it('with many keys comes out in order, the last of the same', () => {
    const entries = Array.from({ length: 5000 }, (_, n) => `"k${(n * 7919) % 3001}":${n}`)
    const source = `{${entries.join(',')}}`
    expect(json(source)).toBe(printed(source))
  })
})

describe('a text in steps', () => {
  const blanks = fc.constantFrom(' ', '\n', '\t', '\u00a0', '\r\n', '\u2028', '\u00ad', '\u200b')
  const long = fc
    .array(
      fc.oneof(
        fc.tuple(blanks, fc.integer({ min: 1, max: 20_000 })),
        fc.tuple(fc.constant('w'), fc.constant(3)),
      ),
    )
    .map((runs) => runs.map(([part, times]) => part.repeat(times)).join(''))

  it('is folded as it is at once', () => {
    const atOnce = (text: string): string =>
      text
        .replace(/[\u00ad\u200b]/g, '')
        .split(/[\n\r\u2028\u2029]+/)
        .map((line) => line.replace(/\s+/g, ' ').trim())
        .filter((line) => line !== '')
        .join('\n')
    fc.assert(
      fc.property(long, (text) => {
        expect(runSteps(fold(text)) === atOnce(text)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['&amp;', '&#65;', '&#x41', '&eacute', '&unknown;', '&amp', '&', '😀'])(
    'has its references %s decoded wherever a piece ends',
    (reference) => {
      for (let filler = 8_180; filler <= 8_195; filler++) {
        const text = runSteps(html(`${' '.repeat(filler)}${reference} and more`))
        expect(text.trimStart()).toBe(`${runSteps(html(reference))} and more`)
      }
    },
  )

  it('has the tags that are longer than a step', () => {
    const attributes = 'a=b '.repeat(10_000)
    const page = `a<p ${attributes} b="x>y">b</p ${attributes}>c<textarea>d</textarea ${attributes}>e`
    expect(runSteps(fold(runSteps(html(page))))).toBe('a\nb\nc\nd\ne')
  })

  it('has the hash that it has at once, a pair never cut in two', () => {
    for (const text of [
      '',
      'a',
      `${'a'.repeat(256 * 1024 - 1)}😀`,
      'é😀'.repeat(200_000),
      '\ud800a',
    ]) {
      expect(runSteps(hashOf(text))).toBe(createHash('sha256').update(text).digest('hex'))
    }
  })

  it.each([1, MAX_LINES, MAX_LINES + 1])('of %d lines has so many, kept up to a limit', (count) => {
    const text = Array.from({ length: count }, (_, n) => n).join('\n')
    const { count: counted, lines } = runSteps(linesOf(text))
    expect(counted).toBe(count)
    expect(lines?.length).toBe(count > MAX_LINES ? undefined : count)
    expect(lines?.at(-1)).toBe(count > MAX_LINES ? undefined : String(count - 1))
  })

  it('differs by lines that came and went, however often each is there', () => {
    const keyOf = (line: string): string => `#${line}`
    const now = ['b', 'c', 'c', 'd']
    expect(runSteps(difference(['a', 'b', 'c'], now))).toEqual({
      added: ['c', 'd'],
      removed: ['a'],
    })
    expect(runSteps(difference(['#a', '#b', '#c'], now, keyOf))).toEqual({
      added: ['c', 'd'],
      removed: ['#a'],
    })
  })
})
