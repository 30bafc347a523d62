/**
 * `npm run simulate -- --break`: for each rule, a copy of the sources in which it is broken, and the
 * simulation on that copy until a seed turns it red. Fails where one stays green, or where the text that
 * is to be changed does not stand in the sources any more.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { RULES } from './rules/index.ts'
import type { Rule } from './rules/rule.ts'

/** Seeds that a broken rule may take to show, and the days of each. */
const SEEDS = 30
const DAYS = 1
/** A broken rule that keeps the simulation from ending shows nothing. */
const LONGEST_MS = 15 * 60_000
/** Stands behind the breaches of a seed. The other threads may take long with theirs where a rule is broken. */
const REPORTED = 'Replay: '

const root = process.cwd()
const folder = join(root, `.cache/simulation/broken-${process.pid}`)

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    seed: { type: 'string', default: '1' },
    break: { type: 'boolean' },
  },
})

// One copy at the beginning, so that all rules are broken in the same sources.
mkdirSync(folder, { recursive: true })
cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
for (const each of ['test/simulation', 'test/support'])
  cpSync(join(root, each), join(folder, each), { recursive: true })

const chosen = RULES.filter(({ name }) => values.only?.includes(name) ?? true)
const green: string[] = []
for (const rule of chosen) {
  const begun = performance.now()
  const outcome = await tryRule(rule)
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  console.log(
    `${outcome.red ? 'red  ' : 'GREEN'}  ${rule.name.padEnd(28)} ${outcome.by} (${seconds} s)`,
  )
  if (!outcome.red) green.push(rule.name)
}
rmSync(folder, { recursive: true, force: true })
console.log(`${chosen.length} rules broken, ${green.length} of them unnoticed`)
process.exitCode = green.length === 0 && chosen.length > 0 ? 0 : 1

interface Outcome {
  readonly red: boolean
  /** The seed and the invariants that noticed it; else what happened instead. */
  readonly by: string
}

async function tryRule(rule: Rule): Promise<Outcome> {
  const file = join(folder, 'src', rule.file)
  const text = readFileSync(file, 'utf8')
  if (text.split(rule.find).length !== 2)
    return { red: false, by: `does not apply to ${rule.file}` }
  writeFileSync(
    file,
    text.replace(rule.find, () => rule.replace),
  )
  const outcome = await play(rule)
  writeFileSync(file, text)
  return outcome
}

/** Plays seeds on the copy as it is now. */
async function play({ machines }: Rule): Promise<Outcome> {
  const bundle = ['node_modules/tsup/dist/cli-default.js', join(folder, 'test/simulation/run.ts')]
  const shape = ['--no-config', '--format=esm', '--target=node20.19', '--platform=node', '--silent']
  const built = await run([...bundle, ...shape, `--out-dir=${join(folder, 'out')}`])
  if (built.status !== 0) return { red: false, by: `cannot be built: ${built.output}` }
  const args = ['--seed', values.seed, '--seeds', String(SEEDS), '--days', String(DAYS)]
  if (machines !== undefined) args.push('--machines', String(machines))
  const { status, output } = await run([join(folder, 'out/run.js'), ...args], REPORTED)
  const breaches = [...output.matchAll(/^Seed (\d+) breaks: (.*)$/gm)]
  if (breaches.length > 0)
    return { red: true, by: breaches.map(([, seed, what]) => `seed ${seed}: ${what}`).join(' ') }
  return { red: false, by: `exit code ${status}: ${output.slice(-300)}` }
}

/** Ends early with an output that has `until`. */
function run(
  args: readonly string[],
  until?: string,
): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LONGEST_MS,
    })
    let output = ''
    const take = (text: string): void => {
      output += text
      if (until !== undefined && output.includes(until)) child.kill()
    }
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    child.on('close', (status) => resolve({ status, output }))
  })
}
