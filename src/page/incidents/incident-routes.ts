/**
 * The routes of incidents.
 *
 * @module
 */

import { backOf, oneOf, positive } from '../http/call.ts'
import type { Route } from '../http/call.ts'
import type { Said } from '../layout/markup.ts'
import { action, page } from '../routes/signed-in.ts'
import { incidentInFull } from './incident-facts.ts'
import { incidentPage, stateText } from './incident-page.ts'
import { incidentsFound, incidentsPage, nameOf } from './incidents.ts'

const isOngoing: Said = ({ words }) => words.incidents.isOngoing

export const incidentRoutes: readonly Route[] = [
  page(/^\/incidents$/, async ({ call, scope }) => {
    const { frame, url } = call
    const ask = {
      monitor_id: positive(url.searchParams, 'monitor'),
      open: oneOf(url.searchParams, 'open', ['1']) === '1',
      after: positive(url.searchParams, 'after'),
    }
    const found = await incidentsFound(scope, ask)
    return {
      title: ({ words }) => words.incidents.title,
      main: incidentsPage(found, ask, frame),
      section: 'incidents',
      events: { shown: [], all: true },
    }
  }),
  page(/^\/incidents\/(\d{1,15})$/, async ({ call, scope, can_act }) => {
    const { frame, service, params } = call
    const facts = await incidentInFull(scope, service.engine.types.list(), Number(params[0]))
    const { incident, monitor } = facts
    return {
      title: (language) =>
        language.words.incidents.titleOf(nameOf(incident)(language), incident.id),
      main: incidentPage(facts, { frame, can_act }),
      said: [nameOf(incident), ': ', incident.state === 'open' ? isOngoing : stateText(incident)],
      alarm: incident.state === 'open',
      section: 'incidents',
      events: { shown: monitor === undefined ? [] : [monitor.id], all: true },
    }
  }),
  action(/^\/incidents\/(\d{1,15})\/acknowledge$/, async ({ call, scope, form }) => {
    const { monitor } = await scope.incidents.acknowledge(Number(call.params[0]))
    const { base } = call.service
    const back = backOf(form.get('return'), base)
    return back === `${base}/` ? `/monitors/${monitor.id}` : back.slice(base.length)
  }),
]
