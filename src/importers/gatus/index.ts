/**
 * Gatus's configuration (https://github.com/TwiN/gatus#configuration): endpoints with their conditions,
 * external endpoints, and alerts.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { BOUNDS, deadline, gather, objectsIn, within } from '../imported.ts'
import type { Gathering, Imported } from '../imported.ts'
import { durationMs, take } from '../taking.ts'
import type { Taking } from '../taking.ts'
import { judge } from './conditions.ts'
import type { Judged } from './conditions.ts'
import { targetOf } from './target.ts'
import { isJsonObject } from '../../model/json.ts'

export function fromGatus(document: unknown): Imported {
  const gathering = gather()
  const file = (what: string): void => gathering.note('the file', what)
  if (!isJsonObject(document)) {
    file('it is no configuration of Gatus')
    return gathering.done()
  }
  const rest = take(document)
  const providers = isJsonObject(document['alerting']) ? document['alerting'] : {}
  const alerting = take(providers)
  // `services` is what they were called before version 3.
  for (const name of ['endpoints', 'services']) {
    for (const endpoint of objectsIn(rest.value(name), file)) one(gathering, endpoint, alerting)
  }
  for (const endpoint of objectsIn(rest.value('external-endpoints'), file)) {
    external(gathering, endpoint)
  }
  for (const provider of Object.keys(providers)) {
    gathering.note(provider, 'an alerting provider: make a contact of it (watchpost docs contacts)')
  }
  // Where data is kept and how it is shown is no matter of monitors.
  rest.ignore(
    'alerting',
    'storage',
    'web',
    'ui',
    'metrics',
    'security',
    'debug',
    'connectivity',
    'concurrency',
    'disable-monitoring-lock',
    'skip-invalid-config-update',
  )
  for (const field of rest.left()) file(`${field} has no counterpart`)
  return gathering.done()
}

type Note = (what: string) => void

function one(gathering: Gathering, endpoint: JsonObject, alerting: Taking): void {
  const from = take(endpoint)
  const [name, group] = [from.text('name') ?? 'without a name', from.text('group')]
  const of = group === undefined ? name : `${group}/${name}`
  const note: Note = (what) => gathering.note(of, what)
  if (JSON.stringify(endpoint).includes('${'))
    note('a variable of the environment stands in it as it is')
  const target = targetOf(from, note)
  if (target === undefined) return
  const conditions = from.list('conditions').map(String)
  const judged = judge(conditions, target, note)
  const common = {
    name: of.slice(0, 200),
    ...commonOf(from, note),
    ...thresholds(from, alerting, note),
    ...(group === undefined ? {} : { tags: [group.slice(0, 64).replaceAll(',', ' ')] }),
  }
  from.ignore('ui', 'extra-labels')
  gathering.add({ ...common, ...target.settings, ...judged.settings }, of)
  for (const extra of extras(judged, common)) gathering.add(extra, `${of}-${extra.type}`)
  for (const field of from.left()) note(`${field} has no counterpart`)
}

/** Conditions of an endpoint that need a separate monitor here. */
function extras(
  { certificate, domain }: Judged,
  { name, tags }: { readonly name: string; readonly tags?: readonly string[] },
) {
  const shared = { ...(tags === undefined ? {} : { tags }) }
  return [
    ...(certificate === undefined
      ? []
      : [{ name: `${name.slice(0, 180)} certificate`, ...shared, type: 'ssl', ...certificate }]),
    ...(domain === undefined
      ? []
      : [{ name: `${name.slice(0, 180)} domain`, ...shared, type: 'domain', ...domain }]),
  ]
}

function commonOf(from: Taking, note: Note): JsonObject & { readonly interval_sec: number } {
  const written = from.text('interval')
  const interval_ms = durationMs(written) ?? 60_000
  const interval_sec = within({ value: interval_ms / 1000, ...BOUNDS.interval_sec }, (allowed) =>
    note(`interval of ${written ?? '60s'} became ${allowed} s`),
  )
  const client = from.object('client')
  return {
    interval_sec,
    // What Gatus waits where nothing is said is what we do.
    ...deadline(interval_sec, durationMs(client.text('timeout')), note),
    ...(from.flag('enabled') === false ? { paused: true } : {}),
  }
}

/** Those of the first alert, since a monitor has one pair of them; 3 and 2 where nothing is said. */
function thresholds(from: Taking, alerting: Taking, note: Note): JsonObject {
  const alerts = from.list('alerts').filter(isJsonObject).map(take)
  const enabled = alerts.filter((alert) => alert.flag('enabled') !== false)
  const types = enabled.map((alert) => alert.text('type') ?? '?')
  if (types.length > 0) note(`told ${types.join(', ')}: name the contacts in "contacts"`)
  const values = enabled.map((alert, index) => {
    const fallback = alerting.object(types[index] ?? '').object('default-alert')
    const number = (name: string): number | undefined => alert.number(name) ?? fallback.number(name)
    alert.ignore('description')
    fallback.ignore('description', 'enabled')
    const recovery = alert.flag('send-on-resolved') ?? fallback.flag('send-on-resolved')
    const fail = number('failure-threshold') ?? 3
    const recover = number('success-threshold') ?? 2
    for (const field of alert.left()) note(`alerts.${field} has no counterpart`)
    return { fail, recover, recovery }
  })
  const [first] = values
  if (first === undefined) return {}
  if (values.some(({ fail, recover }) => fail !== first.fail || recover !== first.recover)) {
    note('thresholds that differ by alert: those of the first one are taken')
  }
  const bounded = (value: number): number =>
    within({ value, ...BOUNDS.fail_threshold }, (allowed) =>
      note(`a threshold of ${value} became ${allowed}`),
    )
  return {
    fail_threshold: bounded(first.fail),
    recover_threshold: bounded(first.recover),
    notify_recovery: values.some(({ recovery }) => recovery === true),
  }
}

/** Fed from outside, over there by a token in the API. */
function external(gathering: Gathering, endpoint: JsonObject): void {
  const from = take(endpoint)
  const [name, group] = [from.text('name') ?? 'without a name', from.text('group')]
  const of = group === undefined ? name : `${group}/${name}`
  const interval = durationMs(from.object('heartbeat').text('interval'))
  if (interval === undefined || interval === 0) {
    gathering.note(
      of,
      'not imported: an external endpoint without heartbeat.interval is never down by itself',
    )
    return
  }
  from.ignore('token', 'alerts')
  const note: Note = (what) => gathering.note(of, what)
  note('its address: the job has to call the new one (ping_url of the monitor)')
  const interval_sec = within({ value: interval / 1000, ...BOUNDS.interval_sec }, (allowed) =>
    note(`an interval of ${interval / 1000} s became ${allowed} s`),
  )
  const paused = from.flag('enabled') === false
  gathering.add(
    { name: of.slice(0, 200), type: 'heartbeat', interval_sec, ...(paused ? { paused } : {}) },
    of,
  )
  for (const field of from.left()) note(`${field} has no counterpart`)
}
