/**
 * The steps of a check, by which its time is told.
 *
 * @module
 */

/** The phases that the built-in checkers have, from name resolution to the last byte. */
export type BuiltinPhase =
  | 'resolve'
  | 'connect'
  | 'tls'
  | 'starttls'
  | 'greeting'
  | 'send'
  | 'auth'
  | 'query'
  | 'first_byte'
  | 'transfer'

/** The step of a check that was under way. A checker of your own may name others. */
export type Phase = BuiltinPhase | (string & {})

/** Milliseconds spent per phase, summed over redirects and retries; only the phases that took place. */
export type Phases = { readonly [P in BuiltinPhase as `${P}_ms`]?: number } & {
  readonly [own: `${string}_ms`]: number
}
