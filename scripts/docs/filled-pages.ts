/** Parts of docs/reference that are filled into pages written by hand. */

import type { AnyChecker } from '../../src/checkers/checker.ts'
import { initialState, statusOf } from '../../src/incident/state.ts'
import { transition } from '../../src/incident/transition.ts'
import type { MachineEvent } from '../../src/incident/transition.ts'
import { MONITOR_STATES } from '../../src/model.ts'
import type { MachineState, MonitorState } from '../../src/model.ts'
import { MAX_ATTEMPTS, pauseAfter } from '../../src/webhook/retry.ts'
import { parts } from '../mutate/parts.mjs'
import { readScores } from '../mutate/scores.mjs'
import { block, code, json, table } from './markdown.ts'
import { membersOf } from './source-facts.ts'
import type { WebhookExample } from './webhook-examples.ts'

export function engineEvents(): string {
  const members = membersOf('src/engine/api/events.ts', 'EngineEvents')
  return table(
    ['Event', 'When', 'Payload'],
    members.map(({ name, about, type }) => [code(name), about, code(type)]),
  )
}

const EVERY_TYPE_EVENTS = [
  'down',
  'up',
  'repeat',
  'acknowledged',
  'outage',
  'digest',
  'flapping',
  'degraded',
  'restored',
  'test',
] as const

/** Names of all events that a webhook can carry. */
export function webhookEventNames(checkers: readonly AnyChecker[]): string[] {
  const own = checkers.flatMap(({ events = [], downEvent }) => [
    ...events,
    ...(downEvent === undefined ? [] : [downEvent]),
  ])
  return [...new Set([...EVERY_TYPE_EVENTS, ...own])]
}

export function webhookEvents(checkers: readonly AnyChecker[]): string {
  const rows = webhookEventNames(checkers).map((event) => [
    `[${code(event)}](#${event})`,
    typesOf(event, checkers),
  ])
  return table(['Event', 'Types'], rows)
}

function typesOf(event: string, checkers: readonly AnyChecker[]): string {
  const types = checkers.filter(
    ({ events, downEvent }) => events?.includes(event) === true || downEvent === event,
  )
  if (types.length === 0) return event === 'test' ? 'none: about the contact itself' : 'all'
  return types.map(({ type }) => `[${code(type)}](../checkers/${type}.md)`).join(', ')
}

export function bodies(examples: readonly WebhookExample[]): string {
  return examples
    .map(({ event, body }) => `### Body of ${code(event)}\n\n${json(body)}`)
    .join('\n\n')
}

export function requestHead([example]: readonly WebhookExample[]): string {
  const lines = (example?.headers ?? []).map(([name, value]) => `${name}: ${value}`)
  return block(
    'http',
    [
      'POST /watchpost HTTP/1.1',
      'Host: hooks.example.com',
      ...lines,
      '',
      JSON.stringify(example?.body),
    ].join('\n'),
  )
}

export function retryTable(): string {
  const rows: string[][] = []
  let soonest_sec = 0
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const pause_ms = pauseAfter(attempt)
    rows.push([
      String(attempt),
      pause_ms === null ? 'none: the delivery failed' : `${pause_ms / 1000} s`,
      `${soonest_sec} s`,
    ])
    soonest_sec += (pause_ms ?? 0) / 1000
  }
  return table(['Attempt', 'Pause after it', 'Earliest start after the first'], rows)
}

export function stateTable(): string {
  return table(
    ['State', 'Status'],
    MONITOR_STATES.map((state) => [code(state), code(statusOf(state))]),
  )
}

const AT = 1_000_000
const POLICY = { fail_threshold: 2, recover_threshold: 2, gap_ms: null }
const cause = { cause_code: 'timeout', cause_text: 'The check was not complete in time' }

const EVENTS: readonly (readonly [name: string, event: MachineEvent])[] = [
  ['good round', { kind: 'round', at: AT, verdict: 'ok' }],
  ['late signal', { kind: 'round', at: AT, verdict: 'late' }],
  ['failed round', { kind: 'round', at: AT, verdict: 'fail', cause, locations_failed: [1] }],
  ['undecided round', { kind: 'round', at: AT, verdict: 'inconclusive' }],
  ['pause', { kind: 'pause', at: AT }],
  ['resume', { kind: 'resume', at: AT }],
  ['reconfigure', { kind: 'reconfigure', at: AT }],
  ['maintenance begins', { kind: 'maintenance_start', at: AT }],
  ['maintenance ends', { kind: 'maintenance_end', at: AT }],
]

/** What the machine itself says, with both thresholds at 2: the first round in a state, and the one that meets the threshold. */
export function transitionTable(): string {
  const rows = MONITOR_STATES.map((state) => [
    code(state),
    ...EVENTS.map(([, event]) => ends(state, event)),
  ])
  return table(['State', ...EVENTS.map(([name]) => name)], rows)
}

/** `from → to` for every event that leads out of a state. */
export function transitions(): { readonly from: MonitorState; readonly to: MonitorState }[] {
  return MONITOR_STATES.flatMap((from) =>
    EVENTS.flatMap(([, event]) => nextStates(from, event))
      .filter((to, index, all) => to !== from && all.indexOf(to) === index)
      .map((to) => ({ from, to })),
  )
}

function ends(state: MonitorState, event: MachineEvent): string {
  const next = nextStates(state, event).filter((to, index, all) => all.indexOf(to) === index)
  if (next.length === 1 && next[0] === state) return ''
  return next.map(code).join(' or ')
}

/** Before the threshold, and at it. */
function nextStates(state: MonitorState, event: MachineEvent): MonitorState[] {
  return [0, 1].map((count) => transition(before(state, count), event, POLICY).state.state)
}

function before(state: MonitorState, count: number): MachineState {
  const down = state === 'down' || state === 'recovering'
  return {
    ...initialState(0),
    state,
    fails: down ? POLICY.fail_threshold : state === 'confirming' ? 1 : count,
    oks: state === 'recovering' ? 1 : down ? count : 0,
    incident: down ? { id: 1, started_at: 0, cause_code: 'timeout' } : null,
  }
}

/** The share of mutants that the tests kill, by part, as `npm run mutate` last wrote it. */
export function mutationTable(): string {
  const rows = Object.entries(readScores()).map(([name, one]) => {
    const unnoticed = one.mutants - one.killed - one.timeouts - one.equivalent
    const counts = [one.mutants, one.equivalent, unnoticed].map(String)
    return [name, sourcesOf(parts[name]?.sources ?? []), ...counts, `${one.score} %`]
  })
  return table(['Part', 'Sources', 'Mutants', 'Equivalent', 'Unnoticed', 'Killed'], rows)
}

/** What is left out (`!…`) is in other parts. */
function sourcesOf(patterns: readonly string[]): string {
  const all = patterns.filter((pattern) => !pattern.startsWith('!'))
  return all.map(code).join(', ') + (all.length < patterns.length ? ', what is left' : '')
}
