/**
 * Which tests answer first for changed files: `npm test -- --changed`. By rooms instead of imports, since nearly every
 * test imports nearly every room.
 */

import { spawnSync } from 'node:child_process'
import { root } from './steps.mjs'

/** Checkers whose tests stand in a common folder. */
const COMMON = /** @type {Readonly<Record<string, string>>} */ ({
  smtp: 'mail',
  imap: 'mail',
  pop3: 'mail',
  ftp: 'mail',
  mysql: 'sql',
  postgres: 'sql',
})

/**
 * Paths changed since a commit, also those git does not know yet.
 *
 * @param {string} since
 * @returns {string[]}
 */
export function changedSince(since) {
  const calls = [
    ['diff', '--name-only', '--diff-filter=d', since, '--'],
    ['ls-files', '--others', '--exclude-standard'],
  ]
  return calls.flatMap((args) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout.split('\n').filter((path) => path !== '')
  })
}

/** @returns {string[]} all test files of the repository */
export function allTests() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', 'test/*.test.ts']
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return stdout.split('\n').filter((path) => path !== '')
}

/**
 * @param {readonly string[]} changed
 * @param {readonly string[]} tests all there are
 * @returns {string[] | undefined} `undefined`: what has changed concerns all of them
 */
export function testsFor(changed, tests) {
  /** @type {Set<string>} */
  const chosen = new Set()
  for (const path of changed) {
    const found = testsForOne(path, tests)
    if (found === undefined) return undefined
    for (const test of found) chosen.add(test)
  }
  return [...chosen].sort()
}

/**
 * @param {string} path
 * @param {readonly string[]} tests
 * @returns {readonly string[] | undefined}
 */
function testsForOne(path, tests) {
  const [top = '', room = '', ...rest] = path.split('/')
  if (path.endsWith('.test.ts')) return tests.includes(path) ? [path] : []
  if (top === 'examples') return below('test/examples/', tests)
  if (top === 'docs' || path.endsWith('.md')) return ['test/package/docs.test.ts']
  if (top === 'scripts') return below('test/package/', tests)
  const isRoom = rest.length > 0 && room !== 'support' && (top === 'src' || top === 'test')
  if (isRoom) return testsOfRoom(room, rest, tests)
  if (top === 'src') return named(`test/${stem(room)}`, tests) ?? undefined
  return top === 'bench' ? [] : undefined
}

/**
 * Those named like the file or its folder, or the whole room.
 *
 * @param {string} room
 * @param {readonly string[]} rest the path below it
 * @param {readonly string[]} tests
 */
function testsOfRoom(room, rest, tests) {
  const folder = `test/${room}/`
  const all = below(folder, tests)
  // A room without tests of its own is used everywhere.
  if (all.length === 0) return undefined
  if (room !== 'checkers') return named(`${folder}${stem(rest[0])}`, tests) ?? all
  const [first = '', second = ''] = rest
  const common = COMMON[stem(first)]
  const isShared = common !== undefined
  const name = first === 'extra' ? `extra/${stem(second)}` : (common ?? stem(first))
  const own = named(`${folder}${name}`, tests)
  if (own === undefined) return all
  // Hundreds of servers that keep a checker waiting, of all checkers of the folder: more than a minute.
  const prompt = own.filter((test) => !isShared || !test.endsWith('/hostile.test.ts'))
  return [...prompt, `${folder}suite.test.ts`]
}

/** @param {string | undefined} file */
function stem(file = '') {
  return file.replace(/\..*$/, '')
}

/**
 * `undefined` where there is none.
 *
 * @param {string} start a path without its ending
 * @param {readonly string[]} tests
 */
function named(start, tests) {
  const found = tests.filter(
    (test) => test.startsWith(start) && /^[/.-]/.test(test.slice(start.length)),
  )
  return found.length === 0 ? undefined : found
}

/**
 * @param {string} folder
 * @param {readonly string[]} tests
 */
function below(folder, tests) {
  return tests.filter((test) => test.startsWith(folder))
}
