/**
 * `npm test`: installs the real servers that the tests need where it can, says what is missing where it
 * cannot, runs vitest (arguments are passed on) and ends with the files that took the most CPU time, and the counts
 * alone on a line.
 *
 * `--changed`, or `--changed=<commit>`, runs only the tests of the rooms in which something has changed since.
 *
 * With REQUIRE_SERVERS=1 a missing server is a failed test instead of skipped ones.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allTests, changedSince, testsFor } from './changed-tests.mjs'
import { cannotInstall, install, missing, servers } from './servers.mjs'
import { root, tool } from './steps.mjs'

/** @typedef {{ passed: number, failed: number, skipped: number, reasons: Record<string, number> }} Counts */

/** Files in the list of those that took the most CPU time. */
const LISTED = 20

const args = chosen(process.argv.slice(2))

await provideServers()

const folder = mkdtempSync(join(tmpdir(), 'watchpost-test-'))
const path = join(folder, 'counts.json')
const cpuLog = join(folder, 'cpu.jsonl')
const status = await tool(
  'vitest/vitest.mjs',
  ['run', '--reporter=default', `--reporter=${join(root, 'scripts/counts-reporter.mjs')}`, ...args],
  { env: { ...process.env, WATCHPOST_TEST_COUNTS: path, WATCHPOST_TEST_CPU: cpuLog } },
)
const counts = readCounts()
const used = readCpuTimes()
rmSync(folder, { recursive: true, force: true })

for (const { file, seconds } of used.slice(0, LISTED))
  console.log(`${seconds.toFixed(1).padStart(6)} s of CPU  ${file}`)
if (used.length > 1) console.log(`${Math.round(total(used))} s of CPU in ${used.length} files`)
for (const [reason, times] of Object.entries(counts.reasons))
  console.log(`skipped ${times}: ${reason}`)
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = status === 0 && counts.failed > 0 ? 1 : status

/**
 * Replaces `--changed` by the names of test files.
 *
 * @param {readonly string[]} given
 */
function chosen(given) {
  const flag = given.find((arg) => /^--changed(?:=|$)/.test(arg))
  if (flag === undefined) return given
  const rest = given.filter((arg) => arg !== flag)
  const changed = changedSince(flag.slice('--changed='.length) || 'HEAD')
  const tests = testsFor(changed, allTests())
  if (tests === undefined) {
    console.log('What has changed concerns all tests.')
    return rest
  }
  if (tests.length === 0) {
    console.log('Nothing has changed that has tests.')
    process.exit()
  }
  console.log(`${tests.length} test files of the rooms that have changed; npm test runs all.`)
  return [...rest, ...tests]
}

async function provideServers() {
  const absent = missing()
  if (absent.length === 0) return
  const names = absent.map(nameOf).join(', ')
  const obstacle = cannotInstall()
  if (obstacle !== undefined) {
    console.log(`Not installed: ${names} (${obstacle}). The tests against them are skipped.`)
    console.log(`On Debian or Ubuntu, as root:\n  ${aptLine()}`)
    return
  }
  console.log(`Installing ${names} with apt; no service is started.`)
  await install(absent)
  const left = missing().map(nameOf)
  if (left.length > 0) console.log(`Could not be installed: ${left.join(', ')}.`)
}

/** @param {import('./servers.mjs').Server} server */
function nameOf({ program, file, packages }) {
  return file === undefined ? program : packages.join(' ')
}

function aptLine() {
  const packages = servers.flatMap((server) => server.packages).join(' ')
  return `apt-get update && apt-get install -y --no-install-recommends ${packages}`
}

/** @returns {Counts} */
function readCounts() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    console.log('vitest ended without a report.')
    return { passed: 0, failed: 1, skipped: 0, reasons: {} }
  }
}

/**
 * The most first; empty where the system does not tell.
 *
 * @returns {{ file: string, seconds: number }[]}
 */
function readCpuTimes() {
  if (!existsSync(cpuLog)) return []
  const lines = readFileSync(cpuLog, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line)).sort((a, b) => b.seconds - a.seconds)
}

/** @param {readonly { seconds: number }[]} times */
function total(times) {
  return times.reduce((sum, { seconds }) => sum + seconds, 0)
}
