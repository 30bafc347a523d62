/**
 * Names of attributes: those of the OpenTelemetry semantic conventions where they have one
 * (https://opentelemetry.io/docs/specs/semconv/), ours under `watchpost.` where they have none.
 *
 * @module
 */

import type { Attributes } from '@opentelemetry/api'
import type { NotificationRecord, Outcome } from '../model.ts'
import type { CheckOrder } from '../probes/transport.ts'

/** Of a check that begins. Neither settings nor the target's whole address: they may hold secrets. */
export function orderAttributes(order: CheckOrder): Attributes {
  return {
    'watchpost.monitor.id': order.monitor_id,
    'watchpost.monitor.type': order.type,
    'watchpost.location.name': order.location.name,
    'watchpost.round': new Date(order.round).toISOString(),
    'server.address': order.host,
  }
}

/** Of what a check came to. `error.type` is the cause, as the convention asks for where something failed. */
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
