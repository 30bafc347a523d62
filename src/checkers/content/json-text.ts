/**
 * JSON with its keys in order and one value per line, so that the same data is the same text however a
 * server happens to write it. Without indentation: what is nested deep would grow beyond all bounds.
 *
 * @module
 */

/** What is nested deeper is left as it is written. */
const MAX_DEPTH = 200

/** `undefined` where it is not JSON, or nested too deep. */
export function textOfJson(source: string): string | undefined {
  try {
    const lines: string[] = []
    print(JSON.parse(source) as unknown, { lines, depth: 0, label: '' })
    return lines.join('\n')
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

interface Place {
  readonly lines: string[]
  readonly depth: number
  /** The key in front of the value, with its colon. */
  readonly label: string
}

function print(value: unknown, { lines, depth, label }: Place): void {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deep')
  if (Array.isArray(value)) {
    lines.push(`${label}[`)
    for (const item of value) print(item, { lines, depth: depth + 1, label: '' })
    lines.push(']')
  } else if (typeof value === 'object' && value !== null) {
    lines.push(`${label}{`)
    for (const key of Object.keys(value).sort()) {
      const at = { lines, depth: depth + 1, label: `${JSON.stringify(key)}: ` }
      print((value as Readonly<Record<string, unknown>>)[key], at)
    }
    lines.push('}')
  } else {
    lines.push(label + JSON.stringify(value))
  }
}
