/**
 * `npm run check`: everything that must hold before a change is merged. `npm run check -- lint types`
 * runs those steps alone, `-- --except test` all but some, `-- --list` names them. `-- --jobs 2` runs two at a time,
 * each with its output when it ends. `-- --within 300` begins no step after so many seconds: those that are left are
 * named, and do not fail.
 */

import { tmpdir } from 'node:os'
import { run, tool } from './steps.mjs'

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} about
 * @property {() => Promise<number>} work resolves with an exit code
 * @property {string} [after] a step whose failure leaves nothing to look at
 */

/** The quick ones first: what the time does not suffice for is left. @type {readonly Step[]} */
const steps = [
  {
    name: 'format',
    about: 'prettier has nothing to change',
    work: () => tool('prettier/bin/prettier.cjs', ['--check', '--log-level=warn', '.']),
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
    name: 'lint',
    about: 'eslint with types: no floating promise, no clock or console out of place',
    work: () => tool('eslint/bin/eslint.js', ['.', '--max-warnings=0']),
  },
  {
    name: 'test',
    about: 'all tests, against real servers where there are any',
    work: () => script('test'),
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
  {
    name: 'new-checker',
    about: 'a checker and a contact kind are added to a copy by their own files alone',
    work: () => {
      const args = ['run', 'test/package/new-checker.test.ts']
      const env = { ...onDisk(), NEW_CHECKER: '1' }
      return tool('vitest/vitest.mjs', args, { env, quiet: true })
    },
  },
  {
    name: 'bundles',
    about:
      'Next.js, bundlers, executables, an image and `watchpost init` take the packed package, and it runs',
    work: () => {
      const args = ['run', 'test/bundles']
      return tool('vitest/vitest.mjs', args, { env: { ...onDisk(), BUNDLES: '1' }, quiet: true })
    },
  },
]

/** The environment of tests that write whole folders of packages, which are nothing for memory. */
function onDisk() {
  return { ...process.env, TMPDIR: tmpdir() }
}

/** @param {string} name */
function script(name) {
  return run(process.execPath, [`scripts/${name}.mjs`])
}

const names = steps.map(({ name }) => name)
const { words, numbers } = read(process.argv.slice(2), { '--within': Infinity, '--jobs': 1 })
const asked = words.filter((word) => !word.startsWith('--'))
const stranger = asked.find((word) => !names.includes(word))
const wrong = Object.entries(numbers).find(([, number]) => !(number >= 0))

if (words.includes('--list')) {
  for (const { name, about } of steps) console.log(`${name.padEnd(12)} ${about}`)
} else if (wrong !== undefined) {
  console.error(`${wrong[0]} takes a number`)
  process.exitCode = 64
} else if (stranger !== undefined) {
  console.error(`There is no step "${stranger}"; there are: ${names.join(', ')}`)
  process.exitCode = 64
} else {
  process.exitCode = await check(steps.filter(({ name }) => chosen(name)))
}

/**
 * Takes the flags that have a number out of the words.
 *
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, number>>} defaults
 */
function read(args, defaults) {
  let words = args
  const numbers = { ...defaults }
  for (const flag of Object.keys(defaults)) {
    const at = words.indexOf(flag)
    if (at === -1) continue
    numbers[flag] = Number(words[at + 1])
    words = words.toSpliced(at, 2)
  }
  return { words, numbers }
}

/** @param {string} name */
function chosen(name) {
  if (asked.length === 0) return true
  return asked.includes(name) !== words.includes('--except')
}

/** @param {readonly Step[]} list */
async function check(list) {
  const { '--within': withinSeconds = Infinity, '--jobs': jobs = 1 } = numbers
  const deadline = performance.now() + withinSeconds * 1000
  /** @type {Map<string, Promise<string>>} */
  const outcomes = new Map()

  /** @param {Step} step */
  async function outcomeOf({ name, about, work, after = '' }) {
    if ((await outcomes.get(after))?.startsWith('FAILED')) return `not run: ${after} failed`
    if (performance.now() > deadline) return `left: ${withinSeconds} s are over`
    const began = performance.now()
    if (jobs <= 1) console.log(`\n── ${name}: ${about}`)
    const status = jobs > 1 ? await alone(name) : await work()
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    return status === 0 ? `ok in ${seconds} s` : `FAILED (${status}) in ${seconds} s`
  }

  const waiting = list.values()
  const lane = async () => {
    for (const step of waiting) {
      const outcome = outcomeOf(step)
      outcomes.set(step.name, outcome)
      await outcome
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, lane))

  console.log('')
  let failed = 0
  for (const { name } of list) {
    const outcome = (await outcomes.get(name)) ?? ''
    console.log(`${name.padEnd(12)} ${outcome}`)
    if (!/^(?:ok|left)/.test(outcome)) failed++
  }
  return failed === 0 ? 0 : 1
}

/**
 * The step in a process of its own.
 *
 * @param {string} name
 */
function alone(name) {
  return run(process.execPath, ['scripts/check.mjs', name], { late: true })
}
