/**
 * `npm run check`: everything that must hold before a change is merged. `npm run check -- lint types`
 * runs those steps alone, `-- --except test` all but some, `-- --list` names them. `-- --within 300` begins no step
 * after so many seconds: those that are left are named, and do not fail.
 */

import { run, tool } from './steps.mjs'

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} about
 * @property {() => Promise<number>} work resolves with an exit code
 * @property {string} [after] a step whose failure leaves nothing to look at
 */

/** @type {readonly Step[]} */
const steps = [
  {
    name: 'format',
    about: 'prettier has nothing to change',
    work: () => tool('prettier/bin/prettier.cjs', ['--check', '--log-level=warn', '.']),
  },
  {
    name: 'lint',
    about: 'eslint with types: no floating promise, no clock or console out of place',
    work: () => tool('eslint/bin/eslint.js', ['.', '--max-warnings=0']),
  },
  {
    name: 'types',
    about: 'tsc at its strictest over sources, tests and scripts',
    work: () => tool('typescript/bin/tsc', ['--noEmit']),
  },
  {
    name: 'dead-code',
    about: 'knip: no export, file or dependency that nobody uses',
    work: () => tool('knip/bin/knip.js', []),
  },
  {
    name: 'test',
    about: 'all tests, against real servers where there are any',
    work: () => script('test'),
  },
  {
    name: 'new-checker',
    about: 'a checker and a contact kind are added to a copy by their own files alone',
    work: () => {
      const args = ['run', 'test/package/new-checker.test.ts']
      const env = { ...process.env, NEW_CHECKER: '1' }
      return tool('vitest/vitest.mjs', args, { env, quiet: true })
    },
  },
  {
    name: 'bundles',
    about:
      'Next.js, bundlers, executables, an image and `watchpost init` take the packed package, and it runs',
    work: () => {
      const args = ['run', 'test/bundles']
      return tool('vitest/vitest.mjs', args, { env: { ...process.env, BUNDLES: '1' }, quiet: true })
    },
  },
  {
    name: 'build',
    about: 'both module formats and their declarations',
    work: async () => (await tool('tsup/dist/cli-default.js', [])) || script('declarations'),
  },
  {
    name: 'package',
    about: 'publint and attw on the packed tarball, and its use in an empty project',
    work: () => script('package'),
    after: 'build',
  },
  {
    name: 'size',
    about: 'what each subpath loads stays below its ceiling',
    work: () => script('sizes'),
    after: 'build',
  },
]

/** @param {string} name */
function script(name) {
  return run(process.execPath, [`scripts/${name}.mjs`])
}

const names = steps.map(({ name }) => name)
const { words, withinSeconds } = read(process.argv.slice(2))
const asked = words.filter((word) => !word.startsWith('--'))
const stranger = asked.find((word) => !names.includes(word))

if (words.includes('--list')) {
  for (const { name, about } of steps) console.log(`${name.padEnd(12)} ${about}`)
} else if (Number.isNaN(withinSeconds)) {
  console.error('--within takes a number of seconds')
  process.exitCode = 64
} else if (stranger !== undefined) {
  console.error(`There is no step "${stranger}"; there are: ${names.join(', ')}`)
  process.exitCode = 64
} else {
  process.exitCode = await check(steps.filter(({ name }) => chosen(name)))
}

/** @param {readonly string[]} args */
function read(args) {
  const at = args.indexOf('--within')
  if (at === -1) return { words: args, withinSeconds: Infinity }
  return { words: args.toSpliced(at, 2), withinSeconds: Number(args[at + 1]) }
}

/** @param {string} name */
function chosen(name) {
  if (asked.length === 0) return true
  return asked.includes(name) !== words.includes('--except')
}

/** @param {readonly Step[]} list */
async function check(list) {
  /** @type {Map<string, string>} */
  const outcomes = new Map()
  const deadline = performance.now() + withinSeconds * 1000
  let left = 0
  for (const { name, about, work, after } of list) {
    if (after !== undefined && outcomes.get(after)?.startsWith('FAILED')) {
      outcomes.set(name, `not run: ${after} failed`)
      continue
    }
    if (performance.now() > deadline) {
      outcomes.set(name, `not run: ${withinSeconds} s are over`)
      left++
      continue
    }
    console.log(`\n── ${name}: ${about}`)
    const began = performance.now()
    const status = await work()
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    outcomes.set(name, status === 0 ? `ok in ${seconds} s` : `FAILED (${status}) in ${seconds} s`)
  }
  console.log('')
  for (const [name, outcome] of outcomes) console.log(`${name.padEnd(12)} ${outcome}`)
  const ok = [...outcomes.values()].filter((outcome) => outcome.startsWith('ok')).length
  return ok + left === list.length ? 0 : 1
}
