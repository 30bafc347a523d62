/**
 * An outcome for a person: the verdict first (the line that monitoring systems show), then where the
 * time went and what was measured.
 *
 * @module
 */

import type { Json, Outcome } from '../../model.ts'
import { table } from '../terminal.ts'

const BAR_CHARACTERS = 40
const VALUE_LIMIT = 200

const WORDS = { ok: 'OK', fail: 'FAIL', unknown: 'UNKNOWN' } as const

export function report(outcome: Outcome, subject: string): string[] {
  const waterfall = table(phaseRows(outcome))
  const details = table(detailRows(outcome))
  return [
    oneLine(headline(outcome, subject)),
    ...(waterfall.length > 0 ? ['', ...waterfall] : []),
    ...(details.length > 0 ? ['', ...details] : []),
  ]
}

function headline(outcome: Outcome, subject: string): string {
  const { verdict, cause_code, cause_text, phase, remote_ip, duration_ms } = outcome
  const where = remote_ip === null ? '' : `, ${remote_ip}`
  const took = `${duration_ms.toFixed(1)} ms${where}`
  if (verdict === 'ok') return `OK ${subject} (${took})`
  const during = phase === null ? '' : ` during ${phase}`
  return `${WORDS[verdict]} ${subject}: ${cause_text ?? ''} (${cause_code ?? ''}${during}; ${took})`
}

/** The phases one after the other, to scale. */
function phaseRows({ phases, duration_ms }: Outcome): string[][] {
  const scale = BAR_CHARACTERS / Math.max(duration_ms, 0.001)
  let from_ms = 0
  return Object.entries(phases).map(([name, ms]) => {
    const start = Math.min(Math.round(from_ms * scale), BAR_CHARACTERS - 1)
    const length = Math.max(1, Math.min(Math.round(ms * scale), BAR_CHARACTERS - start))
    from_ms += ms
    const bar = (' '.repeat(start) + '█'.repeat(length)).padEnd(BAR_CHARACTERS)
    return [`  ${name.replace(/_ms$/, '')}`, bar, `${ms.toFixed(1)} ms`.padStart(11)]
  })
}

function detailRows({ details }: Outcome): string[][] {
  return Object.entries(details).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[`  ${name}`, oneLine(shown(value))]],
  )
}

function shown(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > VALUE_LIMIT ? `${text.slice(0, VALUE_LIMIT)}…` : text
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}
