/** F12: checkers, contact kinds and listeners that break every promise harm nobody but themselves. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import type { CheckContext } from '../../src/checkers/checker.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import type { Logger } from '../../src/logger.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'

const MINUTE = 60_000
const never = (): Promise<never> => new Promise(() => undefined)
const circle: Record<string, unknown> = {}
circle['self'] = circle

/** What a plugin does, by the name that its monitor gives as host. */
type Deeds = Readonly<Record<string, (ctx: CheckContext) => unknown>>

async function engineWith(deeds: Deeds, deliver: (to: string) => unknown = () => undefined) {
  const clock = simulatedClock()
  const errors: string[] = []
  const note = (fields: object, message: string) =>
    void errors.push(`${message}: ${String((fields as { err?: unknown }).err)}`)
  const logger: Logger = { debug: () => undefined, info: () => undefined, warn: note, error: note }
  const plugin = defineChecker({
    type: 'plugin',
    title: 'Plugin',
    description: 'Somebody’s own',
    fields: {
      host: field.host({ description: 'Deed' }).required(),
      pass: field.secret({ description: 'Any' }),
    },
    causes: { broken: { text: 'It is broken' } },
    events: ['news'],
    target: (s) => s.host,
    run: (ctx, s) => (deeds[s.host]?.(ctx) ?? Promise.resolve(up())) as never,
  })
  const kind = defineContactKind({
    kind: 'own',
    title: 'Own',
    fields: { to: field.text({ description: 'Name' }).required() },
    policy: () => undefined,
    check: () => Promise.resolve({}),
    deliver: (_ctx, { to }) => deliver(to) as never,
  })
  const engine = createEngine({
    store: memoryStore(),
    checkers: [plugin],
    contacts: [kind],
    clock,
    logger,
    limits: { checksPerHost: 1 },
  }) as Engine
  await engine.start()
  onTestFinished(async () => {
    const stopped = engine.stop()
    await clock.advance(MINUTE)
    await stopped
  })
  const watch = (host: string) =>
    engine.monitors.create({ type: 'plugin', host, pass: 'secret-word', interval_sec: 60 })
  return { engine, clock, errors, watch }
}

describe('a checker', () => {
  const ok = { verdict: 'ok', cause_code: null, cause_text: null, findings: {} }
  const failing = { verdict: 'fail', cause_code: 'broken', cause_text: null, findings: {} }
  const rubbish: Deeds = {
    'throws.test': () => {
      throw new Error('at once')
    },
    'throws-nothing.test': () => {
      throw undefined
    },
    'rejects.test': () => Promise.reject(new Error('later')),
    'says-nothing.test': () => Promise.resolve(undefined),
    'says-null-findings.test': () => Promise.resolve({ ...ok, findings: null }),
    'says-a-word.test': () => Promise.resolve('up'),
    'invents-a-verdict.test': () => Promise.resolve({ ...ok, verdict: 'fine' }),
    'names-no-cause.test': () => Promise.resolve({ ...failing, cause_code: null }),
    'names-a-novel-as-cause.test': () =>
      Promise.resolve({ ...failing, cause_code: 'x y'.repeat(999) }),
    'goes-in-circles.test': () => Promise.resolve(up({ details: circle as never })),
    'counts-beyond-json.test': () => Promise.resolve(up({ memo: 1n as never })),
    'has-a-getter.test': () =>
      Promise.resolve({
        get verdict() {
          throw new Error('from a getter')
        },
      }),
  }

  it.each(Object.keys(rubbish))(
    'that %s is unknown, and the others are checked as before',
    async (host) => {
      const { engine, clock, watch, errors } = await engineWith(rubbish)
      const bad = await watch(host)
      const good = await watch('good.test')
      await clock.advance(3 * MINUTE)
      const { items } = await engine.results.list(bad.id)
      expect(items.length).toBeGreaterThanOrEqual(3)
      for (const one of items)
        expect(one).toMatchObject({ verdict: 'unknown', cause_code: 'internal_error' })
      expect((await engine.monitors.get(good.id)).state).toBe('up')
      expect((await engine.results.list(good.id)).items.length).toBeGreaterThanOrEqual(3)
      expect(errors.join()).toContain('a checker failed')
    },
  )

  it('whose findings are rubbish is believed in what can be read', async () => {
    const findings = {
      details: 'none',
      phase: { no: 'phase' },
      notices: [
        null,
        { event: 7 },
        { event: 'X y\r\n', key: 'k', data: {} },
        { event: 'news', key: 'k', data: { a: 1 } },
        { event: 'not_listed', key: 'k', data: {} },
      ],
      since: NaN,
      late: 'yes',
    }
    const text = 'x'.repeat(5_000_000)
    const { engine, clock, watch, errors } = await engineWith({
      'odd.test': () =>
        Promise.resolve({ verdict: 'fail', cause_code: 'broken', cause_text: text, findings }),
    })
    const notices: string[] = []
    engine.on('notice', ({ event }) => void notices.push(event))
    const { id } = await watch('odd.test')
    await clock.advance(3 * MINUTE)
    const [last] = (await engine.results.list(id)).items
    expect(last).toMatchObject({ verdict: 'fail', cause_code: 'broken', phase: null, details: {} })
    expect(last?.cause_text?.length).toBe(1000)
    expect(notices).toEqual(['news'])
    expect(errors.join()).toContain('a notice is dropped: the checker does not list its event')
    expect((await engine.monitors.get(id)).state).toBe('down')
  })

  it('that measures what cannot be stored keeps its verdict and loses the details', async () => {
    const { engine, clock, watch } = await engineWith({
      'circle.test': (ctx) => {
        ctx.measure(circle as never)
        return Promise.resolve(up())
      },
      'huge.test': () =>
        Promise.resolve(up({ details: { text: 'x'.repeat(20_000_000) }, memo: 'y'.repeat(9e6) })),
    })
    const ids = [(await watch('circle.test')).id, (await watch('huge.test')).id]
    await clock.advance(2 * MINUTE)
    for (const id of ids)
      expect((await engine.results.list(id)).items[0]).toMatchObject({ verdict: 'ok', details: {} })
  })

  it('that never settles ends at its deadline, is asked again, and holds up neither others nor the stop', async () => {
    let asked = 0
    const { engine, clock, watch, errors } = await engineWith({
      'never.test': (ctx) => {
        asked++
        ctx.onEnd(never)
        return ctx.phase('query', never)
      },
    })
    const { id } = await watch('never.test')
    const good = await watch('good.test')
    await clock.advance(5 * MINUTE)
    expect(asked).toBeGreaterThanOrEqual(4)
    const [last] = (await engine.results.list(id)).items
    expect(last).toMatchObject({ cause_code: 'query_timeout', phase: 'query' })
    // What it took to let go is nobody's phase.
    expect(last?.phases).toEqual({ query_ms: last?.duration_ms })
    expect((await engine.monitors.get(good.id)).state).toBe('up')
    expect(errors.join()).toContain('did not release in time')
    const from = clock.monotonic()
    const stopped = engine.stop().then(() => clock.monotonic() - from)
    await clock.advance(MINUTE)
    expect(await stopped).toBeLessThanOrEqual(12_000)
  })
})

describe('a listener', () => {
  it('that throws or rejects keeps nobody else from hearing, and the engine from nothing', async () => {
    const { engine, clock, watch, errors } = await engineWith({
      'down.test': () => Promise.resolve(down('broken', 'It is')),
    })
    const heard: string[] = []
    engine.on('down', () => {
      throw new Error('first listener')
    })
    engine.on('down', (): never => Promise.reject(new Error('second listener')) as never)
    engine.on('down', ({ incident }) => void heard.push(incident.cause_code))
    engine.on('round', () => {
      throw new Error('at every round')
    })
    engine.on('error', () => {
      throw new Error('even here')
    })
    await watch('down.test')
    await clock.advance(5 * MINUTE)
    expect(heard).toEqual(['broken'])
    expect(errors.join()).toContain('first listener')
    expect(errors.join()).toContain('second listener')
  })
})

describe('a contact kind', () => {
  const bad: Readonly<Record<string, () => unknown>> = {
    throws: () => {
      throw new Error('at once')
    },
    rejects: () => Promise.reject(new Error('later')),
    'says nothing': () => Promise.resolve(undefined),
    'invents a class': () => Promise.resolve({ class: 'fine' }),
    'never settles': never,
  }

  it.each(Object.keys(bad))(
    'that %s is tried five times with pauses, then set aside for everybody to see',
    async (to) => {
      const calls: number[] = []
      const { engine, clock, watch } = await engineWith(
        { 'down.test': () => Promise.resolve(down('broken', 'It is')) },
        (name) => {
          if (name === 'good') return Promise.resolve({ ...DELIVERED })
          calls.push(clock.now())
          return bad[name]?.()
        },
      )
      const poison = await engine.contacts.create({
        kind: 'own',
        name: to,
        to,
        all_monitors: true,
      })
      const good = await engine.contacts.create({
        kind: 'own',
        name: 'good',
        to: 'good',
        all_monitors: true,
      })
      await watch('down.test')
      await clock.advance(20 * MINUTE)
      const { items } = await engine.notifications.list({})
      const of = (contact_id: number) => items.filter((one) => one.contact_id === contact_id)
      expect(of(good.id)).toMatchObject([{ status: 'sent' }])
      const error = to === 'never settles' ? 'timeout' : 'internal_error'
      expect(of(poison.id)).toMatchObject([
        { status: 'failed', error, attempts: Array(5).fill({ error }) },
      ])
      expect(calls).toHaveLength(5)
      const pauses = calls.slice(1).map((at, i) => at - calls[i]!)
      for (const [i, pause] of [30, 60, 120, 240].entries())
        expect(pauses[i]).toBeGreaterThanOrEqual(pause * 1000)
    },
  )

  it('that never settles holds up the stop for a moment only', async () => {
    const { engine, clock } = await engineWith({}, never)
    const contact = await engine.contacts.create({ kind: 'own', name: 'x', to: 'x' })
    const test = engine.contacts.test(contact.id)
    await clock.advance(1000)
    const from = clock.monotonic()
    const stopped = engine.stop().then(() => clock.monotonic() - from)
    await clock.advance(MINUTE)
    expect(await stopped).toBeLessThanOrEqual(11_500)
    expect(await test).toMatchObject({ status: 'failed', error: 'stopped' })
  })
})

const DELIVERED = {
  class: 'delivered',
  http_status: 200,
  error: null,
  answer: null,
  duration_ms: 1,
  retry_after_ms: null,
} as const
