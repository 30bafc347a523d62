import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { checkerTypes, entries } from '../../scripts/entries.mjs'
import { root } from '../../scripts/steps.mjs'

// A name that is published stays. Whoever changes this list changes what others have written.

const names = publicNames()

it.each(checkerTypes)('watchpost/checkers/%s has the checker under its own name', (type) => {
  expect(names.get(`./checkers/${type}`)?.values).toContain(type)
})

it('every subpath keeps its names', () => {
  const list = [...names].flatMap(([subpath, { values, types }]) => [
    subpath,
    ...values.map((name) => `  ${name}`),
    ...types.map((name) => `  type ${name}`),
  ])
  expect(list.join('\n')).toMatchInlineSnapshot()
})

/** What each entry exports, values and types apart. */
function publicNames() {
  const files = entries.map(({ source }) => join(root, source))
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  return new Map(
    entries.map(({ subpath, source }) => {
      const file = program.getSourceFile(join(root, source))
      const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
      const symbols = module === undefined ? [] : checker.getExportsOfModule(module)
      const isValue = (symbol: ts.Symbol) => (original(symbol).flags & ts.SymbolFlags.Value) !== 0
      const sorted = (list: readonly ts.Symbol[]) => list.map(({ name }) => name).sort()
      return [
        subpath,
        {
          values: sorted(symbols.filter(isValue)),
          types: sorted(symbols.filter((symbol) => !isValue(symbol))),
        },
      ]
    }),
  )

  function original(symbol: ts.Symbol): ts.Symbol {
    const alias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
    return alias ? checker.getAliasedSymbol(symbol) : symbol
  }
}
