/** What is broken of the sources, to see that the simulation notices. */

export interface Rule {
  readonly name: string
  /** What goes wrong with it, in a sentence. */
  readonly about: string
  /** Below `src`. */
  readonly file: string
  /** Stands there exactly once. */
  readonly find: string
  readonly replace: string
  /** It shows only where several machines share a store. */
  readonly machines?: number
}
