/**
 * The whole test suite, again and again, beside processes that keep the CPUs busy. Options: --times 20,
 * --load 8 (how many of them), --at-once 1 (how many runs share the machine), --pauses (the tests stand still now and
 * then), --node PROGRAM (several take turns), --out FOLDER for the logs, --continue (the runs that are missing in FOLDER);
 * names of test files to run only those.
 *
 * @module
 */

import type { ChildProcess } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { constants, loadavg } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { lineOf, readReport, summary } from './rig/suite-report.ts'
import type { SuiteRun } from './rig/suite-report.ts'

const HELP = `npm run faults -- suite [--times 20] [--load 8] [--at-once 1] [--pauses] [--node PROGRAM ...]
       [--out FOLDER] [--continue] [test file ...]

Runs the test suite so many times beside so many busy processes, --at-once of the runs beside
each other, with the Node of this command or with each --node in turn. With --pauses each
process that runs tests stands still at random, for two seconds at most and a quarter of the
time in all: this shows the tests that only pass in time. The log and the report of each run
stay in the folder, which is printed. With --continue and the --out of runs that were ended,
only those that are missing are made; nothing but docs may have changed. The load is the mean
load average of the machine during the run, which includes the run itself. Exit
code 0 if no run had a failure, 1 otherwise.
`

/** How often the load average is read; the system renews it every five seconds. */
const LOAD_PERIOD_MS = 5_000

const PAUSES = `--import ${pathToFileURL('test/faults/rig/pauses.mjs').href}`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    load: { type: 'string', default: '8' },
    'at-once': { type: 'string', default: '1' },
    pauses: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    out: { type: 'string' },
    continue: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(HELP)
} else {
  process.exitCode = await runAll()
}

async function runAll(): Promise<number> {
  const times = wholeNumber('times', 1)
  const load = wholeNumber('load', 0)
  const atOnce = wholeNumber('at-once', 1)
  const nodes = values.node.map((program) => nodeAt(program))
  const stamp = new Date().toISOString().replace(/[:.]/g, '-')
  const folder = resolve(values.out ?? join('.cache/faults', `suite-${stamp}`))
  mkdirSync(folder, { recursive: true })
  console.log(`logs in ${folder}`)
  const busy = Array.from({ length: load }, startBusyProcess)
  const endAll = (): void => busy.forEach((each) => void each.kill('SIGKILL'))
  process.once('exit', endAll)
  const commit = commitNow()
  const kept = join(folder, 'runs.jsonl')
  const runs: KeptRun[] = values.continue ? runsIn(kept, commit) : []
  for (const run of runs) console.log(lineOfKept(run, times))
  const done = new Set(runs.map(({ n }) => n))
  const missing = Array.from({ length: times }, (_, at) => at + 1).filter((n) => !done.has(n))
  const lane = async (): Promise<void> => {
    for (let n = missing.shift(); n !== undefined; n = missing.shift()) {
      const node = nodes[(n - 1) % nodes.length]!
      const path = join(folder, String(n).padStart(String(times).length, '0'))
      const run = { n, commit, node: node.version, ...(await runOnce(node, path)) }
      runs.push(run)
      appendFileSync(kept, `${JSON.stringify(run)}\n`)
      console.log(lineOfKept(run, times))
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, lane))
  } finally {
    endAll()
  }
  console.log(summary(runs, load))
  return runs.every(({ status, failed }) => status === 0 && failed.length === 0) ? 0 : 1
}

interface KeptRun extends SuiteRun {
  readonly n: number
  readonly commit: string
  readonly node: string
}

function lineOfKept(run: KeptRun, times: number): string {
  return `${run.n}/${times}: Node ${run.node}: ${lineOf(run)}`
}

function runsIn(file: string, commit: string): KeptRun[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const runs = lines.map((line) => JSON.parse(line) as KeptRun)
  const other = runs.find((run) => run.commit !== commit)
  if (other === undefined) return runs
  process.stderr.write(`${file} has runs of ${other.commit}, and the sources are ${commit}\n`)
  process.exit(64)
}

/** The last one that changed more than docs, in which figures of runs stand; with `-dirty` where files differ. */
function commitNow(): string {
  const but = ['--', '.', ':(exclude)docs']
  const git = (...args: string[]): string =>
    spawnSync('git', [...args, ...but], { encoding: 'utf8' }).stdout.trim()
  return git('log', '-1', '--format=%h') + (git('status', '--porcelain') === '' ? '' : '-dirty')
}

/** One process that never waits. It ends with us, however we end: its stdin closes then. */
function startBusyProcess(): ChildProcess {
  const program = `process.stdin.on('end', () => process.exit()).resume()
    const turn = () => { const end = Date.now() + 50; while (Date.now() < end); setImmediate(turn) }
    turn()`
  return spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] })
}

interface Node {
  readonly program: string
  readonly version: string
}

function nodeAt(program: string): Node {
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (error === undefined) return { program: resolve(program), version: stdout.trim() }
  process.stderr.write(`--node is the path of a Node: ${error.message}\n`)
  process.exit(64)
}

/** The tests find `node` in their PATH. `path` is without its ending: the log is `.log`, the report `.json`. */
async function runOnce({ program }: Node, path: string): Promise<SuiteRun> {
  const log = createWriteStream(`${path}.log`)
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}.json`]
  const from = performance.now()
  const child = spawn(
    program,
    ['node_modules/vitest/vitest.mjs', 'run', ...report, ...positionals],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...(values.pauses ? { NODE_OPTIONS: PAUSES } : {}),
        PATH: `${dirname(program)}${delimiter}${process.env.PATH}`,
      },
    },
  )
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const stop = (signal: NodeJS.Signals): void => {
    child.kill(signal)
    process.exitCode = 128 + constants.signals[signal]
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const loads = [currentLoad()]
  const readLoad = setInterval(() => loads.push(currentLoad()), LOAD_PERIOD_MS)
  const [code] = (await once(child, 'close')) as [number | null]
  clearInterval(readLoad)
  process.off('SIGINT', stop).off('SIGTERM', stop)
  log.end()
  await finished(log)
  const seconds = (performance.now() - from) / 1000
  const status = code ?? 1
  if (process.exitCode !== undefined) process.exit()
  const load = loads.reduce((sum, each) => sum + each, 0) / loads.length
  return { ...readReport(`${path}.json`), seconds, load, status }
}

function currentLoad(): number {
  return loadavg()[0] ?? 0
}

function wholeNumber(name: 'times' | 'load' | 'at-once', least: number): number {
  const number = Number(values[name])
  if (Number.isInteger(number) && number >= least) return number
  process.stderr.write(`--${name} is a number from ${least}\n`)
  process.exit(64)
}
