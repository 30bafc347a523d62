import { describe, expect, expectTypeOf, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Phase, Phases } from '../../src/model.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

// The compiler holds most of this: `npm run types`.

const made = () =>
  createEngine({ store: memoryStore(), checkers: builtinCheckers(), clock: simulatedClock() })
type Engine = ReturnType<typeof made>

describe('a monitor that is created', () => {
  type Input = Parameters<Engine['monitors']['create']>[0]

  it('needs no name: it has that of the checked address', async () => {
    expectTypeOf<{ type: 'tcp'; host: string; port: number }>().toExtend<Input>()
    const view = await made().monitors.create({ type: 'tcp', host: 'db.example', port: 5432 })
    expect(view.name).toBe('db.example:5432')
  })
})

describe('the engine', () => {
  it('has nothing in sight that only its own doors need', () => {
    expectTypeOf<keyof Engine & ('requests' | 'turns' | 'replies')>().toBeNever()
    expect(Object.keys(made())).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:requests|turns|replies)$/)]),
    )
  })
})

describe('a phase', () => {
  it('is one of the built-in ones, or one of a checker of your own', async () => {
    expectTypeOf<'tls'>().toExtend<Phase>()
    expectTypeOf<'handshake'>().toExtend<Phase>()
    expectTypeOf<Phases['tls_ms']>().toEqualTypeOf<number | undefined>()
    // @ts-expect-error milliseconds are named so
    const wrong: Phases = { handshake: 1 }
    expect(wrong).toBeDefined()
    const own = defineChecker({
      type: 'own',
      title: 'Own',
      description: 'Has a phase of its own',
      fields: {},
      target: () => 'x',
      run: (ctx) => ctx.phase('handshake', () => Promise.resolve(up())),
    })
    const { phases } = await runCheck(own, {})
    expect(phases).toEqual({ handshake_ms: expect.any(Number) })
  })
})
