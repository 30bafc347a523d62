import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { commonFields } from '../../src/engine/registry/monitor-fields.ts'

it('an editor shows what each common setting means, where it is written', () => {
  const fields = Object.entries(commonFields()).map(([name, { info }]) => {
    const { description, unit } = info as { readonly description: string; readonly unit?: string }
    return [name, unit === undefined ? description : `${description} (${unit})`]
  })
  expect(documented('src/engine/api/inputs.ts', 'CommonInput')).toEqual(Object.fromEntries(fields))
})

/** The doc comments that reach the properties of a type. */
function documented(path: string, name: string): Readonly<Record<string, string>> {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  const program = ts.createProgram([join(root, path)], options)
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(join(root, path))
  const module = file && checker.getSymbolAtLocation(file)
  const symbol = module && checker.getExportsOfModule(module).find((each) => each.name === name)
  if (symbol === undefined) throw new Error(`there is no ${name}`)
  const properties = checker.getDeclaredTypeOfSymbol(symbol).getProperties()
  return Object.fromEntries(
    properties.map((property) => [
      property.name,
      ts.displayPartsToString(property.getDocumentationComment(checker)).replaceAll('\n', ' '),
    ]),
  )
}
