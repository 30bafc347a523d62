/**
 * Attribute names: those of the OpenTelemetry semantic conventions (https://opentelemetry.io/docs/specs/semconv/),
 * otherwise names under `watchpost.`.
 *
 * @module
 */

import type { Attributes } from '@opentelemetry/api'
import type { NotificationRecord, Outcome } from '../model.ts'
import type { CheckOrder } from '../probes/transport.ts'

/**
 * Attributes of a check at its start. Neither settings nor the full address of the target, since they may contain
 * secrets.
 */
export function orderAttributes(order: CheckOrder): Attributes {
  return {
    'watchpost.monitor.id': order.monitor_id,
    'watchpost.monitor.type': order.type,
    'watchpost.location.name': order.location.name,
    'watchpost.round': new Date(order.round).toISOString(),
    'server.address': order.host,
  }
}

/** Attributes of a check's outcome. `error.type` is the cause, as the convention requires for failures. */
export function outcomeAttributes(outcome: Outcome): Attributes {
  const { verdict, cause_code, phase, remote_ip } = outcome
  return {
    'watchpost.check.verdict': verdict,
    ...(cause_code === null ? {} : { 'error.type': cause_code }),
    ...(phase === null ? {} : { 'watchpost.check.phase': phase }),
    ...(remote_ip === null ? {} : { 'network.peer.address': remote_ip }),
    ...Object.fromEntries(
      Object.entries(outcome.phases).map(([name, ms]) => [
        `watchpost.check.phase.${name.replace(/_ms$/, '')}.duration`,
        ms / 1000,
      ]),
    ),
  }
}

export function notificationAttributes(row: NotificationRecord): Attributes {
  return {
    'watchpost.notification.id': row.id,
    'watchpost.notification.event': row.event,
    'watchpost.contact.id': row.contact_id,
    'watchpost.delivery.attempt': row.attempts + 1,
    ...(row.monitor_id === null ? {} : { 'watchpost.monitor.id': row.monitor_id }),
    ...(row.incident_id === null ? {} : { 'watchpost.incident.id': row.incident_id }),
  }
}
