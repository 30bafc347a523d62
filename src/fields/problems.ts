/**
 * Problems of settings: one text per field, keyed by its name in the table. The position within a
 * value follows the code: `invalid: entry 2: a string is expected`.
 *
 * @module
 */

import { nearestName, quoted } from '../options.ts'

/** Field name, as the user wrote it, to problem. */
export type Problems = Readonly<Record<string, string>>

/** Approximate maximum length of one text; `…` replaces the rest. */
const ENOUGH_CHARACTERS = 400
/** Maximum depth of a position that is shown. */
const MAX_STEPS = 6
/** Maximum unknown names of one input that get a suggestion. */
const MAX_SUGGESTIONS = 20

/**
 * Converts a problem of a part of a value to one of the whole. Steps are list indices and member
 * names.
 */
export function problemAt(steps: readonly PropertyKey[], problem: string): string {
  if (steps.length === 0) return problem
  const place = [...steps.slice(0, MAX_STEPS), ...(steps.length > MAX_STEPS ? ['…'] : [])]
    .map((step) => (typeof step === 'number' ? `entry ${step + 1}` : quoted(String(step))))
    .join(', ')
  const { code, text } = partsOf(problem)
  return text === '' ? `${code}: ${place}` : `${code}: ${place}: ${text}`
}

/** Adds a problem after those that the field already has. */
export function addProblem(problems: Record<string, string>, name: string, problem: string): void {
  const known = Object.hasOwn(problems, name) ? problems[name] : undefined
  if (known === undefined) problems[name] = problem
  else if (known.length < ENOUGH_CHARACTERS) problems[name] = `${known}; ${behind(known, problem)}`
  else if (!known.endsWith('; …')) problems[name] = `${known}; …`
}

/** For unknown names: `unknown_field`, with a similar known name. */
export function unknownFields(known: readonly string[]): (name: string) => string {
  let asked = 0
  return (name) => {
    asked += 1
    const near = asked > MAX_SUGGESTIONS ? undefined : nearestName(name, known)
    return near === undefined ? 'unknown_field' : `unknown_field: did you mean "${near}"?`
  }
}

/** Repeats the code only if it differs. */
function behind(known: string, problem: string): string {
  const { code, text } = partsOf(problem)
  const last = [...known.matchAll(/(?:^|; )([a-z_]+): /g)].at(-1)?.[1]
  return text !== '' && code === last ? text : problem
}

function partsOf(problem: string): { readonly code: string; readonly text: string } {
  const colon = problem.indexOf(': ')
  if (colon < 0) return { code: problem, text: '' }
  return { code: problem.slice(0, colon), text: problem.slice(colon + 2) }
}
