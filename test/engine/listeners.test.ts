import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { MockInstance } from 'vitest'
import type { EngineOptions } from '../../src/engine/options.ts'
import { ConfigurationError, ListenerError } from '../../src/errors.ts'
import { silentLogger } from '../../src/logger.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

let printed: MockInstance<typeof console.error>
beforeEach(() => {
  printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  printed.mockRestore()
})

const lines = (): string[] => printed.mock.calls.map((args) => args.join(' '))

/** Without a logger, as hosts begin. */
function plainRig(options: Partial<EngineOptions> = {}): Promise<Rig> {
  return rig({ logger: undefined, ...options })
}

async function opened(given: Rig): Promise<void> {
  given.say('shop.test', 'fail')
  await given.engine.monitors.create({
    type: 'scripted',
    name: 'Shop',
    host: 'shop.test',
    fail_threshold: 1,
  })
  await given.clock.advance(120_000)
}

/** In every way that a listener may fail. */
const FAILURES: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('boom')
    },
  ],
  ['rejects', () => Promise.reject(new Error('boom'))],
  ['rejects late', () => new Promise((_, reject) => setImmediate(() => reject(new Error('boom'))))],
  [
    'is thenable',
    () => ({ then: (_ok: unknown, no: (e: Error) => void) => no(new Error('boom')) }),
  ],
  [
    'throws at its then',
    () => ({
      get then(): never {
        throw new Error('boom')
      },
    }),
  ],
]

describe.each(FAILURES)('a listener that %s', (_how, fail) => {
  it('reaches `error` with the event and the cause; all others and the engine go on', async () => {
    const made = await plainRig()
    const heard: unknown[] = []
    const others: string[] = []
    made.engine.on('error', (error) => void heard.push(error))
    made.engine.on('down', () => void others.push('before'))
    made.engine.on('down', fail)
    made.engine.on('down', () => void others.push('after'))
    await opened(made)
    await made.clock.settle()
    expect(others).toEqual(['before', 'after'])
    expect(heard).toHaveLength(1)
    const [error] = heard as ListenerError[]
    expect(error).toBeInstanceOf(ListenerError)
    expect(error).toMatchObject({ code: 'listener', event: 'down', cause: { message: 'boom' } })
    expect((await made.engine.incidents.list()).items).toHaveLength(1)
    expect(lines()).toEqual([])
    await made.engine.stop()
  })

  it('is one line on stderr where nobody listens to `error`', async () => {
    const made = await plainRig()
    made.engine.on('down', fail)
    await opened(made)
    await made.clock.settle()
    expect(lines()).toHaveLength(1)
    expect(lines()[0]).toMatch(/^watchpost: a listener .*"down".*caused by Error: boom/)
    expect(lines()[0]).not.toContain('\n')
    await made.engine.stop()
  })

  it('of `error` itself is one line and no loop', async () => {
    const made = await plainRig()
    let calls = 0
    const others: unknown[] = []
    made.engine.on('error', () => {
      calls += 1
      return fail()
    })
    made.engine.on('error', (error) => void others.push(error))
    made.engine.on('down', () => {
      throw new Error('first')
    })
    await opened(made)
    await made.clock.settle()
    expect(calls).toBe(1)
    expect(others).toHaveLength(1)
    expect(lines()).toHaveLength(1)
    expect(lines()[0]).toMatch(/"error".*boom/)
    await made.engine.stop()
  })

  it.each([
    ['silentLogger', silentLogger],
    ['false', false as const],
  ])('says nothing where %s was chosen', async (_name, logger) => {
    const made = await plainRig({ logger })
    made.engine.on('down', fail)
    made.engine.on('error', fail)
    await opened(made)
    await made.clock.settle()
    expect(lines()).toEqual([])
    await made.engine.stop()
  })

  it("reaches the host's own logger, whether or not `error` is listened to", async () => {
    const logged: unknown[] = []
    const logger = { ...silentLogger, error: (fields: object) => void logged.push(fields) }
    const made = await plainRig({ logger })
    made.engine.on('error', () => undefined)
    made.engine.on('down', fail)
    await opened(made)
    await made.clock.settle()
    expect(logged).toMatchObject([{ err: { event: 'down', cause: { message: 'boom' } } }])
    expect(lines()).toEqual([])
    await made.engine.stop()
  })
})

it('a listener that never ends holds nothing up', async () => {
  const made = await plainRig()
  made.engine.on('down', () => new Promise(() => undefined))
  made.engine.on('commit', () => new Promise(() => undefined))
  await opened(made)
  expect((await made.engine.incidents.list()).items).toHaveLength(1)
  await made.engine.stop()
})

it('what fails where nobody waits is one line as well, unless `error` is listened to', async () => {
  const made = await plainRig()
  const store = made.store as { commit: typeof made.store.commit }
  const { commit } = store
  store.commit = () => Promise.reject(new Error('the disk is full\r\nreally'))
  await opened(made)
  const alone = lines().length
  expect(alone).toBeGreaterThan(0)
  expect(lines()[0]).toMatch(/^watchpost: .*the disk is full really/)
  made.engine.on('error', () => undefined)
  await made.clock.advance(120_000)
  expect(lines()).toHaveLength(alone)
  store.commit = commit
  await made.engine.stop()
})

describe('engine.on', () => {
  it.each([
    ['dwon', 'did you mean "down"?'],
    ['Error', 'did you mean "error"?'],
    ['incident', 'known are down, up, degraded, restored, acknowledged, state'],
    ['constructor', 'known are down'],
    ['__proto__', 'known are down'],
    ['', 'known are down'],
  ])('refuses the event "%s"', async (event, hint) => {
    const made = await plainRig()
    const listen = () => made.engine.on(event as 'down', () => undefined)
    expect(listen).toThrow(ConfigurationError)
    expect(listen).toThrow(`engine.on: unknown event "${event}"; ${hint}`)
    await made.engine.stop()
  })

  it.each([undefined, null, 'log', {}])('refuses the listener %j', async (listener) => {
    const made = await plainRig()
    expect(() => made.engine.on('down', listener as never)).toThrow(
      /a function is expected .*"down"/,
    )
    await made.engine.stop()
  })
})

it('each subscription is its own: the same listener twice hears twice, until both are ended', async () => {
  const made = await rig()
  const heard: unknown[] = []
  const listener = (error: unknown): void => void heard.push(error)
  const [first, second] = [made.engine.on('stop', listener), made.engine.on('stop', listener)]
  first()
  first()
  await made.engine.stop()
  expect(heard).toHaveLength(1)
  second()
})
