/**
 * Runs commands of the command line one after the other in one process, for `warmCommands`: what a start costs is paid
 * once. Of the program only its main file is evaluated anew; it keeps no state elsewhere.
 *
 * Usage: fork it with the path of the program; each message `{ args, env, cwd }` is answered with
 * `{ code, stdout, stderr }`.
 */

import { chdir } from 'node:process'
import { pathToFileURL } from 'node:url'

const program = pathToFileURL(process.argv[2] ?? '')
const exit = process.exit.bind(process)
let runs = 0

/** @typedef {{ args: string[], env: object, cwd: string }} Order */

// A command sets up its process, and expects it to end.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0)
process.exit = /** @type {typeof process.exit} */ (
  (/** @type {number | undefined} */ code) => {
    if (code !== undefined) exit(code)
  }
)

process.on('disconnect', () => exit())
process.on('message', (/** @type {Order} */ order) => void run(order))

/** @param {Order} order */
async function run({ args, env, cwd }) {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name)
  Object.assign(process.env, env)
  chdir(cwd)
  process.argv = [process.execPath, program.pathname, ...args]
  process.exitCode = undefined
  const texts = { stdout: '', stderr: '' }
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    process[name].write = /** @type {typeof process.stdout.write} */ (
      (/** @type {string | Uint8Array} */ text, /** @type {unknown[]} */ ...rest) => {
        texts[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
        const done = rest.find((each) => typeof each === 'function')
        if (typeof done === 'function') process.nextTick(done)
        return true
      }
    )
  }
  program.search = `?${++runs}`
  await import(program.href)
  process.send?.({ code: exitCode(), ...texts })
}

/** As the command has left it. */
function exitCode() {
  return Number(process.exitCode ?? 0)
}
