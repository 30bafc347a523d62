/**
 * The contract of a contact kind: one plain object, built-in or your own. The engine decides what
 * is sent, to whom and when; a kind validates its settings and makes one attempt.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { FieldTable, Settings, Stored } from '../fields/field.ts'
import type { Problems } from '../fields/parse.ts'
import type { Logger } from '../logger.ts'
import type { JsonObject, NotificationRecord } from '../model.ts'
import type { ResolveHost } from '../net/guard/guard.ts'
import type { OwnIdleConnections } from '../net/connection/idle-connections.ts'
import type { TargetPolicy } from '../net/net.ts'
import type { Network } from '../net/create-net.ts'
import { composeBody, composePayload } from './payload.ts'
import type { DeliveryClass } from './retry.ts'

export interface ContactKind<T extends FieldTable = FieldTable, N extends string = string> {
  readonly kind: N
  readonly title: string
  readonly fields: T
  /**
   * The destination of a delivery: a URL, `host:port` or a bare name. It limits concurrent
   * deliveries per host; without it there is no such limit.
   */
  target?(settings: Stored<T>): string
  /** `false`: every message is about one alert, so that several cannot be one `digest`. Default `true`. */
  readonly digests?: boolean | undefined
  /** Decides about every address of a delivery: the engine creates `ctx.network` with it. */
  readonly policy: TargetPolicy
  /**
   * Rules that {@link FieldTable} cannot express, applied when a contact is saved (an address that
   * is not allowed). Field to problem, empty if valid. Takes 5 s at most, and never rejects.
   */
  check(settings: Stored<T>, options?: CheckOptions): Promise<Problems>
  /**
   * What {@link deliver} would send of this event, as JSON and without secrets. Sends nothing. Without it there is no
   * preview of this kind.
   */
  preview?(settings: Settings<T>, delivery: Delivery): JsonObject | Promise<JsonObject>
  /** One attempt: no retries, at most its own deadline and 14 s. Never rejects. */
  deliver(ctx: DeliveryContext, settings: Settings<T>, delivery: Delivery): Promise<AttemptResult>
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in AnyField: `deliver` is contravariant in the settings
export type AnyContactKind = Omit<ContactKind<any>, 'fields'> & { readonly fields: FieldTable }

/** Defines a contact kind of your own, equal to the built-in ones. */
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
  /** Created with the kind's `policy`. */
  readonly network: Network
  readonly clock: Clock
  /** Aborts when the engine stops. */
  readonly signal: AbortSignal
  /** Connections of the contact's account that wait for another request; `httpTransport` uses them. */
  readonly idle?: OwnIdleConnections | undefined
  readonly log: Logger
}

/** What to deliver; the same at every attempt. */
export interface Delivery {
  readonly notification_id: number
  readonly event: string
  /** The body of the webhook, for kinds that build a text from it. */
  readonly payload: JsonObject
  /** The same as bytes. */
  readonly body: Uint8Array
}

/** The result of one attempt. */
export interface AttemptResult {
  readonly class: DeliveryClass
  readonly http_status: number | null
  /** Error code, `null` on success. */
  readonly error: string | null
  /** The beginning of the response, printable, without secrets. */
  readonly answer: string | null
  readonly duration_ms: number
  /** The delay that the receiver requested. */
  readonly retry_after_ms: number | null
  /** The engine aborted the attempt before anything was sent: it does not count. */
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
