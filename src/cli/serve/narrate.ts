/**
 * Logs the events of the engine.
 *
 * @module
 */

import type { Engine } from '../../engine/api/engine.ts'
import type { Logger } from '../../logger.ts'

export function narrate(engine: Engine, log: Logger): void {
  engine.on('down', ({ monitor: { id, name }, incident }) => {
    const { cause_code, cause_text } = incident
    const about = { monitor_id: id, name, incident_id: incident.id, cause_code }
    log.warn(about, `down: ${cause_text}`)
  })
  engine.on('up', ({ monitor: { id, name }, incident }) => {
    const about = { monitor_id: id, name, incident_id: incident.id }
    const { closed_reason, duration_sec } = incident
    const end = closed_reason === 'recovered' ? 'up again' : `incident closed (${closed_reason})`
    log.info(about, `${end} after ${duration_sec} s`)
  })
  engine.on('acknowledged', ({ monitor: { id, name }, incident }) => {
    log.info({ monitor_id: id, name, incident_id: incident.id }, 'acknowledged')
  })
  engine.on('notice', ({ monitor: { id, name }, event }) => {
    log.info({ monitor_id: id, name }, event)
  })
  engine.on('notification', ({ id, event, contact_id, status, error }) => {
    const about = { notification_id: id, event, contact_id }
    if (status === 'failed') log.warn({ ...about, error }, 'a notification was not delivered')
    else log.debug({ ...about, status }, 'a notification is done')
  })
}
