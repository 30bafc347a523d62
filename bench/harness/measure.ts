/**
 * Rounds in turn: A B C, B C A, C A B … so that what the machine does meanwhile meets all alike. CPU time
 * is the figure, wall time stands beside it. No collection is forced between rounds: nobody's program
 * does that, and figures were about twice as high with it.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Contender, Spent } from './benchmark.ts'

/** For the compiler alone: until some thousand checks it is still at work, and each costs up to twice as much. */
const WARM_UP_ROUNDS = 3
const WARM_UP_MS = 3000

/** Lasts long enough to meet the collector as often as it comes; one of 40 ms meets it by chance. */
const ROUND_MS = 500

/** A round in which the event loop stood still for longer says more about the machine than about us. */
const STALL_MS = 250

export interface Round {
  readonly contender: string
  readonly round: number
  readonly units: number
  readonly cpu_us: number
  readonly wall_us: number
  /** The longest time in which nothing else could run. */
  readonly stall_ms: number
}

export async function measure(
  contenders: readonly Contender[],
  rounds: number,
): Promise<readonly Round[]> {
  const measured: Round[] = []
  for (const contender of contenders) await warmUp(contender)
  for (let round = 0; round < rounds; round++) {
    const turn = round % contenders.length
    for (const contender of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
      measured.push(await oneRound(contender, round))
    }
  }
  return measured
}

async function warmUp(contender: Contender): Promise<void> {
  const until = performance.now() + (contender.cold === true ? 0 : WARM_UP_MS)
  for (let round = 0; round < WARM_UP_ROUNDS || performance.now() < until; round++)
    await once(contender)
}

/** A contender does its units again and again until the round is over. */
async function oneRound(contender: Contender, round: number): Promise<Round> {
  const { name, cold = false } = contender
  const sum = { units: 0, cpu_us: 0, wall_us: 0, stall_ms: 0 }
  do {
    const { cpu_us, wall_us, stall_ms } = await once(contender)
    sum.units += contender.units
    sum.cpu_us += cpu_us
    sum.wall_us += wall_us
    sum.stall_ms = Math.max(sum.stall_ms, stall_ms)
  } while (!cold && sum.wall_us < ROUND_MS * 1000)
  const { units, stall_ms } = sum
  const each = { cpu_us: sum.cpu_us / units, wall_us: sum.wall_us / units }
  return { contender: name, round, units, ...each, stall_ms }
}

async function once(contender: Contender): Promise<Spent & { readonly stall_ms: number }> {
  const { units } = contender
  await contender.ready?.(units)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const from = process.hrtime.bigint()
  const before = process.cpuUsage()
  const spent = await contender.run(units)
  const { user, system } = process.cpuUsage(before)
  const wall_us = Number(process.hrtime.bigint() - from) / 1000
  // One more turn: a loop that stood still until now is noticed only when it moves.
  await new Promise((resolve) => setTimeout(resolve, 15))
  delay.disable()
  await contender.done?.()
  return { ...(spent ?? { cpu_us: user + system, wall_us }), stall_ms: delay.max / 1e6 }
}

export interface Spread {
  readonly q1: number
  readonly median: number
  readonly q3: number
}

export interface Summary {
  readonly contender: string
  readonly units: number
  readonly rounds: number
  readonly cpu_us: Spread
  readonly wall_us: Spread
  /** Rounds with a stall over 250 ms. */
  readonly stalled: number
}

export function summarise(contender: string, rounds: readonly Round[]): Summary {
  const own = rounds.filter((round) => round.contender === contender)
  return {
    contender,
    units: own[0]?.units ?? 0,
    rounds: own.length,
    cpu_us: spread(own.map(({ cpu_us }) => cpu_us)),
    wall_us: spread(own.map(({ wall_us }) => wall_us)),
    stalled: own.filter(({ stall_ms }) => stall_ms > STALL_MS).length,
  }
}

/** Median of the CPU ratios within the same rounds. */
export function ratio(of: string, against: string, rounds: readonly Round[]): number {
  const find = (name: string, round: number): number =>
    rounds.find((each) => each.contender === name && each.round === round)?.cpu_us ?? NaN
  const numbers = new Set(rounds.map(({ round }) => round))
  return spread([...numbers].map((round) => find(of, round) / find(against, round))).median
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (part: number): number => {
    const place = (sorted.length - 1) * part
    const low = sorted[Math.floor(place)] ?? NaN
    const high = sorted[Math.ceil(place)] ?? NaN
    return low + (high - low) * (place - Math.floor(place))
  }
  return { q1: at(0.25), median: at(0.5), q3: at(0.75) }
}
