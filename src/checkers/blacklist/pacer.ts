/**
 * State shared by the checks of one checker: the query rate per zone, the order of accounts, and
 * cached answers.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { createRoundRobin } from '../../net/resolve/semaphore.ts'
import type { RoundRobin } from '../../net/resolve/semaphore.ts'
import { waitFor } from '../../net/timing/stop.ts'

export interface Pacer {
  /**
   * Waits for the next slot at `key`, round-robin by account; `false` if it would come later than
   * `max_wait_ms`, at once if that is known.
   */
  turn(key: string, asker: PacedAsker, max_wait_ms: number): Promise<boolean>
}

export interface PacedAsker {
  readonly account_id: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

interface Waiter {
  readonly latest: number
  readonly settle: (isTurn: boolean) => void
}

interface Gate {
  /** Monotonic time. */
  next_at: number
  readonly waiting: RoundRobin<Waiter>
  /** Ends the pause before the next slot. */
  pause: AbortController | undefined
}

/** Maximum number of keys; beyond it, keys without a pending pause are dropped. */
const MAX_KEYS = 1000

export function createPacer(spacing_ms: number): Pacer {
  const gates = new Map<string, Gate>()

  function gateOf(key: string, now: number): Gate {
    const known = gates.get(key)
    if (known !== undefined) return known
    if (gates.size >= MAX_KEYS) {
      for (const [each, { next_at, waiting }] of gates)
        if (next_at <= now && waiting.size === 0) gates.delete(each)
    }
    const gate: Gate = { next_at: now, waiting: createRoundRobin(), pause: undefined }
    gates.set(key, gate)
    return gate
  }

  function arm(gate: Gate, clock: Clock): void {
    if (gate.waiting.size === 0) {
      gate.pause?.abort()
      gate.pause = undefined
    }
    if (gate.waiting.size === 0 || gate.pause !== undefined) return
    const pause = new AbortController()
    gate.pause = pause
    const over = (): void => {
      if (gate.pause !== pause) return
      gate.pause = undefined
      next(gate, clock)
    }
    clock
      .sleep(Math.max(0, gate.next_at - clock.monotonic()), pause.signal)
      .then(over, () => undefined)
  }

  /** A caller that gave up takes no slot. */
  function next(gate: Gate, clock: Clock): void {
    const now = clock.monotonic()
    if (now < gate.next_at) return arm(gate, clock)
    for (let waiter = gate.waiting.take(); waiter !== undefined; waiter = gate.waiting.take()) {
      const isTurn = now <= waiter.latest
      if (isTurn) gate.next_at = now + spacing_ms
      waiter.settle(isTurn)
      if (isTurn) break
    }
    arm(gate, clock)
  }

  return {
    async turn(key, { account_id, clock, signal }, max_wait_ms) {
      const now = clock.monotonic()
      const gate = gateOf(key, now)
      const { waiting } = gate
      if (waiting.size === 0 && gate.next_at <= now) {
        gate.next_at = now + spacing_ms
        return true
      }
      const wait_ms = gate.next_at - now + waiting.before(account_id) * spacing_ms
      if (wait_ms > max_wait_ms) return false
      return waitFor<boolean>(signal, ({ resolve }) => {
        const waiter = { latest: now + max_wait_ms, settle: resolve }
        waiting.add(account_id, waiter)
        arm(gate, clock)
        return () => {
          waiting.delete(account_id, waiter)
          arm(gate, clock)
        }
      })
    },
  }
}

export interface Cache<V> {
  get(key: string, now: number): V | undefined
  set(key: string, value: V, until: number): void
}

/** Evicts the oldest entries first. */
export function createCache<V>(max: number): Cache<V> {
  const entries = new Map<string, { readonly value: V; readonly until: number }>()
  return {
    get(key, now) {
      const entry = entries.get(key)
      return entry !== undefined && now < entry.until ? entry.value : undefined
    },
    set(key, value, until) {
      entries.delete(key)
      entries.set(key, { value, until })
      const [oldest] = entries.keys()
      if (entries.size > max && oldest !== undefined) entries.delete(oldest)
    },
  }
}
