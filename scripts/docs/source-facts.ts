/** What only the text of a source file says: doc comments, names of exports, codes in `throw`. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../steps.mjs'

export function parseFile(path: string): ts.SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
}

/** Every .ts file below src, as a path below the root. */
export function sourcePaths(): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .sort()
}

/** Members of an interface with their types and doc comments, as they are written. */
export function membersOf(
  path: string,
  name: string,
): { readonly name: string; readonly type: string; readonly about: string }[] {
  const found = parseFile(path).statements.find(
    (node) => ts.isInterfaceDeclaration(node) && node.name.text === name,
  )
  if (found === undefined) throw new Error(`${path} has no interface ${name}`)
  return (found as ts.InterfaceDeclaration).members
    .filter(ts.isPropertySignature)
    .map((member) => ({
      name: member.name.getText(),
      type: oneLine((member.type?.getText() ?? 'unknown').replace(/\/\*\*[\s\S]*?\*\/\s*/g, '')),
      about: plain(commentOf(member)),
    }))
}

/** The first paragraph of a file's own comment. */
export function moduleComment(path: string): string {
  const { text } = parseFile(path)
  const comment = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? ''
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, ''))
  const [first = ''] = lines
    .join('\n')
    .trim()
    .split(/\n\s*\n|\n@/)
  return plain(first)
}

/** Names that a file exports for use at run time, each once: a function may have several signatures. */
export function valueExports(path: string): string[] {
  const names = parseFile(path).statements.flatMap((node) => {
    if (ts.isExportDeclaration(node)) return node.isTypeOnly ? [] : namesIn(node)
    const exported = ts.canHaveModifiers(node)
      ? ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      : false
    if (exported !== true) return []
    if (ts.isVariableStatement(node)) {
      return node.declarationList.declarations.map((each) => each.name.getText())
    }
    const named = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)
    return named && node.name !== undefined ? [node.name.text] : []
  })
  return [...new Set(names)].sort()
}

function namesIn({ exportClause }: ts.ExportDeclaration): string[] {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return []
  return exportClause.elements.filter((each) => !each.isTypeOnly).map((each) => each.name.text)
}

/** Commands of the command line, each with the file that has it. */
export function commandFiles(): readonly (readonly [name: string, path: string])[] {
  const text = readFileSync(join(root, 'src/cli/commands.ts'), 'utf8')
  const found = [...text.matchAll(/^ {2}(\w+): \{[^}]*?import\('\.\/([^']+)'\)/gm)]
  return found.map(([, name = '', path = '']) => [name, `src/cli/${path}`] as const)
}

/** Variables of the environment that the command line reads. */
export function environmentVariables(): string[] {
  const text = readFileSync(join(root, 'src/cli/environment.ts'), 'utf8')
  return [...text.matchAll(/\bsetting\(\s*'([A-Z_]+)'/g)].map(([, name = '']) => name)
}

/** Codes of errors that can be thrown out of the engine or answered by REST, found where they are made. */
export function errorCodes(): string[] {
  const codes = sourcePaths().flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const made = [...text.matchAll(/new ConflictError\(\s*'([a-z_]+)'/g)]
    const refused = path.startsWith('src/rest/')
      ? [...text.matchAll(/\bstatus: \d+,\s*error: '([a-z_]+)'/g)]
      : []
    const fixed = /errors\.ts$|verify\.ts$/.test(path)
      ? [...text.matchAll(/super\(\s*'([a-z_]+)'/g)]
      : []
    return [...made, ...refused, ...fixed].map(([, found = '']) => found)
  })
  return [...new Set(codes)].sort()
}

function oneLine(type: string): string {
  const members = type.replace(/readonly /g, '').replace(/([^{;\s])\s*\n(?=\s*\w)/g, '$1;\n')
  return members.replace(/\s+/g, ' ')
}

function commentOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node)
  const text = comment === undefined ? '' : comment.comment
  return (typeof text === 'string' ? text : ts.getTextOfJSDocComment(text)) ?? ''
}

function plain(text: string): string {
  return text
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim()
}
