/**
 * Maintains one session with Redis: opens it, sends beats, and replaces it when a beat fails.
 *
 * @module
 */

import { ClosedError, ConfigurationError, MissingDependencyError } from '../../errors.ts'
import type { ThrottledLog } from './throttled-log.ts'
import type { Setup } from './options.ts'
import { explained, openSession, within } from './session.ts'
import type { Session } from './session.ts'

/** A beat that takes longer counts as a lost connection. */
const ANSWER_MS = 5000
const BACKOFF_MS = { first: 250, most: 5000 } as const
const STOP_MS = 2000

export interface LinkOptions {
  readonly setup: Setup
  readonly throttledLog: ThrottledLog
  readonly name: string
  readonly every_ms: number
  /** Prepares a new session; the link is up when it resolves. */
  readonly onUp: (session: Session) => Promise<void>
  /** Called once before the link is up, then every `every_ms`. */
  readonly beat: (session: Session) => Promise<void>
  readonly onDown: () => void
}

export interface Link {
  /** The session in use; `undefined` while Redis is away. */
  readonly session: Session | undefined
  /** Resolves after the first try, whether it succeeded or not. @throws ConfigurationError, MissingDependencyError */
  start(): Promise<void>
  /** The session, or a rejection after `ms`. @throws ClosedError */
  whenUp(ms: number): Promise<Session>
  /** Resolves when no further beat is running or will start: a beat would restore keys that are removed now. */
  stopWork(): Promise<void>
  stop(): Promise<void>
}

export function createLink(options: LinkOptions): Link {
  const { setup, throttledLog, every_ms } = options
  const { clock, log, connection, names } = setup
  const stopping = new AbortController()
  const waiting = new Set<(session: Session) => void>()
  let session: Session | undefined
  let running: Promise<void> | undefined
  let wasUp = false
  let silent = false
  let beating: Promise<unknown> = Promise.resolve()

  const isStopping = (): boolean => stopping.signal.aborted

  async function run(onFirst: () => void, onFatal: (error: unknown) => void): Promise<void> {
    let isFirst = true
    for (let failures = 0; !isStopping(); failures++) {
      try {
        await live(() => {
          failures = 0
          isFirst = false
          onFirst()
        })
      } catch (thrown) {
        if (isStopping()) return
        const err = explained(thrown)
        // A permanent error fails the start; later it may be temporary.
        if (isFirst && isFatal(err)) {
          onFatal(err)
          return
        }
        throttledLog.warn({ err }, 'not connected to Redis; it is tried again and again')
        isFirst = false
        onFirst()
      }
      await clock.sleep(backoff(failures), stopping.signal).catch(() => undefined)
    }
  }

  /** Runs from the opening of one session to its loss. */
  async function live(onReady: () => void): Promise<void> {
    const opened = await openSession({
      connection,
      clock,
      throttledLog,
      prefix: names.prefix,
      name: options.name,
      signal: stopping.signal,
    })
    try {
      await begin(opened)
      if (isStopping()) return
      announce(opened)
      onReady()
      const ended = AbortSignal.any([stopping.signal, opened.lost])
      while (await pause(ended)) {
        if (silent) continue
        beating = within(clock, ANSWER_MS, options.beat(opened))
        await beating
      }
      if (opened.lost.aborted) {
        const cause: unknown = opened.lost.reason
        throw new ClosedError('The connection to Redis was lost', { cause })
      }
    } finally {
      if (session !== undefined) {
        session = undefined
        options.onDown()
      }
      await opened.close()
    }
  }

  async function begin(opened: Session): Promise<void> {
    try {
      await within(clock, ANSWER_MS, options.onUp(opened))
      await within(clock, ANSWER_MS, options.beat(opened))
    } catch (error) {
      // A command in flight only says that the connection is closed.
      throw opened.lost.aborted ? (opened.lost.reason as Error) : error
    }
  }

  function announce(opened: Session): void {
    session = opened
    if (wasUp) log.info({}, 'Redis is back')
    wasUp = true
    for (const resolve of waiting) resolve(opened)
    waiting.clear()
  }

  async function pause(ended: AbortSignal): Promise<boolean> {
    await clock.sleep(every_ms, ended).catch(() => undefined)
    return !ended.aborted
  }

  function backoff(failures: number): number {
    const ms = Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** Math.min(failures, 10))
    return ms * (1 + clock.random() / 5)
  }

  return {
    get session() {
      return session
    },
    start: () =>
      new Promise((resolve, reject) => {
        running = run(resolve, reject)
      }),
    async whenUp(ms) {
      if (session !== undefined) return session
      let resolve: (session: Session) => void = () => undefined
      const up = new Promise<Session>((yes) => (resolve = yes))
      waiting.add(resolve)
      return within(clock, ms, up).finally(() => waiting.delete(resolve))
    },
    async stopWork() {
      silent = true
      await beating.catch(() => undefined)
    },
    async stop() {
      stopping.abort(new ClosedError('The connection to Redis is closed'))
      await within(clock, STOP_MS, Promise.resolve(running)).catch(() => undefined)
    },
  }
}

function isFatal(error: unknown): boolean {
  return error instanceof ConfigurationError || error instanceof MissingDependencyError
}
