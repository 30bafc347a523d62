/**
 * Explains an outcome in a sentence or two: the headline has the facts, this explains the terms.
 *
 * @module
 */

import type { CauseTable } from '../../checkers/checker.ts'
import type { TimedOutcome } from '../../engine/api/views.ts'
import type { BuiltinPhase, Outcome, Phase, Verdict } from '../../model.ts'
import { decimals } from '../terminal.ts'
import type { Line, Tone } from '../terminal.ts'

const WORDS = { ok: 'OK', fail: 'FAIL', unknown: 'UNKNOWN' } as const
const TONES = { ok: 'good', fail: 'bad', unknown: 'unsure' } as const satisfies Record<
  Verdict,
  Tone
>

/** In the words of a monitoring plugin, which all of them show. */
export function verdictWord({ verdict }: Outcome): { readonly text: string; readonly tone: Tone } {
  return { text: WORDS[verdict], tone: TONES[verdict] }
}

/** The verdict first, since that is the line which monitoring systems show. */
export function headline(outcome: TimedOutcome, subject: string): Line {
  const { cause_code, cause_text, phase, remote_ip, duration_ms, response_ms } = outcome
  const where = remote_ip === null ? '' : `, ${remote_ip}`
  const took = `${decimals(response_ms ?? duration_ms)} ms${where}`
  const word = verdictWord(outcome)
  if (outcome.verdict === 'ok') return [word, oneLine(` ${subject} (${took})`)]
  const during = phase === null ? '' : ` during ${phase}`
  return [word, oneLine(` ${subject}: ${cause_text ?? ''} (${cause_code ?? ''}${during}; ${took})`)]
}

const DOING: Readonly<Record<BuiltinPhase, string>> = {
  resolve: 'looking up the name',
  connect: 'connecting',
  tls: 'agreeing on TLS',
  starttls: 'changing over to TLS',
  greeting: 'waiting for the greeting',
  send: 'sending',
  auth: 'logging in',
  query: 'waiting for the result',
  first_byte: 'waiting for the answer',
  transfer: 'reading the answer',
}

/** Of a step that was taken, and whose result is not the expected one. */
const CAME: Readonly<Partial<Record<Phase, string>>> = {
  resolve: 'The name server answered; its answer is not what is expected.',
  tls: 'TLS was agreed on; the certificate is not what is expected.',
  greeting: 'The server spoke first; what it said is not what is expected.',
  auth: 'The server answered; it does not take the login.',
  query: 'The result came; it is not what is expected.',
  first_byte: 'The answer came; its status or a header is not what is expected.',
  transfer: 'The answer came; its content is not what is expected.',
}

/** Nothing where all is well. `causes`: those of the type itself, which it finds in answers. */
export function explanation(
  { verdict, phase, phases, cause_code, details }: Outcome,
  causes: CauseTable,
): string[] {
  if (verdict === 'ok') return []
  if (verdict === 'unknown') {
    return ['Our side could not measure, so this says nothing about the target: no alarm.']
  }
  if (phase === null) return []
  const judged = cause_code !== null && Object.hasOwn(causes, cause_code)
  const came = judged && Object.hasOwn(CAME, phase) ? CAME[phase] : undefined
  // Without a measurement there was no answer, such as that of a name server without an address.
  if (came !== undefined && `${phase}_ms` in phases && Object.keys(details).length > 0)
    return [came]
  const before = Object.keys(DOING).filter(
    (name) => `${name}_ms` in phases && name !== phase,
  ) as Phase[]
  const worked = before.length === 0 ? '' : ` What worked: ${listed(before.map(phrase))}.`
  return [`It failed while ${phrase(phase)}.${worked}`]
}

/** A phase that a custom checker defines is shown by its name. */
function phrase(phase: Phase): string {
  return Object.hasOwn(DOING, phase) ? DOING[phase as BuiltinPhase] : `at the step ${phase}`
}

function listed(items: readonly string[]): string {
  const [last = '', ...others] = items.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`
}

/** Words of servers may hold line breaks. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}
