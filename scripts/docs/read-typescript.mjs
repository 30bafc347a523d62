/** Module hooks for Node.js 20, which does not strip types: they are taken out by the compiler we have anyway. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts') || url.includes('/node_modules/')) return nextLoad(url, context)
  const text = await readFile(fileURLToPath(url), 'utf8')
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  }
  const { outputText } = ts.transpileModule(text, { compilerOptions })
  return { format: 'module', source: outputText, shortCircuit: true }
}
