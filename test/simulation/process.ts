/**
 * A process that can be killed at any step: once dead, its timers never fire, what it asked of the store
 * and of receivers is never answered, and nothing that it still does has an effect.
 */
import type { Clock } from '../../src/clock.ts'
import { sleepOn } from '../../src/clock.ts'
import { StorageError } from '../../src/errors.ts'
import type { Store } from '../../src/store/store.ts'

export interface Process {
  readonly clock: Clock
  readonly store: Store
  readonly dead: boolean
  kill(): void
  /** Runs `work` unless dead; a result that comes after death never arrives. */
  guard<T>(work: () => Promise<T>): Promise<T>
}

export interface StoreFaults {
  /** Asked before and after each call of the store; `kill` ends the process there. */
  readonly at: (call: string, when: 'before' | 'after') => 'kill' | 'fail' | undefined
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined)

export function spawnProcess(clock: Clock, store: Store, faults: StoreFaults): Process {
  let dead = false
  const isDead = (): boolean => dead

  const mortal: Clock = {
    ...clock,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    random: () => clock.random(),
    timer: (ms, run) =>
      clock.timer(ms, () => {
        if (!dead) run()
      }),
    sleep: (ms, signal) => sleepOn(mortal, ms, signal),
  }

  async function guard<T>(work: () => Promise<T>): Promise<T> {
    if (dead) return never()
    const value = await work()
    return isDead() ? never() : value
  }

  function call<T>(name: string, work: () => Promise<T>): Promise<T> {
    return guard(async () => {
      const before = faults.at(name, 'before')
      if (before === 'kill') {
        dead = true
        return never()
      }
      if (before === 'fail') throw new StorageError(`The simulation failed ${name}`)
      const value = await work()
      if (faults.at(name, 'after') === 'kill') dead = true
      return value
    })
  }

  return {
    clock: mortal,
    store: wrap(store, call) as Store,
    get dead() {
      return dead
    },
    kill: () => void (dead = true),
    guard,
  }
}

type Call = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Every function of the store, however deep it stands, goes through `call`. */
function wrap(target: object, call: Call, path = ''): object {
  return Object.fromEntries(
    Object.entries(target).map(([key, value]: [string, unknown]) => {
      const name = path === '' ? key : `${path}.${key}`
      if (typeof value === 'function') {
        const method = value as (...args: unknown[]) => Promise<unknown>
        // Opening and closing is the business of the world: the data outlives the process.
        if (name === 'open' || name === 'close') return [key, () => Promise.resolve()]
        return [key, (...args: unknown[]) => call(name, () => method.apply(target, args))]
      }
      return [key, typeof value === 'object' && value !== null ? wrap(value, call, name) : value]
    }),
  )
}
