/**
 * Days before an expiry at which a warning is due: `14`, `"14,7,3"` or `[14, 7, 3]`.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from './field.ts'
import type { FieldBuilder } from './field.ts'

/** Accepted input; stored as a list in descending order. */
export type DaysInput = number | string | readonly number[]

export interface DaysInfo {
  readonly description: string
  /** Greatest number of days, default 365; the smallest is 0, the last day itself. */
  readonly max?: number
}

const MAX_ITEMS = 10

/** One or several numbers of days; without duplicates, in descending order. */
export function daysList({
  description,
  max = 365,
}: DaysInfo): FieldBuilder<DaysInput, readonly number[]> {
  const schema = v.pipe(
    v.unknown(),
    v.rawTransform<unknown, DaysInput>(({ dataset, addIssue, NEVER }) => {
      const days = readDays(dataset.value, max)
      if (typeof days !== 'string') return days
      addIssue({ message: days })
      return NEVER
    }),
  )
  return defineField<DaysInput, readonly number[]>(
    {
      kind: 'array',
      format: 'days',
      unit: 'days',
      min: 1,
      max: MAX_ITEMS,
      example: '14,7,3',
      description,
    },
    schema,
    (wire) => {
      const days = readDays(wire, Infinity)
      if (typeof days === 'string') throw new TypeError(days)
      return days
    },
  )
}

/** The parsed days, or the problem. */
function readDays(input: unknown, max: number): readonly number[] | string {
  const parts: readonly unknown[] =
    typeof input === 'string' ? input.split(',') : Array.isArray(input) ? input : [input]
  if (parts.length < 1 || parts.length > MAX_ITEMS) return `out_of_range: 1..${MAX_ITEMS} items`
  const days = parts.map(readDay)
  if (!days.every((day) => day !== undefined)) {
    return 'invalid: a number of days such as 14, or several as "14,7,3", is expected'
  }
  if (!days.every((day) => day <= max)) return `out_of_range: 0..${max}`
  return [...new Set(days)].sort((a, b) => b - a)
}

function readDay(part: unknown): number | undefined {
  if (typeof part === 'string') {
    const text = part.trim()
    return /^\d{1,6}$/.test(text) ? Number(text) : undefined
  }
  return typeof part === 'number' && Number.isSafeInteger(part) && part >= 0 ? part : undefined
}
