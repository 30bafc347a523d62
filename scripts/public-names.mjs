/** The names that each subpath exports, values and types apart: what test/package/public-names.txt holds. */

import { join } from 'node:path'
import ts from 'typescript'
import { entries } from './entries.mjs'
import { root } from './steps.mjs'

/** Below the root; written by `npm run exports`. */
export const NAMES_FILE = 'test/package/public-names.txt'

export function publicNames() {
  const files = entries.map(({ source }) => join(root, source))
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()

  /** @param {ts.Symbol} symbol */
  const isValue = (symbol) => {
    const alias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
    const original = alias ? checker.getAliasedSymbol(symbol) : symbol
    return (original.flags & ts.SymbolFlags.Value) !== 0
  }
  const lines = entries.flatMap(({ subpath, source }) => {
    const file = program.getSourceFile(join(root, source))
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
    const symbols = module === undefined ? [] : checker.getExportsOfModule(module)
    const values = symbols.filter((symbol) => isValue(symbol)).map(({ name }) => name)
    const types = symbols.filter((symbol) => !isValue(symbol)).map(({ name }) => name)
    return [
      subpath,
      ...values.sort().map((name) => `  ${name}`),
      ...types.sort().map((name) => `  type ${name}`),
    ]
  })
  return `${lines.join('\n')}\n`
}
