/**
 * Says where a value departs from a JSON Schema. It knows the words that the OpenAPI document uses and
 * throws at any other, so that nothing passes because it was not understood.
 */

type Schema = Readonly<Record<string, unknown>>

const SILENT = [
  'description',
  'title',
  'format',
  'default',
  'examples',
  'writeOnly',
  'discriminator',
]

/** Paths and problems, empty where the value fits. `root` is the document that `$ref` points into. */
export function departures(value: unknown, schema: unknown, root: unknown, path = '$'): string[] {
  if (schema === true) return []
  const found: string[] = []
  for (const [word, rule] of Object.entries(schema as Schema)) {
    if (SILENT.includes(word)) continue
    const check = WORDS[word]
    if (check === undefined) throw new Error(`The word "${word}" is not known here`)
    found.push(...check({ value, rule, schema: schema as Schema, root, path }))
  }
  return found
}

export function resolve(root: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, step) => (at as Schema | undefined)?.[step], root)
}

interface Check {
  readonly value: unknown
  readonly rule: unknown
  readonly schema: Schema
  readonly root: unknown
  readonly path: string
}

const WORDS: Readonly<Record<string, (check: Check) => string[]>> = {
  $ref({ value, rule, root, path }) {
    const target = resolve(root, rule as string)
    return target === undefined
      ? [`${path}: ${String(rule)} leads nowhere`]
      : departures(value, target, root, path)
  },
  anyOf: ({ value, rule, root, path }) => {
    const tries = (rule as unknown[]).map((one) => departures(value, one, root, path))
    return tries.some((problems) => problems.length === 0) ? [] : tries.flat()
  },
  oneOf: ({ value, rule, root, path }) => {
    const fits = (rule as unknown[]).filter(
      (one) => departures(value, one, root, path).length === 0,
    )
    return fits.length === 1 ? [] : [`${path}: fits ${fits.length} of oneOf`]
  },
  const: ({ value, rule, path }) => (value === rule ? [] : [`${path}: is not ${String(rule)}`]),
  enum: ({ value, rule, path }) =>
    (rule as unknown[]).includes(value) ? [] : [`${path}: ${String(value)} is not in the enum`],
  type: ({ value, rule, path }) => {
    const kinds = [rule].flat() as string[]
    return kinds.some((kind) => isOf(kind, value))
      ? []
      : [`${path}: is not of type ${kinds.join('|')}`]
  },
  minimum: ({ value, rule, path }) =>
    typeof value !== 'number' || value >= (rule as number) ? [] : [`${path}: too small`],
  maximum: ({ value, rule, path }) =>
    typeof value !== 'number' || value <= (rule as number) ? [] : [`${path}: too large`],
  minLength: ({ value, rule, path }) =>
    typeof value !== 'string' || value.length >= (rule as number) ? [] : [`${path}: too short`],
  maxLength: ({ value, rule, path }) =>
    typeof value !== 'string' || value.length <= (rule as number) ? [] : [`${path}: too long`],
  minItems: ({ value, rule, path }) =>
    !Array.isArray(value) || value.length >= (rule as number) ? [] : [`${path}: too few`],
  maxItems: ({ value, rule, path }) =>
    !Array.isArray(value) || value.length <= (rule as number) ? [] : [`${path}: too many`],
  items: ({ value, rule, root, path }) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => departures(item, rule, root, `${path}[${index}]`))
      : [],
  required: ({ value, rule, path }) =>
    isOf('object', value)
      ? (rule as string[])
          .filter((name) => !Object.hasOwn(value as object, name))
          .map((name) => `${path}.${name}: is missing`)
      : [],
  properties: ({ value, rule, root, path }) =>
    isOf('object', value)
      ? Object.entries(rule as Schema).flatMap(([name, one]) =>
          Object.hasOwn(value as object, name)
            ? departures((value as Schema)[name], one, root, `${path}.${name}`)
            : [],
        )
      : [],
  additionalProperties: ({ value, rule, schema, root, path }) => {
    if (!isOf('object', value)) return []
    const listed = Object.keys(schema['properties'] ?? {})
    const others = Object.entries(value as object).filter(([name]) => !listed.includes(name))
    if (rule === false) return others.map(([name]) => `${path}.${name}: is not documented`)
    return others.flatMap(([name, one]) => departures(one, rule, root, `${path}.${name}`))
  },
}

function isOf(kind: string, value: unknown): boolean {
  if (kind === 'null') return value === null
  if (kind === 'array') return Array.isArray(value)
  if (kind === 'integer') return Number.isInteger(value)
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === kind
}
