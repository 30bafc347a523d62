/**
 * A process that can be killed and stopped at any step. Once dead, its timers never fire, what it asked
 * of the store and of receivers is never answered, and nothing that it still does has an effect. While it
 * is frozen the same waits, and comes all at once when it goes on.
 */
import type { Clock } from '../../src/clock.ts'
import { sleepOn } from '../../src/clock.ts'
import { StorageError } from '../../src/errors.ts'
import type { FullStore } from '../../src/store/store.ts'

export interface Process {
  readonly life: number
  readonly clock: Clock
  readonly store: FullStore
  readonly state: 'running' | 'frozen' | 'dead'
  kill(): void
  freeze(): void
  thaw(): void
  /** What comes from outside reaches the process when it runs, and never once it is dead. */
  arrive<T>(value: Promise<T>): Promise<T>
}

/** What happens to one call of the store. */
export interface Fate {
  readonly before?: 'kill' | 'fail' | undefined
  /** Time on the way. */
  readonly delay_ms?: number | undefined
  readonly after?: 'kill' | 'fail' | undefined
  /** Called with what the call brings, before the process hears of it. */
  readonly meanwhile?: ((value: unknown) => void) | undefined
}

export interface ProcessOptions {
  readonly life: number
  readonly clock: Clock
  readonly store: FullStore
  readonly fate: (call: string) => Fate | undefined
  readonly onDeath: () => void
  /** It has kept itself busy without time passing, and is dead by now: else no time ever would pass. */
  readonly onSpin: () => void
}

/** Timers of one process that may fire at one moment. */
const MAX_AT_ONCE = 10_000

const never = <T>(): Promise<T> => new Promise<T>(() => undefined)

export function spawnProcess(options: ProcessOptions): Process {
  const { life, clock, store, fate, onDeath } = options
  let state: Process['state'] = 'running'
  const now = (): Process['state'] => state
  let held: (() => void)[] = []
  const spins = spinsAt(clock)

  const mortal: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    random: () => clock.random(),
    timer(ms, run) {
      let cancelled = false
      const fire = (): void => {
        if (cancelled || state === 'dead') return
        if (state === 'frozen') held.push(fire)
        else if (spins()) spun()
        else run()
      }
      const timer = clock.timer(ms, fire)
      return {
        cancel() {
          cancelled = true
          timer.cancel()
        },
      }
    },
    sleep: (ms, signal) => sleepOn(mortal, ms, signal),
  }

  function spun(): void {
    kill()
    options.onSpin()
  }

  function kill(): void {
    if (state === 'dead') return
    state = 'dead'
    held = []
    onDeath()
  }

  async function arrive<T>(value: Promise<T>): Promise<T> {
    const outcome = await value.then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error
      },
    )
    while (now() === 'frozen') await new Promise<void>((resolve) => void held.push(resolve))
    return now() === 'dead' ? never() : outcome()
  }

  async function meet<T>(name: string, fate: Fate, work: () => Promise<T>) {
    const { before, delay_ms, after } = fate
    if (before === 'kill') {
      kill()
      return never<T>()
    }
    if (before === 'fail') throw new StorageError(`The simulation failed ${name}`)
    if (delay_ms !== undefined) await clock.sleep(delay_ms)
    const value = await work()
    fate.meanwhile?.(value)
    if (after === 'kill') kill()
    if (after === 'fail') throw new StorageError(`The simulation lost the answer of ${name}`)
    return value
  }

  function call<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (state === 'dead') return never()
    const met = fate(name)
    return arrive(met === undefined ? work() : meet(name, met, work))
  }

  /** What a listener of the store hears, as it comes through a connection: late where the process stands still. */
  function heard(argument: unknown): unknown {
    if (typeof argument !== 'function') return argument
    const listener = argument as (...args: unknown[]) => void
    const hear = (...args: unknown[]): void => {
      if (state === 'frozen') held.push(() => hear(...args))
      else if (state === 'running') listener(...args)
    }
    return hear
  }

  return {
    life,
    clock: mortal,
    store: wrap(store, (name, method, args) =>
      call(name, () => method(...args.map(heard))),
    ) as FullStore,
    get state() {
      return state
    },
    kill,
    freeze() {
      if (state === 'running') state = 'frozen'
    },
    thaw() {
      if (state !== 'frozen') return
      state = 'running'
      for (const go of held.splice(0)) go()
    },
    arrive,
  }
}

/** Called for each timer that fires: whether there were too many of them at this moment. */
function spinsAt(clock: Pick<Clock, 'monotonic'>): () => boolean {
  let [moment, count] = [0, 0]
  return () => {
    const now = clock.monotonic()
    count = now === moment ? count + 1 : 1
    moment = now
    return count > MAX_AT_ONCE
  }
}

type Method = (...args: unknown[]) => Promise<unknown>
type Call = (name: string, method: Method, args: readonly unknown[]) => Promise<unknown>

/** Every function of the store, however deep it stands, goes through `call`. */
function wrap(target: object, call: Call, path = ''): object {
  return Object.fromEntries(
    Object.entries(target).map(([key, value]: [string, unknown]) => {
      const name = path === '' ? key : `${path}.${key}`
      if (typeof value === 'function') {
        const method = (value as Method).bind(target)
        // Opening and closing is the business of the world: the data outlives the process.
        if (name === 'open' || name === 'close') return [key, () => Promise.resolve()]
        return [key, (...args: unknown[]) => call(name, method, args)]
      }
      return [key, typeof value === 'object' && value !== null ? wrap(value, call, name) : value]
    }),
  )
}
