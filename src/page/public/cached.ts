/**
 * What bounds the work that unauthenticated requests cause.
 *
 * @module
 */

import { createTurns } from '../../access/turns.ts'
import { yielderOf, yieldingQueueOf } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { PageError } from '../http/page-error.ts'
import type { Language } from '../words/language.ts'

export interface CachedValue<T> {
  get(): Promise<T>
  /** Invalidates the value: the next call computes it again. */
  forget(): void
}

/** A value that is computed at most once per few seconds and never concurrently. */
export function cachedFor<T>(
  load: () => Promise<T>,
  { clock, ms }: { readonly clock: Pick<Clock, 'monotonic'>; readonly ms: number },
): CachedValue<T> {
  let kept: { readonly at: number; readonly value: Promise<T> } | undefined
  return {
    get() {
      const now = clock.monotonic()
      if (kept !== undefined && now - kept.at < ms) return kept.value
      const fresh = { at: now, value: load() }
      kept = fresh
      // An error is not cached.
      fresh.value.catch(() => {
        if (kept === fresh) kept = undefined
      })
      return fresh.value
    },
    forget() {
      kept = undefined
    },
  }
}

/** One value per language: as many as the host offers. */
export interface SpokenValue<T> {
  get(language: Language): Promise<T>
  forget(): void
}

/** Many may wait for one value, and each makes a response of half a megabyte of it: they get it one after another. */
export function spokenFor<T>(
  load: (language: Language) => Promise<T>,
  options: { readonly clock: Clock; readonly ms: number },
): SpokenValue<T> {
  const kept = new Map<string, CachedValue<T>>()
  const nextReader = yieldingQueueOf(options.clock)
  /** The last part of the work and the first response are not of one turn. */
  async function loaded(language: Language): Promise<T> {
    const yieldIfLong = yielderOf(options.clock)
    const value = await load(language)
    await yieldIfLong()
    return value
  }
  return {
    async get(language) {
      const { tag } = language
      const own = kept.get(tag) ?? cachedFor(() => loaded(language), options)
      kept.set(tag, own)
      const value = await own.get()
      await nextReader()
      return value
    },
    forget: () => kept.clear(),
  }
}

/** Runs at most so many at a time; beyond `waiting` that wait, a request is refused. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export function turnsOf(running: number, waiting: number): Turns {
  const queue: (() => void)[] = []
  let free = running
  return async (work) => {
    if (free > 0) free--
    else if (queue.length >= waiting) throw BUSY
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

/**
 * Turns that accounts share fairly: `slots` at a time and one for an account that has none, and `waiting` for each. A
 * flood of requests for one account's pages neither refuses nor delays those of another.
 */
export function fairTurnsOf(slots: number, waiting: number): (account_id: number) => Turns {
  const inTurn = createTurns(slots)
  const waitingOf = new Map<number, number>()

  function leave(account_id: number): void {
    const left = (waitingOf.get(account_id) ?? 1) - 1
    if (left > 0) waitingOf.set(account_id, left)
    else waitingOf.delete(account_id)
  }

  return (account_id) => async (work) => {
    const before = waitingOf.get(account_id) ?? 0
    if (before >= waiting) throw BUSY
    waitingOf.set(account_id, before + 1)
    return inTurn(account_id, () => {
      leave(account_id)
      return work()
    })
  }
}

const BUSY = new PageError({
  status: 503,
  title: ({ words }) => words.errors.unavailable,
  text: ({ words }) => words.errors.busyText,
  headers: { 'Retry-After': '5' },
})
