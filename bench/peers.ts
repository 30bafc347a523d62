/**
 * watchpost beside programs that do the same work, as Debian packages them: blackbox_exporter and the
 * monitoring-plugins, each against the same local targets in the same run. Installs what is missing (root, apt).
 */

import { parseArgs } from 'node:util'
import { missingText } from '../test/support/servers/binaries.ts'
import { apart, run } from './harness/run.ts'
import type { Extent } from './harness/run.ts'
import { againstPeers } from './peers/benchmark.ts'
import { install, peers } from './peers/installed.ts'
import { subjects } from './peers/subjects.ts'

const HELP = `npm run bench -- peers [names] [--rounds 5] [--scale 1] [--no-install]
  names         ${subjects.map(({ name }) => name).join(', ')}; all of them where none is named
  --rounds      measured rounds per contender, after three that are thrown away
  --scale       factor on the checks of a round
  --no-install  takes what is there; otherwise root installs the missing packages with apt-get`

const NO_INSTALL = 'no-install'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    [NO_INSTALL]: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const names = subjects.map(({ name }) => name)
const stranger = positionals.find((name) => !names.includes(name))
if (values.help) console.log(HELP)
else if (stranger !== undefined) {
  console.error(`There is no peer for "${stranger}"; there are some for: ${names.join(', ')}`)
  process.exitCode = 64
} else process.exitCode = await main()

async function main(): Promise<number> {
  if (!values[NO_INSTALL]) install(peers.filter(({ locate }) => locate() === undefined))
  const missing = peers.filter(({ locate }) => locate() === undefined)
  if (missing.length === peers.length) {
    console.error(`There is nothing to compare with: ${missingText(missing)}`)
    return 69
  }
  const chosen = subjects.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  )
  const extent: Extent = { rounds: values.rounds, scale: values.scale }
  const [only] = chosen
  if (only !== undefined && chosen.length === 1) {
    if (missing.length > 0) console.log(`Left out: ${missingText(missing)}`)
    await run(againstPeers(only), extent)
    return 0
  }
  const statuses = chosen.map(({ name }) => apart(name, extent, [`--${NO_INSTALL}`]))
  return statuses.find((status) => status !== 0) ?? 0
}
