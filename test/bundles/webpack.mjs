/** Runs webpack with a configuration, as its command line does. */

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import webpack from 'webpack'

const [, , file = ''] = process.argv
/** @type {unknown} */
const loaded = await import(pathToFileURL(resolve(file)).href)
const { default: configuration } = /** @type {{ default: import('webpack').Configuration[] }} */ (
  loaded
)
webpack(configuration, (error, stats) => {
  if (error === null && stats?.hasErrors() === false) return
  console.error(error ?? stats?.toString({ all: false, errors: true }))
  process.exitCode = 1
})
