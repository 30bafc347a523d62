/** What a seed has in store: how large the world is, and what goes wrong in it how often. */
import { diceOf } from './dice.ts'

/** How often something goes wrong: a mean number per day of the whole world, unless it says otherwise. */
export interface Faults {
  /** Times in which a target is bad, per target. */
  readonly flaps: number
  /** Times in which a target cannot be measured, per target. */
  readonly blind: number
  /** Times in which a target that others lie behind is bad, and then cannot be measured, per target. */
  readonly obscured: number
  /** Times in which users create more monitors at the same moment than their quota has room for. */
  readonly rushes: number
  /** Deaths of the process, at a call of the store, on the way of a webhook, or between two timers. */
  readonly kills: number
  /** Orderly stops and starts. */
  readonly restarts: number
  /** The process stands still; mostly another one takes its place, and it wakes up beside that. */
  readonly freezes: number
  /** Times in which the store fails, before or after the effect of a call. */
  readonly storeTroubles: number
  /** Share of the store's calls that take time, so that others come between. */
  readonly slowCalls: number
  /** The wall clock is set. */
  readonly jumps: number
  /** Times in which a location neither looks nor answers, per location. */
  readonly silences: number
  /** Share of the orders that are lost, and whose answers come late, twice, out of order, or with times that cannot be. */
  readonly badPosts: number
  /** What users do. */
  readonly actions: number
  /** Share of the webhooks that a moody receiver answers badly. */
  readonly badAnswers: number
  /** Times in which the targets of a guest hang, and it asks for checks of them again and again, per guest. */
  readonly floods: number
  /** Turns of events that are played from beginning to end: see `scenes.ts`. */
  readonly scenes: number
}

export interface Plan {
  readonly seed: number
  readonly days: number
  /** Monitors that look, and those that are fed by signals. */
  readonly monitors: number
  readonly heartbeats: number
  /**
   * Lines, each of some of the monitors: all that is reached through the first one depends on it, or on
   * one that lies between, and goes down and comes back with it.
   */
  readonly lines: number
  readonly locations: readonly string[]
  /** Accounts. Those after the first are guests, each with a share of the monitors, on hosts that all have in common. */
  readonly tenants: number
  /** Machines with a process each, on the same store. */
  readonly machines: number
  /** Checks that one process makes at the same time, without the reserve. */
  readonly places: number
  /** Results, notifications and history are kept for days, not months: pruning has work. */
  readonly shortMemory: boolean
  /** Each account has contacts with quiet hours, and with one message for many. */
  readonly patient: boolean
  readonly faults: Faults
}

const NOTHING: Faults = {
  flaps: 0,
  blind: 0,
  obscured: 0,
  rushes: 0,
  kills: 0,
  restarts: 0,
  freezes: 0,
  storeTroubles: 0,
  slowCalls: 0,
  jumps: 0,
  silences: 0,
  badPosts: 0,
  actions: 0,
  badAnswers: 0,
  floods: 0,
  scenes: 0,
}

/**
 * The plan of a seed. Every seed leaves some kinds of faults out: what happens under a few of them is
 * seen more clearly, and gets further, than what happens under all at once.
 */
export function planOf(seed: number, given: Partial<Plan> = {}): Plan {
  const dice = diceOf(seed, 1)
  const some = (low: number, high: number, share = 0.6): number =>
    dice.chance(share) ? low + (dice.int(0, 1000) / 1000) * (high - low) : 0
  const world = {
    seed,
    days: 3,
    monitors: dice.int(30, 50),
    heartbeats: dice.int(0, 3),
    locations: ['fra', 'nyc', 'sin', 'sao'].slice(
      0,
      dice.weighted([
        [1, 4],
        [2, 3],
        [3, 2],
        [4, 1],
      ]),
    ),
    shortMemory: dice.chance(0.3),
    faults: {
      flaps: some(0.3, 3, 0.95),
      blind: some(0.3, 3, 0.4),
      kills: some(2, 40),
      restarts: some(0.5, 4, 0.3),
      freezes: some(0.5, 6, 0.35),
      storeTroubles: some(2, 30),
      slowCalls: some(0.005, 0.05, 0.4),
      jumps: some(1, 8, 0.35),
      silences: some(0.5, 4, 0.8),
      badPosts: some(0.002, 0.03, 0.4),
      actions: some(10, 80),
      badAnswers: some(0.2, 0.9, 0.9),
    },
    lines: dice.int(0, 3),
  }
  const tenants = dice.weighted([
    [1, 2],
    [2, 3],
    [3, 2],
  ])
  const places = dice.pick([4, 6])
  const obscured = diceOf(seed, 7).chance(0.5) ? 1 : 0
  const rushes = diceOf(seed, 8).chance(0.4) ? 8 : 0
  const scenes = diceOf(seed, 10).chance(0.5) ? 6 : 0
  const faults = { ...world.faults, floods: some(1, 4, 0.8), obscured, rushes, scenes }
  const patient = dice.chance(0.7)
  const machines = diceOf(seed, 6).chance(0.25) ? 2 : 1
  return { ...world, tenants, places, faults, patient, machines, ...given }
}

/** A plan in which nothing goes wrong but what is named. */
export function calmPlan(seed: number, faults: Partial<Faults>, given: Partial<Plan> = {}): Plan {
  return planOf(seed, {
    days: 1,
    monitors: 6,
    heartbeats: 0,
    lines: 0,
    locations: ['local'],
    tenants: 1,
    places: 64,
    shortMemory: false,
    patient: false,
    machines: 1,
    ...given,
    faults: { ...NOTHING, ...faults },
  })
}
