/**
 * What the specification states, each statement with the tests that hold it. The rows stand in `specification/`, a file
 * for each section: a heading, then statements by their number. Below a statement stand the tests, a file below
 * `test/` and titles as they are in the source, and `departs` or `open` where docs/design/decisions.md has the word.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.mjs'
import { code, page, plain, table } from './markdown.ts'

export interface NamedTest {
  /** Below the root, with forward slashes. */
  readonly file: string
  /** Of each `describe` around it, and its own. */
  readonly titles: readonly string[]
}

export interface Statement {
  /** Never given to another statement. */
  readonly id: string
  readonly text: string
  readonly tests: readonly NamedTest[]
  /** `departs`: watchpost does otherwise on purpose. `open`: the specification leaves it open. */
  readonly mark: 'departs' | 'open' | undefined
}

export interface SpecificationSection {
  readonly heading: string
  readonly statements: readonly Statement[]
}

export const SEPARATOR = ' › '

const folder = join(root, 'scripts/docs/specification')

export function readSpecification(): SpecificationSection[] {
  const files = readdirSync(folder).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return files.map((name) => parseSection(readFileSync(join(folder, name), 'utf8'), name))
}

/** @throws where a line is none of those that a section has */
export function parseSection(text: string, name: string): SpecificationSection {
  const [first = '', ...lines] = text.split('\n')
  if (!first.startsWith('# ')) throw new Error(`${name}: a heading is expected first`)
  const statements: Statement[] = []
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const said = /^(S-\d{3}) (.+)$/.exec(line)
    const below = /^ {2}(\S.*)$/.exec(line)?.[1]
    const last = statements.at(-1)
    if (said !== null) {
      const [, id = '', text = ''] = said
      statements.push({ id, text, tests: [], mark: undefined })
    } else if (below !== undefined && last !== undefined) {
      statements[statements.length - 1] = withLine(last, below)
    } else throw new Error(`${name}:${index + 2}: neither a statement nor what holds it: ${line}`)
  }
  return { heading: first.slice(2), statements }
}

function withLine(statement: Statement, line: string): Statement {
  if (line === 'departs' || line === 'open') return { ...statement, mark: line }
  const [path = '', ...titles] = line.split(SEPARATOR)
  return { ...statement, tests: [...statement.tests, { file: `test/${path}`, titles }] }
}

export function specificationPage(): string {
  const sections = readSpecification().map(({ heading, statements }) =>
    [`## ${heading}`, table(['No.', 'Statement', 'Held by'], statements.map(row))].join('\n\n'),
  )
  return page('The specification, statement by statement', ABOUT, ...sections)
}

const ABOUT = [
  'Every statement of the specification, paraphrased, in its sections, with the tests that hold it.',
  'A number belongs to one statement permanently. [Decisions](decisions.md) explain departures from the specification and',
  'choices where it is silent.',
].join('\n')

const MARKS = {
  departs: ' ([departure](decisions.md#departures-from-the-specification))',
  open: ' ([our choice](decisions.md#gaps-of-the-specification))',
} as const

function row({ id, text, tests, mark }: Statement): readonly string[] {
  const held = tests.map(({ file, titles }) => `${code(file)}: ${plain(titles.join(SEPARATOR))}`)
  return [id, text + (mark === undefined ? '' : MARKS[mark]), held.join('<br>')]
}
