/**
 * `npm test`: installs the real servers that the tests need where it can, says what is missing where it
 * cannot, runs vitest (arguments are passed on) and ends with the counts alone on a line.
 *
 * With REQUIRE_SERVERS=1 a missing server is a failed test instead of skipped ones.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cannotInstall, install, missing, servers } from './servers.mjs'
import { root, tool } from './steps.mjs'

/** @typedef {{ passed: number, failed: number, skipped: number, reasons: Record<string, number> }} Counts */

await provideServers()

const folder = mkdtempSync(join(tmpdir(), 'watchpost-test-'))
const path = join(folder, 'counts.json')
const status = await tool(
  'vitest/vitest.mjs',
  [
    'run',
    '--reporter=default',
    `--reporter=${join(root, 'scripts/counts-reporter.mjs')}`,
    ...process.argv.slice(2),
  ],
  { env: { ...process.env, WATCHPOST_TEST_COUNTS: path } },
)
const counts = readCounts()
rmSync(folder, { recursive: true, force: true })

for (const [reason, times] of Object.entries(counts.reasons))
  console.log(`skipped ${times}: ${reason}`)
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = status === 0 && counts.failed > 0 ? 1 : status

async function provideServers() {
  const absent = missing()
  if (absent.length === 0) return
  const names = absent.map(({ program }) => program).join(', ')
  const obstacle = cannotInstall()
  if (obstacle !== undefined) {
    console.log(`Not installed: ${names} (${obstacle}). The tests against them are skipped.`)
    console.log(`On Debian or Ubuntu, as root:\n  ${aptLine()}`)
    return
  }
  console.log(`Installing ${names} with apt; no service is started.`)
  await install(absent)
  const left = missing().map(({ program }) => program)
  if (left.length > 0) console.log(`Could not be installed: ${left.join(', ')}.`)
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
