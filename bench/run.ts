/** The command line of the benchmarks; `npm run bench` bundles it and runs it. */

import { parseArgs } from 'node:util'
import type { Benchmark } from './harness/benchmark.ts'
import { conditions, goalsTable } from './harness/goals-table.ts'
import { apart, RESULTS, run } from './harness/run.ts'
import type { Extent } from './harness/run.ts'
import { bulk } from './subjects/bulk.ts'
import { dns } from './subjects/dns.ts'
import { engine } from './subjects/engine.ts'
import { history } from './subjects/history.ts'
import { http } from './subjects/http.ts'
import { https } from './subjects/https.ts'
import { imports } from './subjects/imports.ts'
import { incident } from './subjects/incident.ts'
import { lateness } from './subjects/lateness.ts'
import { page } from './subjects/page.ts'
import { patterns } from './subjects/patterns.ts'
import { ping } from './subjects/ping.ts'
import { rest } from './subjects/rest.ts'
import { scheduler } from './subjects/scheduler.ts'
import { store } from './subjects/store.ts'
import { tcp } from './subjects/tcp.ts'
import { transfer } from './subjects/transfer.ts'
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
  lateness,
  store,
  history,
  webhooks,
  rest,
  page,
  bulk,
  transfer,
  imports,
]

const HELP = `npm run bench -- [names] [--rounds 5] [--scale 1] [--rows n] [--table] [--list]
  names     those to run; all of them where none is named
  --rounds  measured rounds per contender, after those that are thrown away
  --scale   factor on the units of a round and on prepared data
  --rows    raw results that history is read from (90000 by the scale); 10000000 take a quarter of an hour and 4 GB
  --table   runs nothing, and prints the newest figure for every goal as Markdown, a column for each Node;
            a run of all of them ends with it`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    rows: { type: 'string' },
    table: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const names = benchmarks.map(({ name }) => name)
const stranger = positionals.find((name) => !names.includes(name))
if (values.help) console.log(HELP)
else if (values.table) printTable()
else if (values.list) {
  for (const { name, about } of benchmarks) console.log(`${name.padEnd(10)} ${about}`)
} else if (stranger !== undefined) {
  console.error(`There is no benchmark "${stranger}"; there are: ${names.join(', ')}`)
  process.exitCode = 64
} else {
  const chosen = benchmarks.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )
  const { rounds, scale, rows } = values
  const extent: Extent = { rounds, scale, ...(rows === undefined ? {} : { rows }) }
  const [only] = chosen
  if (only !== undefined && chosen.length === 1) await run(only, extent)
  else {
    const statuses = chosen.map(({ name }) => apart(name, extent))
    process.exitCode = statuses.find((status) => status !== 0) ?? 0
    if (positionals.length === 0) printTable()
  }
}

function printTable(): void {
  console.log(`\n${conditions(RESULTS)}\n\n${goalsTable(RESULTS, names)}`)
}
