/**
 * Parses the lines of a WHOIS answer into labels and values. RFC 3912 defines no format; registries
 * write `label: value`, `[Label] value`, a label above an indented value, or dots before the colon.
 *
 * @module
 */

/** Label (lower case, without dots, with single blanks) to its values in order. */
export type WhoisRecord = ReadonlyMap<string, readonly string[]>

const BRACKETED = /^(?:[a-z]\.\s*)?\[([^\]]{1,60})\](.*)$/i

const MAX_LABEL_CHARACTERS = 60

/** Comment lines of the server. */
const REMARK = /^\s*(?:%|#|>>>|--|\*)/

/**
 * An indented label below a heading (`Registrar`, then `Name: …`) is stored under both: `name`,
 * `registrar name`.
 */
export function readRecord(text: string): WhoisRecord {
  const record = new Map<string, string[]>()
  let last: string[] | undefined
  let headline: string | undefined
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line.trim() === '') last = headline = undefined
    if (line.trim() === '' || REMARK.test(line)) continue
    const isIndented = /^\s/.test(line)
    const found = bracketed(line.trim()) ?? labelled(line.trim())
    if (found === undefined) {
      // A line after a label, indented or after an empty value, is a value of the label.
      if (isIndented || last?.length === 0) last?.push(line.trim())
      else headline = canonicalLabel(line)
      continue
    }
    const label = canonicalLabel(found.label)
    const value = found.value.trim()
    last = added(record, label, value)
    if (isIndented && headline !== undefined) added(record, `${headline} ${label}`, value)
    else headline = value === '' ? label : undefined
  }
  return record
}

interface Labelled {
  readonly label: string
  readonly value: string
}

/** `[Label] value`, also `a. [Label] value`. */
function bracketed(line: string): Labelled | undefined {
  const [, label, value = ''] = BRACKETED.exec(line) ?? []
  return label === undefined ? undefined : { label, value }
}

/** `Label: value`, `Label......: value`. */
function labelled(line: string): Labelled | undefined {
  const colon = line.indexOf(':')
  if (colon < 1 || /^[%#>]/.test(line)) return undefined
  let end = colon
  while (end > 1 && /[\s.]/.test(line.charAt(end - 1))) end--
  if (end > MAX_LABEL_CHARACTERS) return undefined
  return { label: line.slice(0, end), value: line.slice(colon + 1) }
}

function added(record: Map<string, string[]>, label: string, value: string): string[] {
  const values = record.get(label) ?? []
  record.set(label, values)
  if (value !== '') values.push(value)
  return values
}

/** The values of all these labels, in label order. */
export function valuesOf(record: WhoisRecord, labels: readonly string[]): readonly string[] {
  return labels.flatMap((label) => record.get(label) ?? [])
}

function canonicalLabel(label: string): string {
  return label
    .toLowerCase()
    .replace(/[\s.]+/g, ' ')
    .trim()
}
