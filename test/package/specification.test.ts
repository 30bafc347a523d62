import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSection, readSpecification, SEPARATOR } from '../../scripts/docs/specification.ts'
import type { Statement } from '../../scripts/docs/specification.ts'
import { root } from '../../scripts/steps.mjs'
import { parsePage, section } from './markdown.ts'
import { titlesIn, titlesOf } from './test-titles.ts'

const statements = readSpecification().flatMap((each) => each.statements)
const decisions = parsePage(
  'docs/design/decisions.md',
  readFileSync(join(root, 'docs/design/decisions.md'), 'utf8'),
)

describe('every statement of the specification', () => {
  it('has a number of its own', () => {
    expect(statements.length).toBeGreaterThan(200)
    expect(twice(statements)).toEqual([])
  })

  it('names a test that is there', () => {
    expect(lost(statements)).toEqual([])
  })

  it.each([
    ['departs from it', 'departs', 'Departures from the specification'],
    ['is left open', 'open', 'Gaps of the specification'],
  ])('that %s is told in the decisions, and no other', (_, mark, heading) => {
    const marked = statements.filter((each) => each.mark === mark).map(({ id }) => id)
    expect([...new Set(numbersOf(section(decisions, heading)))].sort()).toEqual(marked.sort())
  })
})

describe('the eyes of these tests', () => {
  const planted = (lines: string) => parseSection(`# 1\n${lines}`, 'planted.txt').statements

  it('see a number that occurs twice', () => {
    expect(twice(planted('S-001 One\nS-002 Two\nS-001 Three'))).toEqual(['S-001'])
  })

  it('see a file and a title that are not there, and a statement that nothing holds', () => {
    const here = 'package/specification.test.ts'
    const rows = planted(
      [
        'S-001 One\n  nowhere.test.ts › a',
        `S-002 Two\n  ${here} › the eyes of these tests › see nothing`,
        'S-003 Three',
        `S-004 Four\n  ${here} › the eyes of these tests › see a number that occurs twice`,
        // A title without what stands around it could be any.
        `S-005 Five\n  ${here} › see a number that occurs twice`,
      ].join('\n'),
    )
    expect(lost(rows)).toEqual([
      'S-001: test/nowhere.test.ts',
      `S-002: test/${here} › the eyes of these tests › see nothing`,
      'S-003: nothing holds it',
      `S-005: test/${here} › see a number that occurs twice`,
    ])
  })

  it('see a line that is neither statement nor test', () => {
    expect(() => planted('S-1 One')).toThrow('planted.txt:2')
    expect(() => planted('  a.test.ts › b')).toThrow('planted.txt:2')
    expect(() => parseSection('S-001 One', 'planted.txt')).toThrow('a heading')
  })

  it('read titles of every form', () => {
    const text = [
      "describe.each(rows)('a', () => { it.each<[string, T]>([])('b %s', run); it(name, run) })",
      "describe.skipIf(x)('c', () => { it(`d ${e}`, run) })",
      "describeWithServer(need, 'f', () => { test('it\\'s', run) })",
    ].join('\n')
    expect(titlesOf(text)).toEqual([
      ['a', 'b %s'],
      ['c', 'd ${e}'],
      ['f', "it's"],
    ])
  })
})

function twice(rows: readonly Statement[]): string[] {
  const ids = rows.map(({ id }) => id)
  return ids.filter((id, index) => ids.indexOf(id) !== index)
}

/** What a row names and is not there. */
function lost(rows: readonly Statement[]): string[] {
  const known = new Map<string, ReadonlySet<string>>()
  const titles = (file: string): ReadonlySet<string> => {
    const held = known.get(file) ?? new Set(titlesIn(file).map((each) => each.join(SEPARATOR)))
    known.set(file, held)
    return held
  }
  return rows.flatMap(({ id, tests }) => {
    if (tests.length === 0) return [`${id}: nothing holds it`]
    return tests.flatMap(({ file, titles: wanted }) => {
      if (!existsSync(join(root, file))) return [`${id}: ${file}`]
      const title = wanted.join(SEPARATOR)
      return titles(file).has(title) ? [] : [`${id}: ${file}${SEPARATOR}${title}`]
    })
  })
}

/** Of the first column of tables. */
function numbersOf(text: string): string[] {
  const cells = [...text.matchAll(/^\| *((?:S-\d{3}(?:, )?)+) *\|/gm)]
  return cells.flatMap(([, cell = '']) => cell.trim().split(', '))
}
