/**
 * The setting `warn`: thresholds of figures beyond which a monitor that is up is degraded.
 *
 * @module
 */

import * as v from 'valibot'
import type { AnyChecker } from '../../checkers/checker.ts'
import { isUntimed } from '../../checkers/response-time.ts'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { BASELINE } from '../../model.ts'
import type { Warn, WarnLimit } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import { suggestion } from '../../options.ts'

/** The response time, under the same name in every type that has one. */
export const RESPONSE = 'response'

/** Thresholds of one monitor. */
const MAX_FIGURES = 20

type Entry = readonly [figure: string, limit: Warn[string]]

const bound = v.optional(
  v.pipe(v.number('invalid: a number is expected'), v.finite('invalid: a number is expected')),
)

const limit = v.pipe(
  v.strictObject({ above: bound, below: bound }, ({ expected }) =>
    expected === 'never' ? 'unknown_field' : 'invalid: { above?, below? } is expected',
  ),
  v.check(
    ({ above, below }) => above !== undefined || below !== undefined,
    'required: above or below',
  ),
  v.check(
    ({ above, below }) => above === undefined || below === undefined || below <= above,
    'out_of_range: below must not be greater than above',
  ),
)

/** What a monitor of a type may warn of. */
export interface WarnFigures {
  readonly figures: readonly string[]
  /**
   * Those of which a baseline can be learned. The hourly totals say how the response times are distributed, and of other
   * figures at most how great they were.
   */
  readonly learned: readonly string[]
}

/** What a monitor of this type may warn of. Without a type: what all have. */
export function warnFiguresOf(
  checker?: Pick<AnyChecker, 'figures' | 'measurements' | 'response' | 'push' | 'composite'>,
): WarnFigures {
  if (checker === undefined) return { figures: [RESPONSE], learned: [RESPONSE] }
  const { response } = checker
  const own = checker.figures ?? Object.keys(checker.measurements)
  if (response === undefined && isUntimed(checker)) return { figures: own, learned: [] }
  const figures = [RESPONSE, ...own]
  return { figures, learned: figures.filter((name) => name === RESPONSE || name === response) }
}

/** `{ response: 'baseline', days_left: { below: 21 } }`. */
export function warnField({ figures, learned }: WarnFigures): FieldBuilder<Warn> {
  const schema = v.pipe(
    v.custom<Record<string, unknown>>(isJsonObject, 'invalid: an object is expected'),
    v.rawTransform<Record<string, unknown>, Warn>(({ dataset, addIssue }) => {
      const input = dataset.value
      const entries = Object.entries(input)
      if (entries.length > MAX_FIGURES)
        addIssue({ message: `out_of_range: at most ${MAX_FIGURES} figures` })
      const read = entries.slice(0, MAX_FIGURES).map(([key, value]): Entry => {
        const here = { type: 'object', origin: 'value', input, key, value } as const
        if (!figures.includes(key)) {
          addIssue({ message: unknownFigure(key, figures), path: [here] })
          return [key, {}]
        }
        if (value === BASELINE) {
          if (!learned.includes(key)) addIssue({ message: notLearned(learned), path: [here] })
          return [key, BASELINE]
        }
        const result = v.safeParse(limit, value)
        for (const { message, path } of result.issues ?? []) {
          const inner = (path ?? []) as unknown as []
          addIssue({ message, path: [here, ...inner] })
        }
        return [key, withoutAbsent(result.success ? result.output : {})]
      })
      return Object.fromEntries(read)
    }),
  )
  return defineField(
    {
      kind: 'object',
      description:
        'Thresholds of figures: beyond one the monitor is degraded and stays up. Each is { above } or { below }, or both, under response or the name of a measurement; "baseline" for a response time beyond what is usual at the hour',
      format: 'warn',
    },
    schema,
  )
}

function unknownFigure(key: string, figures: readonly string[]): string {
  if (figures.length === 0) return 'unknown_field: this type has no figures'
  return `unknown_field: ${suggestion(key, [...figures])}`
}

function notLearned(learned: readonly string[]): string {
  if (learned.length === 0) return 'invalid: a baseline is of response times; this type has none'
  return `invalid: a baseline is of response times only: ${learned.join(', ')}`
}

function withoutAbsent({ above, below }: v.InferOutput<typeof limit> | WarnLimit): WarnLimit {
  return {
    ...(above === undefined ? {} : { above }),
    ...(below === undefined ? {} : { below }),
  }
}
