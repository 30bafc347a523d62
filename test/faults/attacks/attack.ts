/**
 * What every attack of `npm run faults -- attacks` is made of.
 *
 * @module
 */

export interface Attack {
  /** Short and unique: `--only` takes it. */
  readonly name: string
  /** What an attacker does, in one sentence. */
  readonly does: string
  /** What must hold meanwhile, with its figure. */
  readonly bound: string
  /** Carries it out, on loopback and within a minute or two, and cleans up. */
  attempt(): Promise<Finding>
}

export interface Finding {
  readonly held: boolean
  /** The figures, as they are to stand in docs/reliability.md. */
  readonly seen: string
}
