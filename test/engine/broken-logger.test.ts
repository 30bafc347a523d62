import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { MockInstance } from 'vitest'
import type { Logger } from '../../src/logger.ts'
import { loggerOf } from '../../src/logger.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { rig } from './rig.ts'

let printed: MockInstance<typeof console.error>
beforeEach(() => {
  printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  printed.mockRestore()
})
const lines = (): string[] => printed.mock.calls.map((args) => args.join(' '))

const boom = (): never => {
  throw new Error('the disk of the log is full')
}
const BROKEN: Logger = { debug: boom, info: boom, warn: boom, error: boom }

it('a logger that throws or rejects stops nothing, and is told of once', async () => {
  const late = () => Promise.reject(new Error('too late')) as never
  const logs = [BROKEN, { debug: late, info: late, warn: late, error: late }].map(loggerOf)
  for (const log of logs)
    for (let n = 0; n < 3; n++) log.error({ err: new Error('ours') }, 'something failed')
  await new Promise(setImmediate)
  expect(lines()).toHaveLength(2)
  expect(lines()[0]).toMatch(/logger.*the disk of the log is full/)
})

it('the default logger writes one line, and none that a text of others turns around', () => {
  const forged = '\u001b[2J\r\n\u202egnihton\u2066\u061c\u2028watchpost: all is well'
  loggerOf(undefined).error({ err: new Error(forged), name: forged }, 'a round was lost')
  expect(lines()).toHaveLength(1)
  expect(lines()[0]).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u)
  expect(lines()[0]).toMatch(/^watchpost: a round was lost name=.*gnihton/)
})

it('a logger is called as a method of what was given', () => {
  class Own {
    readonly said: string[] = []
    debug = boom
    info = boom
    warn = boom
    error(_fields: object, message: string): void {
      this.said.push(message)
    }
  }
  const own = new Own()
  loggerOf(own).error({}, 'hello')
  expect(own.said).toEqual(['hello'])
})

it('the outbox goes on behind a logger that throws', async () => {
  const store = memoryStore()
  let failures = 3
  const claim: typeof store.notifications.claim = (wanted) =>
    failures-- > 0 ? Promise.reject(new Error('no store')) : store.notifications.claim(wanted)
  const failing = { ...store, notifications: { ...store.notifications, claim } }
  const r = await rig({ logger: BROKEN }, { store: failing })
  await r.engine.contacts.create({ kind: 'recorder', name: 'duty', to: 'duty', all_monitors: true })
  r.say('shop.test', 'fail')
  const common = { type: 'scripted', interval_sec: 30, fail_threshold: 1 } as const
  await r.engine.monitors.create({ ...common, name: 'Shop', host: 'shop.test' })
  await r.clock.advance(180_000)
  expect(r.told.map(({ event }) => event)).toEqual(['down'])
  await r.engine.stop()
})
