/** Running child processes and reporting on them, for the scripts of this folder. */

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The repository's root, without a slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '')

/**
 * For a Node that tests start. Where SQLite is WebAssembly (Node 20), V8 otherwise compiles parts of it a second time,
 * for speed: twice the CPU of a command that lives for a second.
 */
export const WASM_AS_IT_COMES = '--liftoff-only'

/**
 * The same for all that runs there: what runs for seconds is not worth V8's optimizing compiler, a quarter of the CPU
 * of each start with the V8 of Node 20; later ones do not know the option.
 */
export const SHORT_LIVED = process.versions.node.startsWith('20.')
  ? [WASM_AS_IT_COMES, '--interrupt-budget=1500000']
  : [WASM_AS_IT_COMES]

/**
 * Runs one program without a stdin; resolves with its exit code.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean, late?: boolean }} [options] `quiet` shows the
 *   output only when it fails, `late` when it ends
 * @returns {Promise<number>} 127 where the program does not exist, 128 + n where signal n ended it
 */
export function run(command, args, { cwd = root, env = process.env, quiet, late } = {}) {
  const shown = quiet === true || late === true ? 'pipe' : 'inherit'
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', shown, shown] })
    /** @type {Buffer[]} */
    const output = []
    child.stdout?.on('data', (/** @type {Buffer} */ chunk) => output.push(chunk))
    child.stderr?.on('data', (/** @type {Buffer} */ chunk) => output.push(chunk))
    child.on('error', (error) => {
      process.stderr.write(`${command}: ${error.message}\n`)
      resolve(127)
    })
    /** @type {NodeJS.Signals | undefined} */
    let stopped
    const stop = (/** @type {NodeJS.Signals} */ signal) => {
      stopped = signal
      child.kill(signal)
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
    child.on('close', (code, signal) => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      const status = code ?? 128 + constants.signals[signal ?? 'SIGTERM']
      // Whoever stopped us wants no further step.
      if (stopped !== undefined) process.exit(128 + constants.signals[stopped])
      if (late === true || status !== 0) process.stderr.write(Buffer.concat(output))
      resolve(status)
    })
  })
}

/**
 * Runs a tool of node_modules/.bin with the Node that runs us, on every platform.
 *
 * @param {string} file path of its script below node_modules
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean }} [options]
 */
export function tool(file, args, options) {
  return run(process.execPath, [`${root}/node_modules/${file}`, ...args], options)
}
