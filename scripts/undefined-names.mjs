/** Names in the CommonJS build that nothing defines: a statement that a build step has garbled fails only where it is reached. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Linter } from 'eslint'

/** `document` stands behind a `typeof`, in what stands in for `import.meta.url`. */
const surroundings = ['require', 'module', 'exports', '__filename', '__dirname', 'document']
const known = [...Object.getOwnPropertyNames(globalThis), ...surroundings]
const globals = Object.fromEntries(known.map((name) => [name, /** @type {const} */ ('readonly')]))

/**
 * @param {string} dist the folder of the build
 * @returns {readonly string[]} `index.cjs: 'x' is not defined.`
 */
export function undefinedNames(dist) {
  const linter = new Linter()
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  return files
    .filter((name) => name.endsWith('.cjs'))
    .flatMap((name) => {
      const problems = linter.verify(readFileSync(join(dist, name), 'utf8'), {
        linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
        languageOptions: { sourceType: 'commonjs', globals },
        rules: { 'no-undef': 'error' },
      })
      return problems.map(({ message }) => `${name}: ${message}`)
    })
}
