/**
 * `npm run nodes -- 22 24 26 [-- <arguments of vitest>]`: the test suite on other versions of Node, one after the
 * other, with a table at the end. Each is installed once, in `.cache/nodes`. Exit code 1 if one of them had a failure.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root, run } from './steps.mjs'

const given = process.argv.slice(2)
const split = given.includes('--') ? given.indexOf('--') : given.length
const versions = given.slice(0, split)
const tests = given.slice(split + 1)

if (versions.length === 0 || versions.some((version) => !/^\d+(?:\.\d+){0,2}$/.test(version))) {
  console.error('npm run nodes -- 22 24 26 [-- <arguments of vitest>]')
  process.exitCode = 64
} else {
  const rows = []
  for (const version of versions) rows.push(await suiteOn(version))
  console.log(`\n${rows.map(({ line }) => line).join('\n')}`)
  if (rows.some(({ passed }) => !passed)) process.exitCode = 1
}

/** @param {string} version */
async function suiteOn(version) {
  const bin = await installed(version)
  if (bin === undefined) return { line: `Node ${version}: not installed`, passed: false }
  console.log(`\n── Node ${version}`)
  const began = performance.now()
  const program = join(bin, process.platform === 'win32' ? 'node.exe' : 'node')
  // Tests find Node by its own path, and their shells by PATH.
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }
  const child = spawn(program, [join(root, 'scripts/test.mjs'), ...tests], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = ''
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    process.stdout.write(text)
    last = (last + text).slice(-500)
  })
  const [status] = await once(child, 'close')
  const counts = /^\d+ passed, .*$/m.exec(last)?.[0] ?? 'no counts'
  const seconds = Math.round((performance.now() - began) / 1000)
  return { line: `Node ${version}: ${counts} in ${seconds} s`, passed: status === 0 }
}

/**
 * The folder of its program.
 *
 * @param {string} version
 */
async function installed(version) {
  const folder = join(root, '.cache/nodes', version)
  const bin = join(folder, 'node_modules/node/bin')
  if (existsSync(bin)) return bin
  mkdirSync(folder, { recursive: true })
  // The package fetches the program of this platform when it is installed.
  const npm = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder]
  const status = await run('npm', [...npm, `node@${version}`], { quiet: true })
  return status === 0 && existsSync(bin) ? bin : undefined
}
