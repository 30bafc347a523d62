/**
 * The contract of a contact kind: one plain object, whether it ships with watchpost or is yours. The
 * engine decides what is sent, to whom and when; a kind checks its settings and makes one attempt.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { FieldTable, Settings, Stored } from '../fields/field.ts'
import type { Problems } from '../fields/parse.ts'
import type { Logger } from '../logger.ts'
import type { JsonObject, NotificationRecord } from '../model.ts'
import type { ResolveHost } from '../net/guard/guard.ts'
import type { TargetPolicy } from '../net/net.ts'
import type { Network } from '../net/create-net.ts'
import { composeBody, composePayload } from './payload.ts'
import type { DeliveryClass } from './retry.ts'

export interface ContactKind<T extends FieldTable = FieldTable, N extends string = string> {
  readonly kind: N
  readonly title: string
  readonly fields: T
  /**
   * What a delivery calls: a URL, `host:port` or a bare name. Deliveries to one host are limited by it; where it
   * is missing they are not.
   */
  target?(settings: Stored<T>): string
  /** Judges every address that a delivery dials: the engine makes `ctx.network` with it. */
  readonly policy: TargetPolicy
  /**
   * What {@link FieldTable} alone cannot tell when a contact is saved (an address that is not allowed).
   * Field to problem, empty where all is well. Takes 5 s at most, and never rejects.
   */
  check(settings: Stored<T>, options?: CheckOptions): Promise<Problems>
  /** One attempt: no retries, no longer than its own deadline, 14 s at most. Never rejects. */
  deliver(ctx: DeliveryContext, settings: Settings<T>, delivery: Delivery): Promise<AttemptResult>
}

// See AnyField: `deliver` is contravariant in the settings.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyContactKind = Omit<ContactKind<any>, 'fields'> & { readonly fields: FieldTable }

/** A contact kind of your own, with the same rights as the built-in one. */
export function defineContactKind<const T extends FieldTable, const N extends string>(
  kind: ContactKind<T, N>,
): ContactKind<T, N> {
  return kind
}

export interface CheckOptions {
  /** Default: the hosts file and the name servers of the system. */
  readonly resolve?: ResolveHost | undefined
}

export interface DeliveryContext {
  /** Made with the kind's `policy`. */
  readonly network: Network
  readonly clock: Clock
  /** Aborts when the engine stops. */
  readonly signal: AbortSignal
  readonly log: Logger
}

/** What is to be delivered; the same at every attempt. */
export interface Delivery {
  readonly notification_id: number
  readonly event: string
  /** The webhook's body, for kinds that make a text of it. */
  readonly payload: JsonObject
  /** The same as bytes. */
  readonly body: Uint8Array
}

/** How one attempt ended. */
export interface AttemptResult {
  readonly class: DeliveryClass
  readonly http_status: number | null
  /** Machine code of the failure, `null` on success. */
  readonly error: string | null
  /** The beginning of the answer, printable, without secrets. */
  readonly answer: string | null
  readonly duration_ms: number
  /** How long the receiver asked to be left alone. */
  readonly retry_after_ms: number | null
  /** The attempt was stopped by us before anything was sent: it does not count. */
  readonly uncounted?: true
}

/** The delivery of a claimed row. */
export function deliveryOf(
  row: Pick<NotificationRecord, 'id' | 'event' | 'incident_id' | 'sent_at' | 'payload'>,
): Delivery {
  return {
    notification_id: row.id,
    event: row.event,
    payload: composePayload(row, row.payload),
    body: composeBody(row, row.payload),
  }
}
