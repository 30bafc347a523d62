/**
 * Secrets that are recognised wherever they turn up: one for every secret field of a table, so that a
 * field that is added tomorrow is watched as well.
 *
 * @module
 */

import type { FieldTable } from '../../../src/fields/field.ts'
import type { JsonObject } from '../../../src/model.ts'

/** What every canary begins with; 32 letters and digits in all, as the strictest of the fields wants them. */
const BEGIN = 'cnry'

export interface Aviary {
  /** A new one. `owner` is whom it belongs to. */
  hatch(owner: string): string
  /** A secret of another form than {@link hatch} makes. */
  adopt(secret: string, owner: string): void
  /** `owner` of every canary found in a text, in any spelling that a secret travels in. */
  find(text: string | Uint8Array): ReadonlySet<string>
  readonly size: number
}

export function aviary(): Aviary {
  const owners = new Map<string, string>()
  const spelled = new Map<string, readonly string[]>()
  return {
    hatch(owner) {
      const number = (owners.size + 1).toString(36).padStart(4, '0')
      const canary = `${BEGIN}${number}${'q7'.repeat(12)}`
      owners.set(canary, owner)
      spelled.set(canary, spellings(canary))
      return canary
    },
    adopt(secret, owner) {
      owners.set(secret, owner)
      spelled.set(secret, spellings(secret))
    },
    find(text) {
      const found = new Set<string>()
      const searched = typeof text === 'string' ? text : Buffer.from(text).toString('latin1')
      for (const [canary, owner] of owners) {
        if (spelled.get(canary)?.some((each) => searched.includes(each)) === true) found.add(owner)
      }
      return found
    },
    get size() {
      return owners.size
    },
  }
}

/** As it is, in hex, and in base64 at each of the three offsets that it may have in a longer text. */
function spellings(canary: string): string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from('x'.repeat(offset) + canary).toString('base64')
    // The characters at both ends belong to the neighbours as well.
    return text.slice(offset === 0 ? 0 : 4, -4)
  })
  const hex = Buffer.from(canary).toString('hex')
  return [canary, hex, hex.toUpperCase(), ...base64]
}

/** Headers whose names say little of what they carry. */
const OTHERS = ['X-Auth', 'X-Access-Key', 'X-Session-Id', 'X-Tok', 'X-Anything']

/** `settings` with a canary in every secret field; `shape` dresses it where a field wants more than a word. */
export function withCanaries(
  fields: FieldTable,
  settings: JsonObject,
  hatch: (path: string) => string,
  prefix = '',
): JsonObject {
  const dressed: Record<string, unknown> = { ...settings }
  for (const [name, { info }] of Object.entries(fields)) {
    const path = prefix + name
    const given = settings[name]
    if (info.fields !== undefined) {
      const inner = (given ?? {}) as JsonObject
      const nested = withCanaries(info.fields, inner, hatch, `${path}.`)
      if (Object.keys(nested).length > 0) dressed[name] = nested
    } else if (info.secret === 'value') {
      dressed[name] = hatch(path)
    } else if (info.secret === 'by_header_name') {
      dressed[name] = {
        Cookie: `sid=${hatch(`${path}.cookie`)}; theme=dark`,
        'X-Api-Key': hatch(path),
        ...Object.fromEntries(OTHERS.map((header) => [header, hatch(`${path}.${header}`)])),
      }
    }
  }
  return dressed as JsonObject
}
