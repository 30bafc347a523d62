/** What happens to calls of the store and to webhooks on their way: nothing, until an accident arms it. */
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { Dice } from './dice.ts'
import type { Fate } from './process.ts'
import type { Tape } from './tape.ts'
import { SECOND } from './time.ts'

/** A renewal of a lease may wait for no longer. */
const LATE_MS = 5 * SECOND

export type Ambush = 'kill' | 'freeze'

export interface Trouble {
  /** `freeze` stops the process once it has claimed a notification. */
  fate(call: string, freeze: () => void): Fate | undefined
  /** For a webhook that sets out. */
  onTheWay(): Ambush | undefined
  /** The process dies at one of the next calls. */
  armKill(): void
  /** The process dies or stands still while the next webhook is on its way. */
  armAmbush(ambush: Ambush): void
  /** A process stands still once it has claimed a notification, before it hears of that. */
  armClaim(): void
  /** The store fails for a while. */
  storm(): void
  /** The store is gone for that time. */
  outage(ms: number): void
  /** Nothing more happens. */
  calm(): void
}

interface TroubleOptions {
  readonly clock: SimulatedClock
  readonly tape: Tape
  readonly dice: Dice
  readonly slowCalls: number
  /** Means of the time that a slow call takes on its way, in milliseconds. */
  readonly delays: readonly number[]
}

const CLAIM = 'notifications.claim'
/**
 * PostgreSQL gives a claim up after 18 s, and one that is a minute late takes what was queued meanwhile for dated ahead
 * of a clock that was set back.
 */
const LATEST_CLAIM_MS = 50_000

export function createTrouble({ clock, tape, dice, slowCalls, delays }: TroubleOptions): Trouble {
  let kill: { calls: number; readonly when: 'before' | 'after' } | undefined
  let ambush: Ambush | undefined
  let atClaim = false
  let stormUntil = -Infinity
  let share = 0
  let lost = false
  let slow = slowCalls

  function meet(call: string, fate: 'kill' | 'fail', when: 'before' | 'after'): Fate {
    tape.add({ kind: 'trouble', call, fate, when })
    return { [when]: fate, ...delay(call) }
  }

  function delay(call: string): Fate {
    if (slow === 0 || !dice.chance(slow)) return {}
    const drawn_ms = dice.wait(delays.length > 1 ? dice.pick(delays) : delays[0]!)
    const delay_ms = call === CLAIM ? Math.min(drawn_ms, LATEST_CLAIM_MS) : drawn_ms
    if (delay_ms > LATE_MS) tape.add({ kind: 'late', call, ms: delay_ms })
    return { delay_ms }
  }

  function claimed(rows: unknown, freeze: () => void): void {
    if (!Array.isArray(rows) || rows.length === 0) return
    if (atClaim) freeze()
    atClaim = false
  }

  return {
    fate(call, freeze) {
      if (kill !== undefined && kill.calls-- <= 0) {
        const { when } = kill
        kill = undefined
        return meet(call, 'kill', when)
      }
      if (clock.monotonic() < stormUntil && dice.chance(share))
        return meet(call, 'fail', lost && dice.chance(0.5) ? 'after' : 'before')
      if (atClaim && call === CLAIM) return { meanwhile: (rows) => claimed(rows, freeze) }
      if (slow === 0) return undefined
      const met = delay(call)
      return met.delay_ms === undefined ? undefined : met
    },
    onTheWay() {
      const met = ambush
      ambush = undefined
      return met
    },
    armKill: () => void (kill = { calls: dice.int(0, 12), when: dice.pick(['before', 'after']) }),
    armAmbush: (next) => void (ambush = next),
    armClaim: () => void (atClaim = true),
    storm() {
      // Either it is gone for a time, or single calls fail, some of them after they took effect.
      lost = dice.chance(0.6)
      share = lost ? dice.pick([0.1, 0.3, 0.5]) : 1
      stormUntil =
        clock.monotonic() + dice.wait(dice.pick([2000, 20_000, lost ? 120_000 : 900_000]))
    },
    outage(ms) {
      lost = false
      share = 1
      stormUntil = clock.monotonic() + ms
    },
    calm() {
      kill = undefined
      ambush = undefined
      atClaim = false
      stormUntil = -Infinity
      slow = 0
    },
  }
}
