/**
 * G15: a thousand patterns made to be slow, one after the other, through a real check of a page made for
 * them. What each turn of a search costs is measured besides, as time of the processor: the lag of the loop is
 * that of the machine as well. Options: --count 1000, --seed 1.
 *
 * @module
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { http } from '../../src/checkers/http/index.ts'
import { content } from '../../src/checkers/content/index.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { isWatchpostError } from '../../src/errors.ts'
import { compilePattern } from '../../src/fields/pattern.ts'
import { diceOf } from './rig/dice.ts'
import type { Dice } from './rig/dice.ts'
import { percentile } from './rig/folder.ts'

const { values } = parseArgs({
  options: { count: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
})

const ATOMS = ['a', '.', '[ab]', '\\w', '(a|a)', '(a|aa)', '(a|b|ab)', '(?:a?)', '[^b]'] as const
const REPEATS = ['+', '*', '?', '{2,}', '{0,20}', '{1,60}', '{0,200}', '+?', '*?'] as const
const ENDS = ['$', '[0-9]', '!', '(?:z|[0-9])$', '\\d\\d'] as const

/** Nested and repeated repeats over things that overlap; what backtracking dies of, and what makes an automaton large. */
function evil(dice: Dice, depth = 0): string {
  const parts = Array.from({ length: dice.int(1, 4) }, () => {
    const inner = depth < 3 && dice.chance(0.5) ? `(?:${evil(dice, depth + 1)})` : dice.pick(ATOMS)
    return inner + dice.pick(REPEATS)
  })
  const text = parts.join(dice.chance(0.2) ? '|' : '')
  return depth > 0 ? text : text + dice.pick(ENDS)
}

const TURN_GOAL_MS = 50

/** Of a search for groups, and of cutting out, which yields; compiled anew for each check, like there. */
function longestTurn(source: string): number {
  const turns = [processor(() => compilePattern(source).exec(page)).took_ms]
  const cutting = compilePattern(source).removeFrom(page)
  for (let over = false; !over;) {
    const { took_ms, value } = processor(() => cutting.next())
    turns.push(took_ms)
    over = value.done === true
  }
  return Math.max(...turns)
}

function processor<T>(work: () => T): { readonly took_ms: number; readonly value: T } {
  const from = process.cpuUsage()
  const value = work()
  const { user, system } = process.cpuUsage(from)
  return { took_ms: (user + system) / 1000, value }
}

const page = `${'a'.repeat(256 * 1024)}!`
const server = createServer((_, response) => response.end(page))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

const dice = diceOf(Number(values.seed))
const delay = monitorEventLoopDelay({ resolution: 1 })
const lags: number[] = []
const turns: { readonly took_ms: number; readonly pattern: string }[] = []
const found: Record<string, number> = {}
const from = performance.now()
for (let n = 0; n < Number(values.count); n++) {
  const pattern = evil(dice).slice(0, 1000)
  // The load of the first page and packages is no work of a pattern.
  delay.reset()
  delay.enable()
  let outcome: string
  try {
    const { cause_code } =
      n % 4 === 0
        ? await runCheck(content, { url, ignore_regex: pattern })
        : await runCheck(http, { url, number_regex: pattern })
    outcome = cause_code ?? 'ok'
  } catch (error) {
    if (!isWatchpostError(error) || error.code !== 'validation') throw error
    outcome = 'refused'
  }
  delay.disable()
  found[outcome] = (found[outcome] ?? 0) + 1
  if (n > 0) lags.push(delay.max / 1e6)
  if (outcome !== 'refused') turns.push({ took_ms: longestTurn(pattern), pattern })
  if (delay.max > 1e9) console.log(`${Math.round(delay.max / 1e6)} ms: ${pattern}`)
}
const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => Math.round(percentile(lags, share)))
const alive = await runCheck(http, { url })
console.log({ ...found, lag_p50_ms: p50, lag_p99_ms: p99, lag_longest_ms: longest })
const slowest = turns.toSorted((a, b) => b.took_ms - a.took_ms)
const turnOf = (share: number) =>
  Math.round(
    percentile(
      turns.map(({ took_ms }) => took_ms),
      share,
    ),
  )
console.log({
  turn_cpu_p50_ms: turnOf(0.5),
  turn_cpu_p99_ms: turnOf(0.99),
  turn_cpu_longest_ms: turnOf(1),
  load: loadavg()[0]?.toFixed(1),
})
for (const { took_ms, pattern } of slowest.slice(0, 3)) {
  console.log(`${Math.round(took_ms)} ms of the processor: ${pattern}`)
}
if (turnOf(1) > TURN_GOAL_MS) console.log(`missed: ${TURN_GOAL_MS} ms in one turn`)
console.log(
  `${values.count} patterns in ${Math.round((performance.now() - from) / 1000)} s, seed ${values.seed}`,
)
server.close()
if (alive.verdict !== 'ok' || found['internal_error'] !== undefined) process.exitCode = 1
