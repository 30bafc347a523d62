/**
 * Monitors: create, read, update, delete, and their actions.
 *
 * @module
 */

import type { MonitorInput } from '../engine/api/inputs.ts'
import { admitCheck, REQUESTED_CHECKS } from '../engine/services/request-services.ts'
import { ValidationError } from '../errors.ts'
import { MONITOR_STATES, MONITOR_STATUSES } from '../model.ts'
import { grants } from '../model/scopes.ts'
import { ok } from './envelope.ts'
import { ifMatch, monitorReply, unlessKnown } from './etag.ts'
import { arrayOf, nullable, object, ref, text, word } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import type { Call } from './operation.ts'
import { cursorOf, paged, paging, param, requireOrder } from './query.ts'
import { HttpError } from './http-error.ts'
import { whileWaiting } from './rate-limit.ts'

const tag = 'Monitors'

export const listMonitors = operation({
  summary: 'Lists monitors, oldest first',
  scope: 'monitors:read',
  tag,
  query: {
    status: param.anyOf(
      [...new Set([...MONITOR_STATES, ...MONITOR_STATUSES])],
      'States, or statuses that several states fold into',
    ),
    type: param.words('Type codes'),
    q: param.text('Part of the name or the target, without regard to case', 200),
    tag: param.allOfAnyOf('Tags'),
    metadata: param.members('Members at the top level of the metadata, compared as text'),
    ...paging('monitors'),
  },
  answers: { 200: { monitors: arrayOf('MonitorSummary'), next_cursor: nullable(text()) } },
  async run(call, query) {
    requireKnownTypes(call, query.type ?? [])
    const { items, next } = await call.scope.monitors.list(paged(query))
    return ok({ monitors: items, next_cursor: cursorOf('monitors', next) })
  },
})

export const createMonitor = operation({
  summary: 'Creates a monitor in state `pending`',
  scope: 'monitors:write',
  tag,
  body: 'MonitorCreate',
  answers: { 201: { monitor: ref('Monitor'), warnings: arrayOf('SettingWarning') } },
  versioned: true,
  repeatable: true,
  async run({ scope, body, host }) {
    // The engine validates the input; until then it only has the shape of a `MonitorInput`.
    const { warnings = [], ...monitor } = await scope.monitors.create(
      body as unknown as MonitorInput,
    )
    const Location = `${host.base_path}/api/v1/monitors/${monitor.id}`
    return monitorReply(monitor, { status: 201, headers: { Location }, also: { warnings } })
  },
})

export const showMonitor = operation({
  summary: 'One monitor with its settings and its status per location',
  scope: 'monitors:read',
  tag,
  answers: { 200: { monitor: ref('Monitor') } },
  versioned: true,
  async run({ scope, id, request, identity }) {
    const { token, ping_url, ...monitor } = await scope.monitors.get(id)
    // Who has them can send signals: a dead job would seem to run.
    const address =
      grants(identity.key.scopes, 'monitors:write') && token ? { token, ping_url } : {}
    return unlessKnown(monitorReply({ ...monitor, ...address }), request)
  },
})

export const updateMonitor = operation({
  summary: 'Changes the fields that are sent',
  description:
    'Merges: `null` resets a field to its default, lists are replaced, a masked secret (`"***"`) is kept, `type` cannot change. Another scheme, host or port needs the secrets again: 422 names those that were not given.',
  scope: 'monitors:write',
  tag,
  body: 'MonitorUpdate',
  answers: { 200: { monitor: ref('Monitor'), warnings: arrayOf('SettingWarning') } },
  refusals: [409],
  versioned: true,
  async run(call) {
    const { scope, id, body } = call
    const { warnings = [], ...monitor } = await scope.monitors.update(
      id,
      body,
      await ifMatch(call, 'monitors'),
    )
    return monitorReply(monitor, { also: { warnings } })
  },
})

export const deleteMonitor = operation({
  summary: 'Deletes the monitor and its results; incidents and the notification log stay',
  scope: 'monitors:write',
  tag,
  answers: { 200: { deleted: object({ id: { type: 'integer' } }) } },
  refusals: [409],
  versioned: true,
  async run(call) {
    await call.scope.monitors.remove(call.id, await ifMatch(call, 'monitors'))
    return ok({ deleted: { id: call.id } })
  },
})

export const pauseMonitor = operation({
  summary: 'Pauses the monitor; an open incident is closed (`closed_reason` `paused`)',
  scope: 'monitors:write',
  tag,
  body: 'none',
  answers: { 200: { monitor: ref('MonitorSummary') } },
  versioned: true,
  repeatable: true,
  async run(call) {
    return monitorReply(await call.scope.monitors.pause(call.id, await ifMatch(call, 'monitors')))
  },
})

export const resumeMonitor = operation({
  summary: 'Resumes the monitor',
  scope: 'monitors:write',
  tag,
  body: 'none',
  answers: { 200: { monitor: ref('MonitorSummary') } },
  versioned: true,
  repeatable: true,
  async run(call) {
    return monitorReply(await call.scope.monitors.resume(call.id, await ifMatch(call, 'monitors')))
  },
})

const check = (state: 'queued' | 'done') =>
  object({ monitor_id: { type: 'integer' }, state: word([state]) })

export const checkMonitor = operation({
  summary: 'Runs a check from all locations now',
  description:
    'Answers 202 once the check is queued; with `wait=1`, 200 once its results are stored.',
  scope: 'checks:run',
  tag,
  query: { wait: param.flag('Wait for the results') },
  body: 'none',
  answers: {
    202: { check: check('queued') },
    200: {
      check: check('done'),
      results: arrayOf('Result'),
      monitor: ref('MonitorSummary'),
    },
  },
  refusals: [409],
  versioned: true,
  repeatable: true,
  waits: true,
  async run(call, { wait }) {
    const { scope, id } = call
    const version = await ifMatch(call, 'monitors')
    if (wait !== true) {
      await requireAskable(call)
      await scope.monitors.queueCheck(id, version)
      return ok({ check: { monitor_id: id, state: 'queued' } }, { status: 202 })
    }
    const { results, monitor } = await whileWaiting(call.host, scope.account_id, async () => {
      await requireAskable(call)
      return scope.monitors.check(id, version)
    })
    return monitorReply(monitor, { also: { check: { monitor_id: id, state: 'done' }, results } })
  },
})

export const showStatus = operation({
  summary: 'Current state of the monitor',
  scope: 'monitors:read',
  tag,
  answers: { 200: { status: ref('Status') } },
  async run({ scope, id }) {
    return ok({ status: await scope.monitors.status(id) })
  },
})

export const listResults = operation({
  summary: 'Raw check results, newest first',
  scope: 'monitors:read',
  tag,
  query: {
    from: param.time('Not before'),
    to: param.time('Before'),
    location_id: param.id('Of this location only'),
    verdict: param.oneOf(['ok', 'fail', 'unknown'], 'With this verdict only'),
    order: param.oneOf(['asc', 'desc'], 'By time; `desc` unless given'),
    ...paging('results', { fallback: 100, max: 1000 }),
  },
  answers: { 200: { results: arrayOf('Result'), next_cursor: nullable(text()) } },
  async run({ scope, id }, query) {
    requireOrder(query)
    const { items, next } = await scope.results.list(id, paged(query))
    return ok({ results: items, next_cursor: cursorOf('results', next) })
  },
})

export const showUptime = operation({
  summary: 'Uptime per UTC day, oldest first',
  scope: 'monitors:read',
  tag,
  query: {
    days: param.integer({
      description: 'Days, the present one included',
      min: 1,
      max: 365,
      fallback: 30,
    }),
  },
  answers: { 200: { uptime: ref('Uptime') } },
  async run({ scope, id }, query) {
    return ok({ uptime: await scope.monitors.uptime(id, query) })
  },
})

export const showHours = operation({
  summary: 'Totals per hour, or per step of several hours, oldest first',
  scope: 'monitors:read',
  tag,
  query: {
    from: param.time('Not before the hour of this time; 24 hours before `to` unless given'),
    to: param.time('Before; at most 100 days after `from`'),
    step_hours: param.integer({
      description: 'Hours per step, a divisor of 24',
      min: 1,
      max: 24,
      fallback: 1,
    }),
  },
  answers: { 200: { hours: ref('Hours') } },
  async run({ scope, id }, query) {
    return ok({ hours: await scope.monitors.hours(id, query) })
  },
})

/** @throws HttpError 429 `check_too_soon` */
async function requireAskable({ engine, scope, host, id }: Call): Promise<void> {
  if (host.rate === null) return
  const taken = await admitCheck(engine, { account_id: scope.account_id, id })
  if (taken.admitted) return
  throw new HttpError({
    status: 429,
    error: 'check_too_soon',
    message: `More than ${REQUESTED_CHECKS.limit} checks of this monitor were asked for within a minute`,
    retry_after: taken.retry_sec,
  })
}

/** A misspelled type would otherwise return an empty list. */
function requireKnownTypes({ engine }: Call, types: readonly string[]): void {
  const known = engine.types.tables()
  const strange = types.find((type) => !known.has(type))
  if (strange === undefined) return
  throw new ValidationError({
    type: `invalid: one of ${[...known.keys()].join(', ')} is expected`,
  })
}
