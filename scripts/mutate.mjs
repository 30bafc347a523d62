/**
 * `npm run mutate [-- <part> …]`: mutates the sources of a part with Stryker, one change at a time, and runs the
 * part's tests for each; without a name all parts. Prints every mutant that no test notices, unless
 * test/mutation/<part>.txt says why none can.
 *
 * Fails if the share of killed mutants is lower than in test/mutation/scores.json, or if an entry of the list is
 * stale. `--write` writes the scores. Results of unchanged code and tests are reused from .cache; `--force` reuses
 * none. `--only <glob>` mutates these files of the part alone, and compares nothing. `MUTATE_LOG=warn` shows how
 * far a run has come, `info` and `debug` more.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { equivalentsOf } from './mutate/equivalents.mjs'
import { parts } from './mutate/parts.mjs'
import { compare, read } from './mutate/report.mjs'
import { readScores, writeScore } from './mutate/scores.mjs'
import { root, tool } from './steps.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
    only: { type: 'string' },
    concurrency: { type: 'string', default: '2' },
  },
})
const cache = join(root, '.cache/mutation')

const stranger = positionals.find((name) => !(name in parts))
if (stranger !== undefined) {
  console.error(`There is no part "${stranger}"; there are: ${Object.keys(parts).join(', ')}`)
  process.exitCode = 64
} else {
  mkdirSync(cache, { recursive: true })
  for (const [name, part] of Object.entries(parts)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    if (!(await mutate(name, part))) process.exitCode = 1
  }
}

/**
 * @param {string} name
 * @param {import('./mutate/parts.mjs').Part} part
 */
async function mutate(name, part) {
  console.log(`\n── ${name}`)
  const began = performance.now()
  const label = values.only === undefined ? name : `${name}-only`
  const status = await stryker(label, part)
  if (status !== 0) return false
  /** @type {import('./mutate/report.mjs').Report} */
  const report = JSON.parse(readFileSync(join(cache, `${label}.json`), 'utf8'))
  const { killed, timeouts, survivors } = read(report)
  const { left, equivalent, stale } = compare(survivors, equivalentsOf(name))
  for (const { at, line, change, mutator, covered } of left) {
    console.log(
      `${at}  ${mutator}${covered ? '' : ', no test runs this'}\n  > ${line}\n  - ${change}`,
    )
  }
  const mutants = killed + timeouts + survivors.length
  const score = scoreOf(killed + timeouts, mutants - equivalent)
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  console.log(
    `${name}: ${score} % of ${mutants} mutants killed (${timeouts} by time-out), ` +
      `${equivalent} equivalent, ${left.length} left, in ${minutes} min`,
  )
  if (values.only !== undefined) return true
  for (const entry of stale)
    console.error(`test/mutation/${name}.txt: no such survivor:\n  ${entry}`)
  return judge(name, { mutants, killed, timeouts, equivalent, score }) && stale.length === 0
}

/**
 * Percent, floored to one decimal.
 *
 * @param {number} killed
 * @param {number} mutants
 */
function scoreOf(killed, mutants) {
  return mutants === 0 ? 100 : Math.floor((killed / mutants) * 1000) / 10
}

/**
 * @param {string} name
 * @param {import('./mutate/scores.mjs').Score} score
 */
function judge(name, score) {
  const before = readScores()[name]
  if (values.write) writeScore(name, score)
  if (values.write || before === undefined || score.score >= before.score) return true
  console.error(`${name}: the score was ${before.score} % and is ${score.score} %.`)
  return false
}

/**
 * @param {string} label
 * @param {import('./mutate/parts.mjs').Part} part
 */
function stryker(label, { sources, tests, pollMs = 10_000 }) {
  const config = join(cache, `${label}-config.json`)
  const log = process.env.MUTATE_LOG
  forgetStaticSurvivors(join(cache, `${label}-incremental.json`))
  const settings = {
    testRunner: 'warm',
    plugins: ['@stryker-mutator/vitest-runner', join(root, 'scripts/mutate/warm-runner.mjs')],
    vitest: { configFile: 'scripts/mutate/vitest.config.mjs', related: false },
    mutate: values.only === undefined ? sources : [values.only],
    concurrency: Number(values.concurrency),
    // An endless loop is found by counting; time alone decides only where a machine could not be that slow.
    timeoutMS: 10_000,
    timeoutFactor: 4,
    incremental: true,
    incrementalFile: join(cache, `${label}-incremental.json`),
    force: values.force,
    tempDirName: join('.cache/stryker', label),
    cleanTempDir: 'always',
    ignorePatterns: ['.cache', '/dist', '/data', '/bench', '/examples', '/coverage'],
    reporters: log === undefined ? ['json'] : ['json', 'progress-append-only'],
    jsonReporter: { fileName: join(cache, `${label}.json`) },
    logLevel: log ?? 'warn',
    warnings: false,
    allowConsoleColors: false,
  }
  writeFileSync(config, JSON.stringify(settings, undefined, 2))
  return tool('@stryker-mutator/core/bin/stryker.js', ['run', config], {
    env: {
      ...process.env,
      // Tests that pass in UTC alone would miss code that uses the time zone of its machine.
      TZ: 'Asia/Kathmandu',
      MUTATE_TESTS: JSON.stringify(tests),
      MUTATE_POLL_MS: `${pollMs}`,
    },
  })
}

/**
 * Stryker does not know which tests cover code that runs as a module loads, and so keeps the result of such a
 * mutant whatever tests are added.
 *
 * @param {string} file
 */
function forgetStaticSurvivors(file) {
  if (!existsSync(file)) return
  /** @type {{ files: Record<string, { mutants: { static?: boolean, status: string }[] }> }} */
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  for (const each of Object.values(kept.files)) {
    each.mutants = each.mutants.filter(({ static: early, status }) => !early || status === 'Killed')
  }
  writeFileSync(file, JSON.stringify(kept))
}
