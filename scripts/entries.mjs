/**
 * The public entry points, written once: tsup, the declarations, knip, the size ceilings, the test of
 * the packed tarball and `exports` in package.json all follow this list.
 *
 * Checkers are found in their folder; `npm run exports` brings package.json up to date.
 */

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { checkerParts } from './built-in.mjs'
import { root } from './steps.mjs'

/** The type codes of the built-in checkers, in the order of the documentation. */
export const checkerTypes = checkerParts.map(({ name }) => name)

const extraTypes = checkerParts.filter(({ extra }) => extra).length

/**
 * @typedef {object} Entry
 * @property {string} subpath as users write it after the package's name
 * @property {string} output file below dist, without its extension
 * @property {string} source file below the root
 * @property {number} maxKib ceiling of what `import` loads of ours: the file with its static chunks
 */

/** @type {readonly Entry[]} */
export const entries = [
  entry('.', 'index', 'src/index', 762),
  entry('./checkers', 'checkers/index', 'src/checkers/index', 585 + 10 * extraTypes),
  ...checkerParts.map(({ name, source, extra }) => {
    const output = extra ? `checkers/extra/${name}` : `checkers/${name}`
    return { subpath: `./${output}`, output, source, maxKib: 204 }
  }),
  entry('./store/memory', 'store/memory', 'src/store/memory', 83),
  entry('./store/sqlite', 'store/sqlite', 'src/store/sqlite', 146),
  entry('./store/postgres', 'store/postgres', 'src/store/postgres', 170),
  entry('./store/tables', 'store/tables', 'src/store/tables', 85),
  entry('./probes/bullmq', 'probes/bullmq', 'src/bullmq', 318),
  entry('./webhook', 'webhook/index', 'src/webhook/index', 159),
  entry('./contacts', 'contacts/index', 'src/contacts/index', 231),
  entry('./monitors', 'monitors/index', 'src/monitors/index', 40),
  entry('./verify', 'verify', 'src/webhook/verify', 24),
  entry('./guard', 'guard', 'src/net/guard/guard', 41),
  entry('./rest', 'rest/index', 'src/rest/index', 201),
  entry('./rest/node', 'rest/node', 'src/rest/node', 48),
  entry('./page', 'page/index', 'src/page/index', 350),
  entry('./client', 'client/index', 'src/client/index', 29),
  entry('./otel', 'otel/index', 'src/otel/otel', 37),
  entry('./metrics', 'metrics/index', 'src/metrics/metrics', 57),
  entry('./resources-agent', 'resources-agent', 'src/resources-agent/index', 20),
  entry('./testing', 'testing/index', 'src/testing/index', 456),
]

/** The command line: ESM only, no types, not importable. */
export const cli = { output: 'cli', source: 'src/cli/main.ts' }

/**
 * A package that is part of ours, with its licence: installed beside us it takes 1.2 MB, mostly the same
 * code in five formats. In a file of its own, so that it is weighed with nobody's code.
 */
export const bundled = {
  name: 'json-p3',
  output: 'bundled/json-p3',
  source: 'node_modules/json-p3/dist/json-p3.esm.js',
  licence: 'node_modules/json-p3/LICENCE',
}

/** What `exports` of package.json has to be. */
export function packageExports() {
  const listed = entries.map(({ subpath, output, source }) => {
    const types = source.replace(/^src\//, './dist/types/').replace(/\.ts$/, '')
    return [
      subpath,
      {
        import: { types: `${types}.d.ts`, default: `./dist/${output}.js` },
        require: { types: `${types}.d.cts`, default: `./dist/${output}.cjs` },
      },
    ]
  })
  return Object.fromEntries([...listed, ['./package.json', './package.json']])
}

/**
 * @param {string} subpath
 * @param {string} output
 * @param {string} base
 * @param {number} maxKib
 * @returns {Entry}
 */
function entry(subpath, output, base, maxKib) {
  return { subpath, output, source: locate(base), maxKib }
}

/**
 * A source file that has outgrown itself becomes a folder of the same name.
 *
 * @param {string} base path without extension
 */
function locate(base) {
  const places = [`${base}.ts`, `${base}/index.ts`, `${base}/${basename(base)}.ts`]
  return places.find((place) => existsSync(join(root, place))) ?? `${base}.ts`
}
