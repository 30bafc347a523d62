import { existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { defineConfig, type Options } from 'tsup'
import { bundled, cli, entries } from './scripts/entries.mjs'

// An entry still to be written does not stop the others; test/package/exports.test.ts names it.
const written = [...entries, cli].filter(({ source }) => existsSync(source))
const sources = Object.fromEntries(written.map(({ output, source }) => [output, source]))
const { [cli.output]: _, ...library } = { ...sources, [bundled.output]: bundled.source }

const shared: Options = {
  target: 'node20.19',
  platform: 'node',
  // What entries have in common is in chunks, so that one process holds each class and each table once.
  splitting: true,
  // Packages are installed beside us; tsup itself would leave out only the plain dependencies.
  skipNodeModulesBundle: true,
  noExternal: [bundled.name],
  // Declarations come from tsc (scripts/declarations.mjs): bundling them takes far longer.
  dts: false,
  sourcemap: false,
  removeNodeProtocol: false,
  silent: true,
}

// Two builds write into one folder side by side; each removes its own files only.
export default defineConfig(({ outDir = 'dist' }) => [
  {
    ...shared,
    entry: { ...library, ...sources },
    format: 'esm',
    clean: ['**/*.js'],
    onSuccess: () => copyFile(bundled.licence, `${outDir}/${bundled.output}.LICENCE`),
  },
  {
    ...shared,
    entry: library,
    format: 'cjs',
    clean: ['**/*.cjs'],
    // `import.meta.url`, where it is used, means the same in CommonJS.
    shims: true,
    esbuildOptions: (options) =>
      void Object.assign(options, {
        // A second copy of the same code: those who read it read the modules, and the installation stays small.
        minifyWhitespace: true,
        // What tsup turns chunks into CommonJS with writes `return(a)??b` as one word, and each operator as a function.
        supported: { 'nullish-coalescing': false, 'optional-chain': false },
      }),
  },
])
