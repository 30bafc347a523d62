/**
 * `npm run simulate`: bundles the deterministic simulation with the sources as they are now and runs it;
 * `-- --help` tells the options. docs/reliability.md says what it shows.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, run, tool } from './steps.mjs'

// Below the root, so that packages are found as the sources find them.
const folder = join(root, `.cache/simulation/run-${process.pid}`)

const given = process.argv.slice(2)
const words = given.includes('--help') ? ['--help'] : given
const entry = words.includes('--break') ? 'break-rules' : 'run'
const shape = ['--no-config', '--format=esm', '--target=node20.19', '--platform=node']
const quiet = ['--silent', `--out-dir=${folder}`]
const status = await tool('tsup/dist/cli-default.js', [
  `test/simulation/${entry}.ts`,
  ...shape,
  ...quiet,
])
process.exitCode =
  status !== 0 ? status : await run(process.execPath, [join(folder, `${entry}.js`), ...words])
rmSync(folder, { recursive: true, force: true })
