/**
 * The schemas of the types of checks and their fields.
 *
 * @module
 */

import type { ChartView, TypeView } from '../../engine/api/engine.ts'
import type { FieldRow } from '../../fields/describe.ts'
import { MEASUREMENT_FORMATS } from '../../model.ts'
import { arrayOf, flag, integer, nullable, number, object, text, word } from './schemas.ts'
import type { Schema } from './schemas.ts'

export const TYPE_VIEWS: Readonly<Record<'Type' | 'Field', Schema>> = {
  Type: object<TypeView>(
    {
      type: text('Type code'),
      name: text(),
      description: text(),
      fields: arrayOf('Field'),
      common_fields: arrayOf('Field'),
      causes: arrayOf(
        object({
          code: text(),
          text: text(),
          verdict: word(['fail', 'unknown']),
          phase: nullable(text()),
        }),
      ),
      measurements: arrayOf(
        object({
          name: text(),
          description: text(),
          figure: flag('A number, of which `warn` may name a threshold'),
        }),
      ),
      response: nullable(
        text('The measurement that is the response time; `duration_ms` is how long the check took'),
      ),
      highlights: arrayOf(
        object(
          {
            name: text('Of `measurements`, with dots into nested ones'),
            title: text('How a page calls it'),
            format: word(MEASUREMENT_FORMATS),
          },
          { optional: ['format'] },
        ),
      ),
      charts: arrayOf(
        object<ChartView>({
          title: text(),
          unit: word(['ms', 'percent', 'days']),
          figures: arrayOf(object({ name: text('Of `measurements`'), label: text() })),
        }),
      ),
      events: arrayOf(text()),
      defaults: object({ interval_sec: integer(), timeout_ms: integer() }),
      available: flag('`false` where its driver is not installed'),
      install: text('How to install the driver'),
    },
    { optional: ['install'] },
  ),
  Field: object<FieldRow>(
    {
      name: text('Dotted where nested'),
      kind: word(['string', 'integer', 'number', 'boolean', 'enum', 'regex', 'array', 'object']),
      required: flag(),
      default: true as unknown as Schema,
      description: text(),
      min: number('Of a number, or of the length of a text or list'),
      max: number(),
      enum: arrayOf({ type: ['string', 'number'] }),
      format: text(),
      unit: text(),
      secret: flag('Never shown again'),
      available: flag('`false`: refused here, since the host has nothing that could answer for it'),
      no_effect: flag(
        '`true`: it does nothing in this type; it is taken, and the answer has a warning',
      ),
      reason: text('What is missing where `available` is false; why, where `no_effect` is true'),
    },
    {
      optional: [
        'min',
        'max',
        'enum',
        'format',
        'unit',
        'secret',
        'available',
        'no_effect',
        'reason',
      ],
    },
  ),
}
