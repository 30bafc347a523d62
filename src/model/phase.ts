/**
 * The phases of a check, by which its time is reported.
 *
 * @module
 */

/** The phases of the built-in checkers, from name resolution to the last byte. */
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

/** The phase of a check. A custom checker may define others. */
export type Phase = BuiltinPhase | (string & {})

/** Milliseconds spent per phase, summed over redirects and retries; only the phases that took place. */
export type Phases = { readonly [P in BuiltinPhase as `${P}_ms`]?: number } & {
  readonly [own: `${string}_ms`]: number
}
