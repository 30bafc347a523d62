/**
 * Incidents, of one monitor and of the whole account.
 *
 * @module
 */

import { ok } from './envelope.ts'
import { arrayOf, nullable, ref, text } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import { cursorOf, paged, paging, param, requireOrder } from './query.ts'

const tag = 'Incidents'

const filters = {
  open: param.flag('Open incidents only, or closed ones only'),
  cause_code: param.text('With this cause only', 100),
  from: param.time('Started not before'),
  to: param.time('Started before'),
  ...paging('incidents'),
}

const answers = { 200: { incidents: arrayOf('Incident'), next_cursor: nullable(text()) } }

export const listIncidents = operation({
  summary: 'Incidents of the whole account, newest first',
  scope: 'incidents:read',
  tag,
  query: { ...filters, monitor_id: param.id('Of this monitor only') },
  answers,
  async run({ scope }, query) {
    requireOrder(query)
    const { items, next } = await scope.incidents.list(paged(query))
    return ok({ incidents: items, next_cursor: cursorOf('incidents', next) })
  },
})

export const showIncident = operation({
  summary: 'One incident',
  scope: 'incidents:read',
  tag,
  answers: { 200: { incident: ref('Incident') } },
  async run({ scope, id }) {
    return ok({ incident: await scope.incidents.get(id) })
  },
})

export const acknowledgeIncident = operation({
  summary: 'Acknowledges the incident: repeats stop',
  scope: 'incidents:write',
  tag,
  body: 'none',
  answers: { 200: { incident: ref('Incident') } },
  refusals: [409],
  async run({ scope, id }) {
    return ok({ incident: await scope.incidents.acknowledge(id) })
  },
})

export const listMonitorIncidents = operation({
  summary: 'Incidents of this monitor, newest first',
  scope: 'incidents:read',
  tag,
  query: filters,
  answers,
  async run({ scope, id }, query) {
    requireOrder(query)
    // The filter alone would return an empty list for an unknown monitor.
    await scope.monitors.get(id)
    const { items, next } = await scope.incidents.list({ ...paged(query), monitor_id: id })
    return ok({ incidents: items, next_cursor: cursorOf('incidents', next) })
  },
})
