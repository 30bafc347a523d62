/** The command line of the benchmarks; `npm run bench` bundles it and runs it. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Benchmark, Stage } from './harness/benchmark.ts'
import { measure } from './harness/measure.ts'
import { machine, print, printMachine, reportOf, write } from './harness/report.ts'
import { dns } from './subjects/dns.ts'
import { engine } from './subjects/engine.ts'
import { history } from './subjects/history.ts'
import { http } from './subjects/http.ts'
import { https } from './subjects/https.ts'
import { imports } from './subjects/imports.ts'
import { incident } from './subjects/incident.ts'
import { patterns } from './subjects/patterns.ts'
import { ping } from './subjects/ping.ts'
import { rest } from './subjects/rest.ts'
import { scheduler } from './subjects/scheduler.ts'
import { store } from './subjects/store.ts'
import { tcp } from './subjects/tcp.ts'
import { webhooks } from './subjects/webhooks.ts'

const benchmarks: readonly Benchmark[] = [
  http,
  https,
  tcp,
  dns,
  ping,
  patterns,
  scheduler,
  incident,
  engine,
  store,
  history,
  webhooks,
  rest,
  imports,
]

const HELP = `npm run bench -- [names] [--rounds 5] [--scale 1] [--rows n] [--list]
  names     those to run; all of them where none is named
  --rounds  measured rounds per contender, after three that are thrown away
  --scale   factor on the units of a round and on prepared data
  --rows    raw results that history is read from (90000 by the scale); 10000000 take a quarter of an hour and 4 GB`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    rows: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const names = benchmarks.map(({ name }) => name)
const stranger = positionals.find((name) => !names.includes(name))
if (values.help) console.log(HELP)
else if (values.list) {
  for (const { name, about } of benchmarks) console.log(`${name.padEnd(10)} ${about}`)
} else if (stranger !== undefined) {
  console.error(`There is no benchmark "${stranger}"; there are: ${names.join(', ')}`)
  process.exitCode = 64
} else {
  const chosen = benchmarks.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )
  const [only] = chosen
  if (only !== undefined && chosen.length === 1) await run(only)
  else process.exitCode = chosen.map(({ name }) => apart(name)).find((status) => status !== 0) ?? 0
}

/** Each in a process of its own: what one teaches the compiler must not slow the next. */
function apart(name: string): number {
  const rows = values.rows === undefined ? [] : ['--rows', values.rows]
  const options = ['--rounds', values.rounds, '--scale', values.scale, ...rows]
  const args = [...process.execArgv, process.argv[1] ?? '', name, ...options]
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
}

async function run(benchmark: Benchmark): Promise<void> {
  const here = machine()
  console.log(`\n${benchmark.name}: ${benchmark.about}`)
  printMachine(here)
  const undo: (() => unknown)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  const stage: Stage = {
    folder,
    scale: Number(values.scale),
    ...(values.rows === undefined ? {} : { rows: Number(values.rows) }),
    onEnd: (step) => void undo.push(step),
  }
  try {
    const prepared = await benchmark.prepare(stage)
    const rounds = await measure(prepared.contenders, Number(values.rounds))
    const facts = (await prepared.facts?.()) ?? []
    const report = reportOf(benchmark, prepared, { machine: here, rounds, facts })
    print(report, prepared.baseline)
    console.log(`  ${write(report, 'bench/results')}`)
  } finally {
    for (const step of undo.reverse()) await step()
  }
}
