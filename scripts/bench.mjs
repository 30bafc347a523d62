/**
 * `npm run bench -- <name> …`: bundles the benchmarks with the sources as they are now and runs those
 * named; `-- load` puts engines on one PostgreSQL under load; `-- peers` measures other programs beside
 * ours; `-- --list` names them, `-- --help` tells the options. docs/performance.md says what they mean.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, run, tool } from './steps.mjs'

const [first, ...others] = process.argv.slice(2)
const isProgram = first === 'load' || first === 'peers'
const [program, args] = isProgram ? [`${first}.js`, others] : ['run.js', process.argv.slice(2)]

// Below the root, so that packages are found as the sources find them.
const folder = join(root, '.cache/bench')
rmSync(folder, { recursive: true, force: true })

const entries = [
  'bench/run.ts',
  'bench/load.ts',
  'bench/peers.ts',
  'bench/servers/farm.ts',
  'bench/servers/engine.ts',
]
const shape = [
  '--no-config',
  '--format=esm',
  '--target=node20.19',
  '--platform=node',
  '--splitting',
  // No ES modules, which cannot be made part of one.
  '--external=pg',
  '--external=undici',
]
const quiet = ['--silent', `--out-dir=${folder}`]
const status = await tool('tsup/dist/cli-default.js', [...entries, ...shape, ...quiet])
process.exitCode =
  status !== 0
    ? status
    : await run(process.execPath, ['--expose-gc', join(folder, program), ...args])
