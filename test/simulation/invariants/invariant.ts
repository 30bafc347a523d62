/** What an invariant is: one sentence, and a function that says where it does not hold. */
import type { Ledger } from '../ledger.ts'

export interface Invariant {
  /** What must hold of every history, in plain words. */
  readonly sentence: string
  /** Each place where it does not, in one line. */
  readonly broken: (ledger: Ledger) => Iterable<string>
}

export function invariant(sentence: string, broken: Invariant['broken']): Invariant {
  return { sentence, broken }
}

/** A time of the tape as people read it: day, hour, minute, second of the history. */
export function when({ at }: { readonly at: number }): string {
  const day = Math.floor(at / 86_400_000)
  return `day ${day} ${new Date(at % 86_400_000).toISOString().slice(11, 23)}`
}
