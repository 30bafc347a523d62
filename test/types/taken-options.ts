/** Which optional properties of what the package takes cannot be written as `undefined`. */
import { join, relative } from 'node:path'
import ts from 'typescript'
import { entries } from '../../scripts/entries.mjs'
import { root } from '../../scripts/steps.mjs'

/** What an engine hands to a store or a probe, and what a host implements: no options. */
const CONTRACTS =
  /^src\/(?:store\/(?:change|claim|queries|store)\.ts|probes\/transport\.ts|model\/audit\.ts|clock\.ts|model\.ts: (?:MachineState|OpenIncident)\.)/

/** Left out, it is the first account or all of them; a value that got lost must not mean that, and is refused. */
const ACCOUNT = /: (?:MetricsScope|PublicStatus|SyncOptions)\.account_id$/

/** `src/file.ts: Options.name`, of every function that a subpath exports and of the methods of what it returns. */
export function strictOptions(): readonly string[] {
  const files = entries.map(({ source }) => join(root, source))
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  const found = new Set<string>()
  const seen = { taken: new Set<ts.Type>(), returned: new Set<ts.Type>() }

  for (const path of files) {
    const file = program.getSourceFile(path)
    const module = file && checker.getSymbolAtLocation(file)
    for (const symbol of module ? checker.getExportsOfModule(module) : []) {
      callable(checker.getTypeOfSymbol(original(symbol)))
    }
  }
  return [...found].filter((name) => !CONTRACTS.test(name) && !ACCOUNT.test(name)).sort()

  function callable(type: ts.Type): void {
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.getParameters()) take(checker.getTypeOfSymbol(parameter))
      giveBack(signature.getReturnType())
    }
  }

  /** Methods of what is returned take options as well. */
  function giveBack(type: ts.Type): void {
    const known = checker.getAwaitedType(type) ?? type
    if (seen.returned.has(known)) return
    seen.returned.add(known)
    for (const property of ownProperties(known)) {
      const value = checker.getTypeOfSymbol(property)
      if (value.getCallSignatures().length > 0) callable(value)
      else giveBack(value)
    }
  }

  function take(type: ts.Type): void {
    if (seen.taken.has(type)) return
    seen.taken.add(type)
    const constraint = type.isTypeParameter() ? type.getConstraint() : undefined
    if (constraint) take(constraint)
    if (type.isUnion()) return type.types.forEach(take)
    if (checker.isArrayLikeType(type))
      return checker.getTypeArguments(type as ts.TypeReference).forEach(take)
    for (const property of ownProperties(type)) {
      for (const declaration of property.getDeclarations() ?? []) {
        if (!ts.isPropertySignature(declaration) || declaration.type === undefined) continue
        if (declaration.questionToken !== undefined && !takesUndefined(declaration.type)) {
          const file = relative(root, declaration.getSourceFile().fileName)
          const owner = ts.findAncestor(declaration, ts.isInterfaceDeclaration)?.name.text
          const alias = ts.findAncestor(declaration, ts.isTypeAliasDeclaration)?.name.text
          found.add(`${file}: ${owner ?? alias ?? ''}.${property.name}`)
        }
      }
      take(checker.getNonNullableType(checker.getTypeOfSymbol(property)))
    }
  }

  /** Of types that are declared here; others have rules of their own. */
  function ownProperties(type: ts.Type): readonly ts.Symbol[] {
    return checker.getPropertiesOfType(type).filter((property) => {
      const [declaration] = property.getDeclarations() ?? []
      return declaration?.getSourceFile().fileName.startsWith(join(root, 'src')) === true
    })
  }

  function takesUndefined(node: ts.TypeNode): boolean {
    const type = checker.getTypeFromTypeNode(node)
    const parts = type.isUnion() ? type.types : [type]
    const loose = ts.TypeFlags.Undefined | ts.TypeFlags.Unknown | ts.TypeFlags.Any
    return parts.some(({ flags }) => (flags & loose) !== 0)
  }

  function original(symbol: ts.Symbol): ts.Symbol {
    const alias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
    return alias ? checker.getAliasedSymbol(symbol) : symbol
  }
}
