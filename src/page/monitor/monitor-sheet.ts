/**
 * The view of one monitor as its route has it. Loaded by the first request for it: charts are a large part of the page.
 *
 * @module
 */

import { RANGES } from '../chart/ranges.ts'
import { oneOf } from '../http/call.ts'
import { shownAs } from '../layout/words.ts'
import type { PrivateSheet, Seen } from '../routes/signed-in.ts'
import { monitorFacts } from './monitor-facts.ts'
import { isCharted } from './chart-section.ts'
import { monitorPage } from './monitor-page.ts'

/** @throws NotFoundError */
export async function monitorSheet({ call, scope, can_act }: Seen): Promise<PrivateSheet> {
  const { frame, url, service, params } = call
  const range = oneOf(url.searchParams, 'range', RANGES)
  const ask = { id: Number(params[0]), range, now: frame.now }
  const facts = await monitorFacts(scope, service.engine.types.list(), ask)
  return {
    title: facts.monitor.name,
    said: [facts.monitor.name, ': ', shownAs(facts.status).label],
    alarm: facts.status.status === 'down',
    main: monitorPage(facts, { frame, can_act }),
    chart: isCharted(facts),
    section: 'monitors',
    events: { shown: [facts.monitor.id] },
  }
}
