import { describe, expect, expectTypeOf, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { builtinContacts } from '../../src/contacts/index.ts'
import type { Engine as AnyEngine } from '../../src/engine/api/engine.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import type { Json, JsonObject, Phase, Phases } from '../../src/model.ts'
import { createGuard } from '../../src/net/guard/guard.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'

// The compiler holds most of this: `npm run types`.

const made = () =>
  createEngine({ store: memoryStore(), checkers: builtinCheckers(), clock: simulatedClock() })
type Engine = ReturnType<typeof made>

const counter = defineChecker({
  type: 'counter',
  title: 'Counter',
  description: 'Counts to one',
  fields: {},
  measurements: { count: 'How far it came' },
  target: () => 'x',
  run: () => Promise.resolve(up({ details: { count: 1 } })),
})

describe('a monitor that is created', () => {
  type Input = Parameters<Engine['monitors']['create']>[0]

  it('needs no name: it has that of the checked address', async () => {
    expectTypeOf<{ type: 'tcp'; host: string; port: number }>().toExtend<Input>()
    const view = await made().monitors.create({ type: 'tcp', host: 'db.example', port: 5432 })
    expect(view.name).toBe('db.example:5432')
  })
})

describe('a patch of a monitor', () => {
  type Patch = Parameters<Engine['monitors']['update']>[1]

  it('has the fields of the registered types and no others', () => {
    expectTypeOf<{ interval_sec: 30; expected_status: null; url: undefined }>().toExtend<Patch>()
    expectTypeOf<{ interval_sec: string }>().not.toExtend<Patch>()
    // @ts-expect-error a misspelt field
    const misspelt: Patch = { intervall_sec: 30 }
    // @ts-expect-error of no registered type
    const foreign: Patch = { host: 'x', protocol: 'udp' }
    // @ts-expect-error a port is a number
    const text: Patch = { host: 'x', port: '80' }
    expect([misspelt, foreign, text]).toHaveLength(3)
  })

  it('has those of one type where it says which', () => {
    const right: Patch = { type: 'tcp', port: 80, name: 'db' }
    // @ts-expect-error the address of http
    const wrong: Patch = { type: 'tcp', url: 'https://example.com/' }
    expect([right, wrong]).toHaveLength(2)
  })

  it('is any object where types are not known', () => {
    type Any = Parameters<AnyEngine['monitors']['update']>[1]
    expectTypeOf<JsonObject>().toExtend<Any>()
  })
})

describe('a view of a monitor', () => {
  type View = Awaited<ReturnType<Engine['monitors']['get']>>
  type Http = Extract<View, { readonly type: 'http' }>

  it('has the settings of its type', async () => {
    expectTypeOf<Http['url']>().toEqualTypeOf<string>()
    expectTypeOf<Http['follow_redirects']>().toEqualTypeOf<boolean>()
    expectTypeOf<Http['max_response_ms']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Http['interval_sec']>().toEqualTypeOf<number>()
    expectTypeOf<'port' & keyof Http>().toBeNever()
    const view = await made().monitors.create({ type: 'http', url: 'https://example.com/' })
    // @ts-expect-error not every type has an address
    expect(view.url).toBeDefined()
    if (view.type !== 'http') throw new Error('another type')
    expectTypeOf(view).toEqualTypeOf<Http>()
    expect(view.url).toBe('https://example.com/')
  })

  it('has any settings where types are not known', () => {
    type Any = Awaited<ReturnType<AnyEngine['monitors']['get']>>
    expectTypeOf<Any['whatever']>().toBeUnknown()
    expectTypeOf<Any['name']>().toEqualTypeOf<string>()
  })
})

describe('details of a result', () => {
  type Result = Awaited<ReturnType<Engine['results']['list']>>['items'][number]

  it('are the measurements of the registered types', async () => {
    expectTypeOf<Result['details']['http_version']>().toEqualTypeOf<Json | undefined>()
    expectTypeOf<'http_versoin' & keyof Result['details']>().toBeNever()
    const { details } = await runCheck(counter, {})
    expectTypeOf(details).toEqualTypeOf<{ readonly count?: Json }>()
    expect(details.count).toBe(1)
  })

  it('are any where types are not known', () => {
    type Any = Awaited<ReturnType<AnyEngine['results']['list']>>['items'][number]
    expectTypeOf<Any['details']>().toEqualTypeOf<JsonObject>()
  })
})

describe('a contact that is created', () => {
  const own = defineContactKind({
    kind: 'pigeon',
    title: 'Pigeon',
    fields: { loft: field.text({ description: 'Where it lives' }).required() },
    policy: createGuard().policy,
    check: () => Promise.resolve({}),
    deliver: () => Promise.reject(new Error('not called')),
  })
  const other = () =>
    createEngine({
      store: memoryStore(),
      checkers: [counter],
      contacts: [...builtinContacts(), own],
    })

  it('is a webhook where no kinds were given', () => {
    type Input = Parameters<Engine['contacts']['create']>[0]
    expectTypeOf<{ kind: 'webhook'; name: 'x'; url: string }>().toExtend<Input>()
    expectTypeOf<{ kind: 'webhook'; name: 'x' }>().not.toExtend<Input>()
    expectTypeOf<{ kind: 'slack'; name: 'x'; url: string }>().not.toExtend<Input>()
  })

  it('has the fields of its kind', async () => {
    const { contacts } = other()
    const { settings, kind } = await contacts.create({ kind: 'pigeon', name: 'x', loft: 'roof' })
    expect([settings, kind]).toEqual([{ loft: 'roof' }, 'pigeon'])
    type Scope = ReturnType<typeof other>['contacts']
    type Input = Parameters<Scope['create']>[0]
    // @ts-expect-error a misspelt field
    const misspelt: Input = { kind: 'ntfy', name: 'x', topic: 'a', tokn: 'b' }
    // @ts-expect-error of another kind
    const foreign: Input = { kind: 'pigeon', name: 'x', loft: 'a', url: 'b' }
    // @ts-expect-error a misspelt field
    const patch: Parameters<Scope['update']>[1] = { lofft: 'a' }
    expect([misspelt, foreign, patch]).toHaveLength(3)
    type Pigeon = Extract<Awaited<ReturnType<Scope['get']>>, { readonly kind: 'pigeon' }>
    expectTypeOf<Pigeon['settings']>().toEqualTypeOf<{ readonly loft: string }>()
  })

  it('is any where kinds are not known', () => {
    type Input = Parameters<AnyEngine['contacts']['create']>[0]
    expectTypeOf<{ kind: string; name: string; whatever: 1 }>().toExtend<Input>()
  })
})

describe('the engine', () => {
  it('is one of any types, for functions that take every engine', () => {
    expectTypeOf<Engine>().toExtend<AnyEngine>()
    const none = createEngine({ store: memoryStore(), checkers: [] })
    expectTypeOf(none).toExtend<AnyEngine>()
  })

  it('has nothing in sight that only its own doors need', () => {
    expectTypeOf<
      keyof Engine & ('requests' | 'idempotencyLocks' | 'idempotencyResponses')
    >().toBeNever()
    expect(Object.keys(made())).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(?:requests|idempotencyLocks|idempotencyResponses)$/),
      ]),
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
