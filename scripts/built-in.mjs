/**
 * What is built in, found where it stands: a checker in `src/checkers/extra` (the sixteen of the specification in
 * `src/checkers`), a contact kind in `src/contacts`. One that has outgrown its file is a folder with an index.ts.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './steps.mjs'

/** Type codes of the specification, in its order. Types beyond it follow by name. */
const SPECIFIED = [
  'http',
  'content',
  'ping',
  'tcp',
  'dns',
  'ssl',
  'domain',
  'smtp',
  'pop3',
  'imap',
  'ftp',
  'mysql',
  'postgres',
  'resources',
  'heartbeat',
  'blacklist',
]

/**
 * @typedef {object} Part
 * @property {string} name type code of a checker, kind of a contact
 * @property {string} factory the function that makes it
 * @property {string} source file below the root
 * @property {string | undefined} options the type of the factory's options, where it is named after the part
 */

/** @typedef {Part & { readonly extra: boolean }} CheckerPart `extra`: beyond the sixteen */

/** @type {readonly CheckerPart[]} */
export const checkerParts = [
  ...SPECIFIED.map((name) => ({ ...checkerPart('src/checkers', name), extra: false })),
  ...namesIn('src/checkers/extra').map((name) => ({
    ...checkerPart('src/checkers/extra', name),
    extra: true,
  })),
]

/** @type {readonly Part[]} */
export const contactParts = namesIn('src/contacts')
  .map((name) => part('src/contacts', { name, factory: `${name}Contact` }))
  .filter((found) => found !== undefined)

/**
 * Files and folders with an index.ts, by name.
 *
 * @param {string} folder
 */
function namesIn(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((each) => (each.isDirectory() ? hasIndex(each.name) : /\.ts$/.test(each.name)))
    .map(({ name }) => name.replace(/\.ts$/, ''))
    .sort()

  /** @param {string} name */
  function hasIndex(name) {
    return existsSync(join(root, folder, name, 'index.ts'))
  }
}

/**
 * @param {string} folder
 * @param {string} name
 */
function checkerPart(folder, name) {
  const found = part(folder, { name, factory: name })
  if (found !== undefined) return found
  throw new Error(`${folder}/${name}.ts (or ${name}/index.ts) does not export "${name}"`)
}

/**
 * The file that exports the factory; undefined where none does.
 *
 * @param {string} folder
 * @param {{ name: string, factory: string }} wanted
 * @returns {Part | undefined}
 */
function part(folder, { name, factory }) {
  const source = [`${folder}/${name}.ts`, `${folder}/${name}/index.ts`].find((place) =>
    existsSync(join(root, place)),
  )
  if (source === undefined) return undefined
  const text = readFileSync(join(root, source), 'utf8')
  if (!new RegExp(`^export (?:const|function) ${factory}\\b`, 'm').test(text)) return undefined
  const options = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Options`
  const takes = new RegExp(`^export .*\\b${factory}\\b[^{]*?\\(\\s*options: ${options}\\b`, 'm')
  return { name, factory, source, options: takes.test(text) ? options : undefined }
}
