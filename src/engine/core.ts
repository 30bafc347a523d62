/**
 * What the parts of one engine share. Made once by `createEngine`; no part holds state of its own
 * outside of it.
 *
 * @module
 */

import type { EventEmitter } from 'eventemitter3'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { LocationRecord } from '../model.ts'
import type { Store } from '../store/store.ts'
import type { AnyContactKind } from '../webhook/contact-kind.ts'
import type { EngineEvents } from './events.ts'
import type { Registry } from './registry.ts'
import type { Seal } from '../seal.ts'
import type { Tracing } from './tracing.ts'

type Listeners = { [E in keyof EngineEvents]: (payload: EngineEvents[E]) => void }

export interface Core {
  readonly clock: Clock
  readonly log: Logger
  readonly store: Store
  readonly registry: Registry
  readonly kinds: ReadonlyMap<string, AnyContactKind>
  readonly seal: Seal
  readonly tracing?: Tracing | undefined
  readonly events: EventEmitter<Listeners>
  /** Begins the address of a heartbeat: `<baseUrl>/hb/<token>`. */
  readonly baseUrl: string
  /** Certificates (PEM) trusted besides the default ones, of targets and receivers. */
  readonly ca: string | readonly string[] | undefined
  /** Of this engine, in order of the configuration; filled when the store is opened. */
  locations: readonly LocationRecord[]
}

/** Tells listeners one by one: what one of them throws, at once or in a promise, reaches no other and not the engine. */
export function emit<E extends keyof EngineEvents>(
  core: Core,
  event: E,
  payload: EngineEvents[E],
): void {
  const failed = (err: unknown): void =>
    core.log.error({ err, event }, 'a listener of the engine threw')
  for (const listener of core.events.listeners(event)) {
    try {
      const result: unknown = (listener as (payload: EngineEvents[E]) => unknown)(payload)
      if (result instanceof Promise) result.catch(failed)
    } catch (err) {
      failed(err)
    }
  }
}

/** For what fails where no caller waits. */
export function complain(core: Core, err: unknown, message: string): void {
  core.log.error({ err }, message)
  emit(core, 'error', err)
}
