/**
 * What `import` of each subpath loads of our own code: the entry with its static chunks, unminified.
 * Code behind `import()` counts for nobody; packages are not ours to weigh.
 */

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundled, entries } from './entries.mjs'
import { root } from './steps.mjs'

const packages = loadedBy(join(root, 'dist', `${bundled.output}.js`))
let tooBig = 0
for (const { subpath, output, maxKib } of entries) {
  const kib = [...loadedBy(join(root, 'dist', `${output}.js`))]
    .filter((file) => !packages.has(file))
    .map((file) => readFileSync(file).length / 1024)
    .reduce((sum, size) => sum + size, 0)
  const over = kib > maxKib
  if (over) tooBig += 1
  console.log(
    `${subpath.padEnd(22)} ${kib.toFixed(1).padStart(7)} KiB of ${maxKib}${over ? '  TOO BIG' : ''}`,
  )
}
process.exitCode = tooBig === 0 ? 0 : 1

/**
 * The file and everything it imports at once, directly or not.
 *
 * @param {string} file
 * @param {Set<string>} seen
 */
function loadedBy(file, seen = new Set()) {
  if (seen.has(file)) return seen
  seen.add(file)
  // esbuild writes one static import per line, with the specifier at its end.
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}) ?.*?"(\.[^"]+)";$/gm)
  for (const [, specifier = ''] of imports) loadedBy(join(dirname(file), specifier), seen)
  return seen
}
