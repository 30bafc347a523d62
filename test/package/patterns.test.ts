import { analyse } from 'scslre'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { readSources, visit } from './sources.ts'
import type { SourceFile } from './sources.ts'

/**
 * Patterns that are put together at run time, by file; each of the parts is one of ours. What stands at the top of a
 * module is made when it is imported, and searched like any other.
 */
const AT_RUN_TIME: readonly string[] = [
  // Addresses of the routes of the public page.
  'page/public/public-routes.ts',
  // Secrets of a monitor, escaped, one beside the other.
  'secrets/redaction.ts',
]

const MODULES: Readonly<Record<string, () => Promise<unknown>>> = {
  'checkers/domain/dates.ts': () => import('../../src/checkers/domain/dates.ts'),
  'checkers/http/numbers.ts': () => import('../../src/checkers/http/numbers.ts'),
}

interface Found {
  readonly at: string
  readonly source: string
  readonly flags: string
}

const sources = readSources()

describe('the regular expressions of src', () => {
  it('take time linear to the text, wherever they begin', async () => {
    const all = [...sources.flatMap(literals), ...(await made())]
    expect(all.length).toBeGreaterThan(400)
    expect(all.flatMap(slow)).toEqual([])
  })

  it('are literals, or made at the top of a module that is imported here', () => {
    const makers = sources
      .filter(({ tree }) => /\bRegExp\(/.test(tree.text))
      .map(({ path }) => path)
    expect(makers).toEqual([...AT_RUN_TIME, ...Object.keys(MODULES)].sort())
  })

  it.each([
    ['\\s+$', 'from each blank again'],
    ['^(a+)+$', 'exponential'],
    ['^\\s*(.*?)\\s*:$', 'blanks that two parts may have'],
    ['[,/]\\s+|\\s+\\/|,', 'the row of blanks of a WHOIS server'],
  ])('a planted %s is seen: %s', (source) => {
    expect(slow({ at: 'planted', source, flags: '' })).not.toEqual([])
  })
})

function slow({ at, source, flags }: Found): string[] {
  return analyse({ source, flags }).reports.map(
    ({ type, exponential }) =>
      `${at} /${source}/${flags}: ${exponential ? 'exponential' : 'quadratic'} (${type})`,
  )
}

function literals({ path, tree }: SourceFile): Found[] {
  const found: Found[] = []
  visit(tree, (node) => {
    if (!ts.isRegularExpressionLiteral(node)) return
    const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? []
    found.push({ at: path, source, flags })
  })
  return found
}

/** Those that are made while a module is imported. */
async function made(): Promise<Found[]> {
  const found: Found[] = []
  const Native = globalThis.RegExp
  for (const [at, load] of Object.entries(MODULES)) {
    globalThis.RegExp = new Proxy(Native, {
      construct(target, [given, flags]: [string | RegExp, string?]) {
        const { source, flags: read } = new target(given, flags)
        found.push({ at, source, flags: read })
        return new target(given, flags)
      },
    })
    try {
      await load()
    } finally {
      globalThis.RegExp = Native
    }
  }
  return found
}
