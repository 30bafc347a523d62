/** What is watched: targets that break, hang, break for some places only, or cannot be measured. */
import { defineChecker, down, unknown, up } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import type { Dice } from './dice.ts'

export interface Target {
  /** `hangs`: no answer comes. */
  state: 'good' | 'broken' | 'hangs'
  /** Only these places see that it is bad; all where absent. */
  seenFrom?: readonly string[] | undefined
  blind: boolean
  /** Only reached through this one: while that is bad, so is this. */
  behind?: Target | undefined
}

/** A monitor, and what it watches. */
export interface Watched {
  readonly account_id: number
  readonly id: number
  readonly target: Target
}

export interface Targets {
  of(host: string): Target
  all(): Iterable<Target>
}

export function createTargets(): Targets {
  const targets = new Map<string, Target>()
  return {
    of(host) {
      const known = targets.get(host) ?? { state: 'good', blind: false }
      targets.set(host, known)
      return known
    },
    all: () => targets.values(),
  }
}

/** It goes bad, in one of several ways. */
export function breakDown(target: Target, dice: Dice, locations: readonly string[]): void {
  target.state = dice.chance(0.9) ? 'broken' : 'hangs'
  target.seenFrom = dice.chance(0.3) ? locations.filter(() => dice.chance(0.5)) : undefined
}

export function repair(target: Target): void {
  target.state = 'good'
}

/** What makes it bad for that place: itself, or what lies before it; nothing where it is good. */
function badAsSeenFrom(target: Target, location: string): Target | undefined {
  const { state, seenFrom, behind } = target
  if (state !== 'good' && seenFrom?.includes(location) !== false) return target
  return behind === undefined ? undefined : badAsSeenFrom(behind, location)
}

/** `longest_ms`: how slow a good target may be at this moment; above the timeout it counts as bad. */
export function simulatedChecker(targets: Targets, dice: Dice, longest_ms: () => number) {
  return defineChecker({
    type: 'simulated',
    title: 'Simulated',
    description: 'A target of the simulation',
    fields: {
      host: field.host({ description: 'Target' }).required(),
      server: field.host({ description: 'The host that it shares with others' }),
      secret: field.secret({ description: 'A secret' }),
    },
    common: { timeout_ms: { default: 5000 } },
    causes: {
      broken: { text: 'It is broken' },
      worse: { text: 'It is broken in another way' },
      unsure: { text: 'It cannot be measured', verdict: 'unknown' },
    },
    target: (s) => s.server ?? s.host,
    async run(ctx, s) {
      if (dice.chance(0.03)) await ctx.clock.sleep(dice.int(1, longest_ms()), ctx.signal)
      const target = targets.of(s.host)
      if (target.blind)
        return unknown(dice.chance(0.3) ? 'probe_offline' : 'unsure', 'Nothing can be seen')
      const bad = badAsSeenFrom(target, ctx.location.name)
      if (bad === undefined) return up()
      if (bad.state === 'hangs') await ctx.clock.sleep(60_000, ctx.signal)
      const cause = dice.chance(0.9) ? 'broken' : 'worse'
      return down(cause, 'It is broken')
    },
  })
}
