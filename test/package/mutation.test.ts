import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { equivalentsOf } from '../../scripts/mutate/equivalents.mjs'
import { parts } from '../../scripts/mutate/parts.mjs'
import { compare, read } from '../../scripts/mutate/report.mjs'
import { readScores } from '../../scripts/mutate/scores.mjs'
import { root } from '../../scripts/steps.mjs'
import { readSources } from './sources.ts'

const lines = new Set(
  readSources().flatMap(({ tree }) => tree.text.split('\n').map((line) => line.trim())),
)

describe('the lists of mutants that make no difference', () => {
  it('belong to parts', () => {
    const lists = readdirSync(join(root, 'test/mutation')).filter((file) => file.endsWith('.txt'))
    const strangers = lists.filter((file) => !(file.replace('.txt', '') in parts))
    expect(strangers).toEqual([])
  })

  it.each(Object.keys(parts))('quote lines that are still there: %s', (part) => {
    const gone = equivalentsOf(part).filter(({ line }) => !lines.has(line))
    expect(gone).toEqual([])
  })
})

/** `src/{a,b}.ts` names two. */
function filesOf(pattern: string): readonly string[] {
  const [, start = '', names = '', end = ''] = /^!?(.*)\{(.*)\}(.*)$/.exec(pattern) ?? []
  if (names === '') return [pattern.replace(/^!/, '')]
  return names.split(',').map((name) => start + name + end)
}

describe('the parts', () => {
  it.each(Object.entries(parts))('name sources and tests that exist: %s', (_name, part) => {
    const named = [...part.sources, ...part.tests].flatMap(filesOf)
    const exact = named.filter((file) => !file.includes('*'))
    expect(exact.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})

describe('the scores', () => {
  it('are those of parts', () => {
    expect(Object.keys(readScores()).filter((name) => !(name in parts))).toEqual([])
  })

  it('are read from a report: killed, equivalent, unnoticed, and entries that name no survivor', () => {
    const at = (line: number, from: number, to: number) => ({
      start: { line, column: from },
      end: { line, column: to },
    })
    const mutant = (status: string, location: ReturnType<typeof at>, replacement: string) => ({
      mutatorName: 'X',
      status,
      location,
      replacement,
    })
    const { survivors, killed, timeouts } = read({
      files: {
        'src/a.ts': {
          source: 'const a = 1\n  return a < 1\n',
          mutants: [
            mutant('Killed', at(1, 11, 12), '2'),
            mutant('Timeout', at(1, 11, 12), '3'),
            mutant('Survived', at(2, 10, 15), 'a <= 1'),
            mutant('NoCoverage', at(2, 10, 15), 'true'),
            mutant('CompileError', at(2, 10, 15), '?'),
          ],
        },
      },
    })
    expect({ killed, timeouts }).toEqual({ killed: 1, timeouts: 1 })
    const entries = [
      { line: 'return a < 1', mutants: ['a < 1 => true', 'a < 1 => false'], reason: 'because' },
    ]
    expect(compare(survivors, entries)).toEqual({
      equivalent: 1,
      left: [expect.objectContaining({ at: 'src/a.ts:2', change: 'a < 1 => a <= 1' })],
      stale: ['return a < 1\n  a < 1 => false'],
    })
  })
})
