/**
 * `npm start`: builds what runs (no declarations) and becomes the server. One process, so that a signal
 * sent to it reaches the engine; arguments are passed on to `serve`. (`exec` in package.json is for the
 * same: the shell between npm and us would die of the signal and leave us behind.)
 */

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, tool } from './steps.mjs'

const status = await tool('tsup/dist/cli-default.js', [])
if (status !== 0) process.exit(status)

const cli = join(root, 'dist/cli.js')
process.argv = [process.execPath, cli, 'serve', ...process.argv.slice(2)]
await import(pathToFileURL(cli).href)
