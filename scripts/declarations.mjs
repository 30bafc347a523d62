/**
 * Declarations by tsc, one readable file per source file, in both module formats: `.d.ts` for `import`
 * and `.d.cts` for `require`. TypeScript leaves the `.ts` in relative specifiers of declarations, so
 * they are named here after the file that a consumer's compiler will look for. Those that no subpath leads
 * to (of the command line, of what is hidden behind an interface) are not published.
 */

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { entries } from './entries.mjs'
import { root, tool } from './steps.mjs'

/** `from './x.ts'`, `import './x.ts'`, `import('./x.ts')`. */
const RELATIVE = /((?:\bfrom|\bimport)\s*\(?\s*)["'](\.{1,2}\/[^"']+)\.ts["']/g

const folder = join(root, 'dist/types')
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })

const status = await tool('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
if (status !== 0) process.exit(status)

/** @type {Map<string, string>} */
const needed = new Map()
for (const { source } of entries) {
  await gather(join(folder, source.replace(/^src\//, '').replace(/\.ts$/, '.d.ts')))
}
for (const file of await readdir(folder, { recursive: true })) {
  if (!file.endsWith('.d.ts')) continue
  const path = join(folder, file)
  const text = needed.get(path)
  if (text === undefined) {
    await rm(path)
    continue
  }
  await writeFile(path, withExtension(text, 'js'))
  await writeFile(path.replace(/\.ts$/, '.cts'), withExtension(text, 'cjs'))
}

/**
 * This file and all that it leads to.
 *
 * @param {string} path
 */
async function gather(path) {
  if (needed.has(path)) return
  const text = await readFile(path, 'utf8')
  needed.set(path, text)
  for (const [, , specifier = ''] of text.matchAll(RELATIVE)) {
    await gather(join(dirname(path), `${specifier}.d.ts`))
  }
}

/**
 * @param {string} declarations
 * @param {'js' | 'cjs'} extension
 */
function withExtension(declarations, extension) {
  return declarations.replace(
    RELATIVE,
    (_, before, specifier) => `${before}'${specifier}.${extension}'`,
  )
}
