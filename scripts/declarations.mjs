/**
 * Declarations by tsc, one readable file per source file, in both module formats: `.d.ts` for `import`
 * and `.d.cts` for `require`. TypeScript leaves the `.ts` in relative specifiers of declarations, so
 * they are named here after the file that a consumer's compiler will look for.
 */

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, tool } from './steps.mjs'

const folder = join(root, 'dist/types')
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })

const status = await tool('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
if (status !== 0) process.exit(status)

for (const file of await readdir(folder, { recursive: true })) {
  if (!file.endsWith('.d.ts')) continue
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  await writeFile(path, withExtension(text, 'js'))
  await writeFile(path.replace(/\.ts$/, '.cts'), withExtension(text, 'cjs'))
}

/**
 * @param {string} declarations
 * @param {'js' | 'cjs'} extension
 */
function withExtension(declarations, extension) {
  return declarations.replace(
    /((?:\bfrom|\bimport)\s*\(?\s*)(["'])(\.{1,2}\/[^"']+)\.ts\2/g,
    `$1$2$3.${extension}$2`,
  )
}
