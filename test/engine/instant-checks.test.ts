/** Checks that end in the turn of the event loop in which they begin do not all share that turn. */

import { expect, it, onTestFinished } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50

const instant = defineChecker({
  type: 'instant',
  title: 'Instant',
  description: 'Answers at once',
  fields: { host: field.host({ description: 'Target' }).required() },
  causes: {},
  target: ({ host }) => host,
  run: () => Promise.resolve(up()),
})

it('checks three hundred monitors from sixty-four locations in short turns', async () => {
  const engine = createEngine({
    store: memoryStore(),
    checkers: [instant],
    locations: Array.from({ length: 64 }, (_, n) => `place-${n}`),
    logger: false,
  })
  onTestFinished(() => engine.stop())
  await engine.start()
  const ids: number[] = []
  for (let n = 0; n < 300; n++) {
    const settings = { type: 'instant', name: `n${n}`, host: `n${n}.example` } as const
    ids.push((await engine.monitors.create(settings)).id)
  }
  const checking = await leastOf(
    2,
    () => measureTurns(() => Promise.all(ids.map((id) => engine.monitors.check(id)))),
    TURN_MS,
  )
  expect(checking.value.map(({ results }) => results.length)).toEqual(ids.map(() => 64))
  expect(checking.longest_ms).toBeLessThan(TURN_MS)
})
