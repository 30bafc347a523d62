/** The parts of the outbox on a store in memory, without an engine. */
import { EventEmitter } from 'eventemitter3'
import { onTestFinished } from 'vitest'
import type { Core } from '../../src/engine/core/core.ts'
import type { Logger } from '../../src/logger.ts'
import type { NotificationRecord } from '../../src/model.ts'
import { createSeal } from '../../src/seal.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import { firstAccount, queue } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'

export interface OutboxRig {
  readonly core: Core
  readonly clock: SimulatedClock
  readonly store: FullStore
  /** `level: text`, what it is about, and the message of the error. */
  readonly logged: string[]
  /** The timers so far that keep the process alive, in ms. */
  readonly foreground: number[]
  /** A row that is due at noon, unless the test says otherwise. */
  queue(change?: Parameters<typeof queue>[1]): Promise<NotificationRecord>
  /** While it is set, the functions of `store.notifications` reject. */
  trouble: boolean
}

/** At noon. `shared`: as if other processes had a part in the store. */
export async function outboxRig({ shared = false } = {}): Promise<OutboxRig> {
  const clock = simulatedClock({ now: NOON })
  const foreground: number[] = []
  const { timer } = clock
  clock.timer = (ms, run, options) => {
    if (options?.background !== true) foreground.push(ms)
    return timer(ms, run, options)
  }
  const whole = memoryStore({ clock })
  await whole.open()
  onTestFinished(() => whole.close())
  await firstAccount(whole)
  const logged: string[] = []
  const say =
    (level: string) =>
    (fields: object, text?: string): void => {
      const { err, ...about } = fields as { readonly err?: Error }
      const ids = Object.entries(about).map(([name, value]) => `${name} ${String(value)}`)
      const cause = err === undefined ? [] : [err.message]
      logged.push([`${level}: ${text}`, ...ids, ...cause].join(': '))
    }
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  const refused = (): Promise<never> => Promise.reject(new Error('the disk is full'))
  const notifications = new Proxy(whole.notifications, {
    get: (calls, name): unknown => (rig.trouble ? refused : Reflect.get(calls, name)),
  })
  const store: FullStore = { ...whole, shared, notifications }
  const core = {
    reported: new Set<string>(),
    ...{ clock, store, log: log as Logger, logsOnlyUnheard: false },
    ...{ events: new EventEmitter(), contactKinds: new Map(), seal: createSeal() },
  } as unknown as Core
  const rig: OutboxRig = {
    ...{ core, clock, store, logged, foreground, trouble: false },
    queue: (change = {}) => queue(whole, { due_at: NOON, created_at: NOON, ...change }),
  }
  return rig
}
