import { decodeSettings, parse } from '../../src/fields/parse.ts'
import type { AnyField, FieldTable } from '../../src/fields/field.ts'

/** The stored form of one value, or its problem. */
export function judge(field: AnyField, value: unknown): unknown {
  const parsed = parse({ f: field }, { f: value })
  return parsed.ok ? parsed.value.f : problemsOf({ f: field }, { f: value }).f
}

/** The form that `run` gets. */
export function decoded(field: AnyField, value: unknown): unknown {
  const parsed = parse({ f: field }, { f: value })
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.fields))
  return decodeSettings({ f: field }, parsed.value).f
}

export function problemsOf(fields: FieldTable, input: unknown): Readonly<Record<string, string>> {
  const parsed = parse(fields, input)
  return parsed.ok ? {} : { ...parsed.fields }
}
