/**
 * `npm run docs`: writes what the code can say about itself into docs/ and into types, and removes generated files of
 * what is gone. `-- --check` writes nothing and fails where the committed files differ; test/package/docs.test.ts does
 * the same.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './steps.mjs'

// Node 22.18 and later reads TypeScript by itself.
if (!('typescript' in process.features && process.features.typescript)) {
  register('./docs/read-typescript.mjs', import.meta.url)
}

const { generatePages, stalePages } = await import('./docs/pages.ts')
const check = process.argv.includes('--check')
let differing = 0
const pages = await generatePages()
for (const [path, text] of pages) {
  const file = join(root, path)
  if (read(file) === text) continue
  differing += 1
  console.log(`${check ? 'differs' : 'written'}  ${path}`)
  if (check) continue
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
for (const path of stalePages(pages)) {
  differing += 1
  console.log(`${check ? 'is stale' : 'removed'}  ${path}`)
  if (!check) rmSync(join(root, path))
}
process.exitCode = check && differing > 0 ? 1 : 0

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
