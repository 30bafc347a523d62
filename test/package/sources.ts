import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../../scripts/steps.mjs'

export interface SourceImport {
  /** `../net/net.ts`, `node:net`, `undici` as written. */
  readonly specifier: string
  /** Below src, for relative imports: `net/net.ts`. */
  readonly target: string | undefined
  /** Leaves nothing behind at run time. */
  readonly typeOnly: boolean
  /** `import('…')`. */
  readonly lazy: boolean
}

export interface SourceFile {
  /** Below src, with forward slashes: `checkers/http.ts`. */
  readonly path: string
  readonly lines: number
  readonly tree: ts.SourceFile
  readonly imports: readonly SourceImport[]
}

const src = join(root, 'src')

let parsed: readonly SourceFile[] | undefined

/** Every file of src, parsed once in a process. */
export function readSources(): readonly SourceFile[] {
  return (parsed ??= parseAll())
}

function parseAll(): readonly SourceFile[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(src, path), 'utf8')))
}

export function parseSource(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
  const imports: SourceImport[] = []
  visit(tree, (node) => {
    const found = importIn(node)
    if (found !== undefined) imports.push({ ...found, target: targetOf(path, found.specifier) })
  })
  return { path, lines: text.split('\n').length - 1, tree, imports }
}

/** Calls `look` for a node and everything below it. */
export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node)
  node.forEachChild((child) => {
    visit(child, look)
  })
}

function importIn(node: ts.Node): Omit<SourceImport, 'target'> | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    return { specifier: node.moduleSpecifier.text, typeOnly, lazy: false }
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    const specifier = (node.moduleSpecifier as ts.StringLiteral).text
    return { specifier, typeOnly: node.isTypeOnly, lazy: false }
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: textOf(node.argument.literal), typeOnly: true, lazy: false }
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [argument] = node.arguments
    return { specifier: textOf(argument), typeOnly: false, lazy: true }
  }
  return undefined
}

/** A specifier that is computed cannot be judged, so it is reported as it is written. */
function textOf(node: ts.Node | undefined): string {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : (node?.getText() ?? '')
}

function targetOf(path: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  return relative(src, join(src, dirname(path), specifier)).replaceAll('\\', '/')
}
