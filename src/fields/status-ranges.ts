/**
 * Status codes in common notations: `200-299`, `200,204`, `2xx`, or several of these separated by
 * commas.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from './field.ts'
import type { FieldBuilder } from './field.ts'

export interface StatusRanges {
  /** In normalized spelling. */
  readonly source: string
  includes(status: number): boolean
}

interface Range {
  readonly from: number
  readonly to: number
}

const MAX_RANGES = 50

/** A status range as text, number or list; stored as text. */
export function statusRangesField(description: string): FieldBuilder<string, StatusRanges> {
  const schema = v.pipe(
    v.unknown(),
    v.rawTransform<unknown, string>(({ dataset, addIssue, NEVER }) => {
      const ranges = readRanges(dataset.value)
      if (typeof ranges !== 'string') return ranges.map(spell).join(',')
      addIssue({ message: ranges })
      return NEVER
    }),
  )
  return defineField(
    { kind: 'string', format: 'status_ranges', example: '200-299,401', description },
    schema,
    statusRanges,
  )
}

/** Parses the stored text. */
export function statusRanges(source: string): StatusRanges {
  const ranges = readRanges(source)
  if (typeof ranges === 'string') throw new TypeError(ranges)
  return {
    source,
    includes: (status) => ranges.some(({ from, to }) => from <= status && status <= to),
  }
}

function readRanges(input: unknown): readonly Range[] | string {
  const parts = (Array.isArray(input) ? input : [input]).flatMap((part: unknown) =>
    typeof part === 'number' ? [String(part)] : typeof part === 'string' ? part.split(',') : [''],
  )
  if (parts.length > MAX_RANGES) return `out_of_range: 1..${MAX_RANGES} ranges`
  const ranges = parts.map((part) => readRange(part.replace(/\s/g, '')))
  return ranges.length > 0 && ranges.every((range) => range !== undefined)
    ? ranges
    : 'invalid: status codes such as 200-299, 404 or 2xx are expected, 100 to 599'
}

function readRange(text: string): Range | undefined {
  const hundred = /^([1-5])xx$/i.exec(text)?.[1]
  if (hundred !== undefined) return { from: Number(hundred) * 100, to: Number(hundred) * 100 + 99 }
  const match = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(text)
  if (match === null) return undefined
  const from = Number(match[1])
  const to = Number(match[2] ?? match[1])
  return from <= to ? { from, to } : undefined
}

function spell({ from, to }: Range): string {
  return from === to ? String(from) : `${from}-${to}`
}
