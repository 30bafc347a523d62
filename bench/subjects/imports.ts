import { spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Benchmark, Contender, Fact, Spent, Stage } from '../harness/benchmark.ts'
import { startFarm } from '../harness/farm.ts'
import { spread } from '../harness/measure.ts'
import type { Round } from '../harness/measure.ts'

/** Told by every process at its end, over a pipe of its own. */
const PROBE = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  const rss = process.resourceUsage().maxRSS
  require('fs').writeSync(3, JSON.stringify({ cpu_us: user + system, rss_kb: rss }))
})
`
/** Processes in one round. */
const TIMES = 5

const BARE = 'node -e 0'
const EMPTY = 'an empty module'
/** What the first import of any file at all takes, whatever is in it. */
const ANY = 'import of an empty file'
const UNDICI = "import('undici')"
const CORE = "import('watchpost')"
const VERIFY = "import('watchpost/verify')"
const SHELL = 'watchpost check tcp'

interface Process extends Contender {
  readonly rss_kb: number[]
}

function process_(name: string, args: readonly string[], { folder }: Stage): Process {
  const rss_kb: number[] = []
  return {
    name,
    units: TIMES,
    cold: true,
    rss_kb,
    async run(units): Promise<Spent> {
      const spent = { cpu_us: 0, wall_us: 0 }
      for (let done = 0; done < units; done++) {
        const from = performance.now()
        const { cpu_us, rss_kb: rss } = await ended(name, args, folder)
        spent.cpu_us += cpu_us
        spent.wall_us += (performance.now() - from) * 1000
        rss_kb.push(rss)
      }
      return spent
    },
  }
}

interface Told {
  readonly cpu_us: number
  readonly rss_kb: number
}

async function ended(name: string, args: readonly string[], folder: string): Promise<Told> {
  const child = spawn(process.execPath, ['--require', join(folder, 'probe.cjs'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  let told = ''
  child.stdio[3]?.on('data', (chunk: Buffer) => (told += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  return JSON.parse(told) as Told
}

/** The package as it is published: a dist that lies about may be an old one. */
async function build(folder: string): Promise<void> {
  cpSync('package.json', join(folder, 'package.json'))
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'), 'junction')
  const tsup = ['node_modules/tsup/dist/cli-default.js', `--out-dir=${join(folder, 'dist')}`]
  const [code] = (await once(spawn(process.execPath, tsup, { stdio: 'inherit' }), 'close')) as [
    number,
  ]
  if (code !== 0) throw new Error('the build failed')
}

function subpaths(): string[] {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object }
  return Object.keys(exports).filter((subpath) => !subpath.endsWith('.json'))
}

export const imports: Benchmark = {
  name: 'imports',
  about: 'a whole process that imports one thing and ends',
  unit: 'process',
  async prepare(stage) {
    const { folder } = stage
    await build(folder)
    writeFileSync(join(folder, 'probe.cjs'), PROBE)
    writeFileSync(join(folder, 'empty.mjs'), '')
    const { tcp } = await startFarm(stage)
    const module = (name: string, specifier?: string): Process => {
      const text = specifier === undefined ? '' : `await import('${specifier}')`
      return process_(name, ['--input-type=module', '--eval', text], stage)
    }
    const ours = subpaths().map((subpath) => {
      const specifier = `watchpost${subpath.slice(1)}`
      return module(`import('${specifier}')`, specifier)
    })
    const check = ['dist/cli.js', 'check', 'tcp', 'host=127.0.0.1', `port=${tcp}`]
    const contenders = [
      process_(BARE, ['-e', '0'], stage),
      module(EMPTY),
      module(ANY, './empty.mjs'),
      module(UNDICI, 'undici'),
      ...ours,
      process_(SHELL, check, stage),
    ]
    const named = (name: string): Process => contenders.find((each) => each.name === name)!
    const megabytes = (name: string): number =>
      (spread(named(name).rss_kb).median - spread(named(EMPTY).rss_kb).median) / 1024
    return {
      baseline: EMPTY,
      contenders,
      goals: [{ of: SHELL, against: BARE, at_most: 2 }],
      facts: (rounds): Fact[] => [
        ...timesOf(rounds),
        ...contenders.slice(3).map(({ name }) => ({
          name,
          value: Math.max(0, megabytes(name)),
          unit: 'MB over an empty process',
          ...(name === CORE ? { at_most: 12 } : {}),
        })),
      ],
    }
  },
}

/** What an import adds to an empty process; the process itself is the greater part of most. */
function timesOf(rounds: readonly Round[]): Fact[] {
  const median = (name: string): number =>
    spread(rounds.filter(({ contender }) => contender === name).map(({ cpu_us }) => cpu_us)).median
  const added = (name: string, over = EMPTY): number => (median(name) - median(over)) / 1000
  const unit = 'ms over an empty process'
  const share = { name: `${CORE} ÷ ${UNDICI}`, value: added(CORE) / added(UNDICI) }
  return [
    { name: CORE, value: added(CORE), unit, at_most: 60 },
    { name: VERIFY, value: added(VERIFY), unit, at_most: 2 },
    { name: VERIFY, value: added(VERIFY, ANY), unit: `ms over an ${ANY}`, at_most: 2 },
    ...[0.6, 0.3].map((at_most) => ({ ...share, unit: 'of what it adds', at_most })),
  ]
}
