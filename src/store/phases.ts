/**
 * Packs the phases of a result into a fifth of the bytes of their JSON: numbers alone, in a fixed order. Phases that
 * only a custom checker reports follow by name.
 *
 * @module
 */

import type { BuiltinPhase, Phases } from '../model.ts'

type BuiltinName = `${BuiltinPhase}_ms`

/** Stored rows depend on this order: only append. */
const ORDER = [
  'resolve_ms',
  'connect_ms',
  'tls_ms',
  'starttls_ms',
  'greeting_ms',
  'send_ms',
  'auth_ms',
  'query_ms',
  'first_byte_ms',
  'transfer_ms',
] as const satisfies readonly BuiltinName[]

const KNOWN: ReadonlySet<string> = new Set(ORDER)

/** For example `12.5,3,,1;handshake_ms=4`; `null` without phases. */
export function packPhases(phases: Phases): string | null {
  let packed = ''
  let gap = ''
  for (const name of ORDER) {
    const value = phases[name]
    if (value !== undefined) {
      packed += gap + String(value)
      gap = ''
    }
    gap += ','
  }
  for (const name in phases) {
    if (!KNOWN.has(name)) packed += `;${encodeURIComponent(name)}=${phases[name as keyof Phases]}`
  }
  return packed === '' ? null : packed
}

export function unpackPhases(packed: unknown): Phases {
  if (typeof packed !== 'string') return {}
  const phases: { -readonly [Name in keyof Phases]: Phases[Name] } = {}
  const [numbers = '', ...own] = packed.split(';')
  numbers.split(',').forEach((value, index) => {
    const name = ORDER[index]
    if (name !== undefined && value !== '') phases[name] = Number(value)
  })
  for (const entry of own) {
    const [name = '', value] = entry.split('=')
    phases[decodeURIComponent(name) as keyof Phases] = Number(value)
  }
  return phases
}
