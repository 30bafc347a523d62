/**
 * `npm run exports`: writes the lists of what is built in, found in its folders, into the sources and into
 * package.json, and the list of public names. `-- --check` writes nothing and fails where a file differs, as
 * test/package/exports.test.ts and test/package/public-names.test.ts do.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { checkerParts, contactParts } from './built-in.mjs'
import { packageExports } from './entries.mjs'
import { NAMES_FILE, publicNames } from './public-names.mjs'
import { root } from './steps.mjs'

/** @typedef {import('./built-in.mjs').Part} Part */

/**
 * Path below the root to text, as each of these files has to be.
 *
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function writtenLists() {
  const manifest = { ...JSON.parse(read('package.json')), exports: packageExports() }
  const lists = [
    ['src/checkers/index.ts', filled('src/checkers/index.ts', allCheckers)],
    ['src/checkers/by-type.ts', filled('src/checkers/by-type.ts', loaders)],
    ['src/contacts/index.ts', filled('src/contacts/index.ts', allContacts)],
    ['package.json', JSON.stringify(manifest, undefined, 2)],
  ]
  /** @type {Map<string, string>} */
  const texts = new Map()
  for (const [path = '', text = ''] of lists) {
    const filepath = join(root, path)
    texts.set(path, await format(text, { ...(await resolveConfig(filepath)), filepath }))
  }
  return texts
}

/** @param {string} from the folder of the file, for the paths of imports */
function allCheckers(from) {
  const byName = [...checkerParts].sort((a, b) => (a.name < b.name ? -1 : 1))
  const optional = byName.filter(({ options }) => options !== undefined)
  return `${imports(byName, from)}

export { ${byName.map(({ factory }) => factory).join(', ')} }

/** Options of the types that have options. */
interface OptionsByType {
${optional.map(({ name, options }) => `  readonly ${name}?: ${options} | undefined`).join('\n')}
}

const OPTIONS_BY_TYPE: OptionTable<OptionsByType> = {
  ${optional.map(({ name }) => `${name}: option.object`).join(', ')}
}

const specified = (options: OptionsByType) => [${calls(false)}] as const

const beyond = (${takesOptions(true) ? 'options: OptionsByType' : ''}) => [${calls(true)}] as const`
}

/** @param {boolean} extra */
function calls(extra) {
  return checkerParts
    .filter((part) => part.extra === extra)
    .map(call)
    .join(', ')
}

/** @param {boolean} extra */
function takesOptions(extra) {
  return checkerParts.some((part) => part.extra === extra && part.options !== undefined)
}

/** @param {string} from */
function loaders(from) {
  const entries = checkerParts.map((part) => {
    const given = part.options === undefined ? '()' : '(options)'
    return `${part.name}: async ${given} => (await import('${path(part, from)}')).${call(part)},`
  })
  const extra = checkerParts.filter((part) => part.extra).map(({ name }) => `'${name}'`)
  return `/** By type code, in the order of the documentation. */
const LOADERS: Readonly<Record<string, (options: BuiltinOptions) => Promise<AnyChecker>>> = {
${entries.join('\n')}
}

/** The type codes beyond the specification. */
export const EXTRA_TYPES: readonly string[] = [${extra.join(', ')}]`
}

/** @param {string} from */
function allContacts(from) {
  return `${imports(contactParts, from)}

export { ${contactParts.map(({ factory }) => factory).join(', ')} }
export type { ${contactParts.flatMap(({ options }) => options ?? []).join(', ')} }

const all = (options: ContactOptions) =>
  [${contactParts.map(({ factory }) => `${factory}(options)`).join(', ')}] as const`
}

/**
 * @param {readonly Part[]} parts
 * @param {string} from
 */
function imports(parts, from) {
  return parts
    .flatMap((part) => [
      `import { ${part.factory} } from '${path(part, from)}'`,
      ...(part.options === undefined
        ? []
        : [`import type { ${part.options} } from '${path(part, from)}'`]),
    ])
    .join('\n')
}

/** @param {Part} part */
function call({ name, factory, options }) {
  return options === undefined ? `${factory}()` : `${factory}(options.${name})`
}

/**
 * @param {Part} part
 * @param {string} from
 */
function path({ source }, from) {
  return `./${relative(from, source).replaceAll('\\', '/')}`
}

/**
 * The file with `content` between the lines `// built-in:begin …` and `// built-in:end`.
 *
 * @param {string} file
 * @param {(from: string) => string} content
 */
function filled(file, content) {
  const [before, , after, ...more] = read(file).split(
    /(?<=\/\/ built-in:begin.*\n)([^]*)(?=\/\/ built-in:end)/,
  )
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${file}: one pair of "// built-in:begin" and "// built-in:end" is expected`)
  }
  return `${before}${content(file.replace(/\/[^/]*$/, ''))}\n${after}`
}

/** @param {string} file */
function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const check = process.argv.includes('--check')
  for (const [file, text] of await writtenLists()) bringUp(file, text)
  // Read out of the sources, which are right by now.
  bringUp(NAMES_FILE, publicNames())

  /**
   * @param {string} file
   * @param {string} text
   */
  function bringUp(file, text) {
    if (existsSync(join(root, file)) && read(file) === text) return
    console.log(`${check ? 'differs' : 'written'}  ${file}`)
    if (check) process.exitCode = 1
    else writeFileSync(join(root, file), text)
  }
}
