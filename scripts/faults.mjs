/**
 * `npm run faults -- <name> [--option value …]`: bundles a fault run of test/faults with the sources as they
 * are now and runs it; without a name it lists them. docs/reliability.md says what they show.
 */

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'tsup'
import { root, run } from './steps.mjs'

const sources = join(root, 'test/faults')
const names = readdirSync(sources)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.ts'.length))

const [name, ...args] = process.argv.slice(2)
process.exitCode =
  name === undefined || !names.includes(name) ? list(name) : await start(name, args)

/** @param {string | undefined} wanted */
function list(wanted) {
  if (wanted !== undefined) process.stderr.write(`There is no fault run "${wanted}".\n`)
  const width = Math.max(...names.map(({ length }) => length))
  for (const each of names) {
    process.stdout.write(`npm run faults -- ${each.padEnd(width)}  ${firstSentence(each)}\n`)
  }
  return wanted === undefined ? 0 : 64
}

/** @param {string} each */
function firstSentence(each) {
  const comment =
    /\/\*\*(.*?)\*\//s.exec(readFileSync(join(sources, `${each}.ts`), 'utf8'))?.[1] ?? ''
  const text = comment
    .replace(/^ *\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}

/**
 * @param {string} each
 * @param {readonly string[]} options
 */
async function start(each, options) {
  // Below the root, so that packages are found as the sources find them.
  const folder = join(root, '.cache/faults', `${each}-${process.pid}`)
  await build({
    entry: [join(sources, `${each}.ts`)],
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    skipNodeModulesBundle: true,
    removeNodeProtocol: false,
    config: false,
    silent: true,
  })
  const status = await run(process.execPath, [join(folder, `${each}.mjs`), ...options])
  rmSync(folder, { recursive: true, force: true })
  return status
}
