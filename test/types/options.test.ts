import { expect, it } from 'vitest'
import { strictOptions } from './taken-options.ts'

// Hosts compile with `exactOptionalPropertyTypes` too, and write `{ clock: options.clock }`.
it('every option may be `undefined`, which is as if it were left out', () => {
  expect(strictOptions()).toEqual([])
})
