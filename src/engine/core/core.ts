/**
 * What all parts of one engine share. Created once by `createEngine`.
 *
 * @module
 */

import type { OutgoingProxy } from '../../net/proxy/proxy.ts'
import type { EventEmitter } from 'eventemitter3'
import type { Clock } from '../../clock.ts'
import { ListenerError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type {
  AccountQuotas,
  CheckReport,
  EngineMonitorDefaults,
  LocationRecord,
  NotificationRecord,
} from '../../model.ts'
import type { NextOccurrence, TimeZones } from '../../model/time.ts'
import type { FullStore, Change, Committed } from '../../store/store.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import type { EngineEvents } from '../api/events.ts'
import type { Registry } from '../registry/registry.ts'
import type { Seal } from '../../seal.ts'
import type { CheckOrder } from '../../probes/transport.ts'

/** Each function calls `work` once and returns its result or error; it adds no wait of its own. */
export interface Tracing {
  /** A check that this process runs. */
  check(order: CheckOrder, work: () => Promise<CheckReport>): Promise<CheckReport>
  /** Changes that are committed together. */
  commit(
    changes: readonly Change[],
    work: () => Promise<readonly Committed[]>,
  ): Promise<readonly Committed[]>
  /** One attempt to deliver a notification; its result is in the returned value. */
  delivery<E extends TracedAttempt>(row: NotificationRecord, work: () => Promise<E>): Promise<E>
}

interface TracedAttempt {
  /** `queued` if it will be retried. */
  readonly status: 'sent' | 'failed' | 'queued' | 'cancelled'
  readonly error: string | null
  readonly attempt?: { readonly http_status: number | null }
}

type Listeners = { [E in keyof EngineEvents]: (payload: EngineEvents[E]) => unknown }

export interface Core {
  readonly clock: Clock
  readonly log: Logger
  /** The host set no logger: errors that a listener of `error` receives are not logged as well. */
  readonly logsOnlyUnheard: boolean
  readonly store: FullStore
  readonly registry: Registry
  /** Cached time zones, for maintenance windows. */
  readonly zones: TimeZones
  /** Cached occurrences of cron expressions, for maintenance windows. */
  readonly nextOccurrence: NextOccurrence
  /** By name. */
  readonly contactKinds: ReadonlyMap<string, AnyContactKind>
  readonly seal: Seal
  /** For accounts without quotas of their own. */
  readonly quotas: AccountQuotas
  /** Settings of new monitors where neither their input nor their account gives them. */
  readonly monitorDefaults: EngineMonitorDefaults
  readonly metadataInPayloads: boolean
  readonly tracing?: Tracing | undefined
  readonly events: EventEmitter<Listeners>
  /** Prefix of heartbeat addresses: `<baseUrl>/hb/<token>`. */
  readonly baseUrl: string
  /** Certificates (PEM) trusted in addition to the default ones, for targets and receivers. */
  readonly ca: string | readonly string[] | undefined
  /** For deliveries over HTTP. */
  readonly proxy: OutgoingProxy | undefined
  /** The locations of this engine, in the order of the configuration; set when the store is opened. */
  locations: readonly LocationRecord[]
  /** Damaged rows that were reported: every list meets them again. */
  readonly reported: Set<string>
}

/**
 * Calls the listeners one by one, and waits for none. If one throws or rejects, the others and the engine continue,
 * and `error` is emitted.
 */
export function emit<E extends keyof EngineEvents>(
  core: Core,
  event: E,
  payload: EngineEvents[E],
): void {
  const failed = (cause: unknown): void => listenerFailed(core, event, cause)
  for (const listener of core.events.listeners(event)) {
    try {
      const result = (listener as (payload: EngineEvents[E]) => unknown)(payload)
      if (isThenable(result)) Promise.resolve(result).catch(failed)
    } catch (cause) {
      failed(cause)
    }
  }
}

/** Reports an error that no caller waits for. */
export function logError(core: Core, err: unknown, message: string): void {
  const heard = core.events.listenerCount('error') > 0
  if (!heard || !core.logsOnlyUnheard) core.log.error({ err }, message)
  emit(core, 'error', err)
}

function listenerFailed(core: Core, event: keyof EngineEvents, cause: unknown): void {
  const err = new ListenerError(event, { cause })
  const message = 'a listener of the engine failed'
  // Emitting `error` again could fail again.
  if (event === 'error') core.log.error({ err }, message)
  else logError(core, err, message)
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}
