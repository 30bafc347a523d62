/**
 * What `createEngine` takes, and the first look at it.
 *
 * @module
 */

import { EventEmitter } from 'eventemitter3'
import type { CheckerSource } from '../checkers/checker.ts'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { ConfigurationError } from '../errors.ts'
import { silentLogger } from '../logger.ts'
import type { Logger } from '../logger.ts'
import type { TargetRule } from '../net/guard.ts'
import type { ProbeTransport } from '../probes/transport.ts'
import type { Store } from '../store/store.ts'
import type { AnyContactKind } from '../webhook/contact-kind.ts'
import { webhookContact } from '../webhook/webhook-kind.ts'
import type { Core } from './core.ts'
import { createRegistry } from './registry.ts'
import { createSeal } from '../seal.ts'
import type { Tracing } from './tracing.ts'

export interface EngineOptions<S extends CheckerSource = CheckerSource> {
  readonly store: Store
  readonly checkers: readonly S[]
  /** Ways of telling people; default the webhook of the specification. */
  readonly contacts?: readonly AnyContactKind[]
  /** Who runs checks; default this process. */
  readonly probes?: ProbeTransport
  /** Names of the locations, default one, `local`. A name keeps its id for ever. */
  readonly locations?: readonly string[]
  /** Which addresses checks may dial. Default `open`: everything but the metadata services of clouds; `public` for monitors of people you do not know. */
  readonly targets?: TargetRule
  /** 32 bytes, or their base64: seals secrets in the store. */
  readonly secretKey?: string | Uint8Array
  /** Where the REST API is reached from outside, for the addresses of heartbeats. Default: a bare path. */
  readonly baseUrl?: string
  /** Certificates (PEM) that checks and deliveries trust besides the default ones. */
  readonly ca?: string | readonly string[]
  /**
   * Addresses (`host:port`, at most 10) that answer whenever this place has a network: a gateway, a resolver, a
   * large site. A failing check is believed only while one of them does; else it is `unknown` (`probe_offline`).
   * One that never answered is no evidence. Default none: every failure is believed.
   */
  readonly anchors?: readonly string[]
  readonly limits?: {
    /** Checks at the same time, default 64. */
    readonly checks?: number
    /** Checks at the same time against one host, default 2. */
    readonly checksPerHost?: number
    /** Deliveries at the same time, default 50, and per contact, default 5. */
    readonly deliveries?: number
    readonly deliveriesPerContact?: number
    /** Deliveries at the same time to one host, default 10. */
    readonly deliveriesPerHost?: number
  }
  readonly retention?: {
    /** Raw results, default 30 days. */
    readonly results_days?: number
    /** The notification log, default 90 days. */
    readonly notifications_days?: number
    /** Daily counts and availability, default 400 days. */
    readonly history_days?: number
  }
  readonly clock?: Clock
  /** Called pino's way, `(fields, message)`: a pino logger fits as it is. Default: says nothing. */
  readonly logger?: Logger
  /** Spans around checks, commits and deliveries: `await openTelemetry()` of `watchpost/otel`. Default none. */
  readonly tracing?: Tracing | undefined
}

/** @throws ConfigurationError */
export function coreOf(options: EngineOptions): Core {
  const { store, checkers, contacts = [webhookContact()], secretKey } = options
  // Callers without types get a sentence instead of a stack of ours.
  if (typeof (store as Partial<Store> | undefined)?.commit !== 'function') {
    throw new ConfigurationError(
      'createEngine needs a store: createEngine({ store: memoryStore(), checkers: […] })',
    )
  }
  if (!Array.isArray(checkers))
    throw new ConfigurationError('createEngine needs checkers: an array, for example [http()]')
  if (options.locations?.length === 0)
    throw new ConfigurationError('An engine needs at least one location')
  return {
    clock: options.clock ?? systemClock,
    log: options.logger ?? silentLogger,
    store,
    registry: createRegistry(checkers),
    kinds: new Map(contacts.map((kind) => [kind.kind, kind])),
    seal: createSeal(secretKey),
    tracing: options.tracing,
    events: new EventEmitter(),
    baseUrl: (options.baseUrl ?? '').replace(/\/+$/, ''),
    ca: options.ca,
    locations: [],
  }
}
