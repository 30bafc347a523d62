import { field } from '../../src/fields/vocabulary.ts'

/** A contact kind of the tests, but for what it does with a delivery. */
export const RECORDER = {
  kind: 'recorder',
  title: 'Recorder',
  fields: {
    to: field.text({ description: 'Name' }).required(),
    secret: field.secret({ description: 'Secret' }),
  },
  policy: () => undefined,
  check: () => Promise.resolve({}),
} as const
