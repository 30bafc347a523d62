/** The code in the documentation, type-checked against the sources as if it were files beside its page. */
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../../scripts/steps.mjs'
import type { Page } from './markdown.ts'

const EXTENSIONS: Readonly<Record<string, string>> = { ts: 'mts', js: 'mjs' }

/** Express has no types of its own. */
const AMBIENT = join(root, 'test/rest/express-modules.d.ts')

/** Files that are no page, read once for all programs. */
const read = new Map<string, ts.SourceFile | undefined>()

/** Problems as `docs/page.md:12: what is wrong`. A block marked `continued` goes on where the one before it ended. */
export function problemsIn(pages: readonly Page[]): string[] {
  const files = new Map(pages.flatMap(filesOf))
  const options = compilerOptions()
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => files.has(path) || fileExists(path)
  host.readFile = (path) => files.get(path) ?? readFile(path)
  host.getSourceFile = (path, ...rest) => {
    const text = files.get(path)
    if (text !== undefined) return ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
    if (!read.has(path)) read.set(path, getSourceFile(path, ...rest))
    return read.get(path)
  }
  const program = ts.createProgram([...files.keys(), AMBIENT], options, host)
  return [...files.keys()].flatMap((path) => {
    const file = program.getSourceFile(path)
    const found = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]
    return found.map((each) => problemOf(path, each))
  })
}

function compilerOptions(): ts.CompilerOptions {
  const path = join(root, 'tsconfig.json')
  const config = ts.readConfigFile(path, (file) => ts.sys.readFile(file))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root, undefined, path)
  return { ...options, noUnusedLocals: false, noUnusedParameters: false, noImplicitReturns: false }
}

/** Blank lines stand for the page around a block, so that problems name the line of the page. */
function filesOf({ path, blocks }: Page): [path: string, text: string][] {
  const files: { readonly path: string; lines: string[] }[] = []
  for (const { language, words, text, line } of blocks) {
    const extension = EXTENSIONS[language]
    if (extension === undefined) continue
    const last = files.at(-1)
    if (!words.includes('continued') || last === undefined) {
      files.push({ path: `${root}/${path}.${line}.${extension}`, lines: [] })
    }
    const file = files.at(-1)
    while (file !== undefined && file.lines.length < line - 1) file.lines.push('')
    file?.lines.push(...text.split('\n'))
  }
  return files.map((file) => [file.path, `${file.lines.join('\n')}\nexport {}\n`])
}

function problemOf(path: string, { file, start = 0, messageText }: ts.Diagnostic): string {
  const page = path.slice(root.length + 1).replace(/\.\d+\.\w+$/, '')
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1
  return `${page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
}
