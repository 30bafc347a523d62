/** The engine as its host sees it, and what is left in the end. */
import { stateAt } from '../ledger.ts'
import { invariant, when } from './invariant.ts'

/** Errors that say what happened outside of the engine, or what a caller did wrong. */
const EXPECTED = [
  'StorageError',
  'NotFoundError',
  'ConflictError',
  'ValidationError',
  'ClosedError',
]

export const ENGINE_INVARIANTS = [
  invariant('Nothing is done again and again without time passing.', function* ({ all }) {
    for (const spin of all('spins')) yield `process ${spin.life} did not rest at ${when(spin)}`
  }),

  invariant('Listeners hear only of what is stored.', function* ({ all, incidents, rows }) {
    for (const said of all('said')) {
      const { event, id, n } = said
      const incident = incidents.get(id)
      const stored =
        event === 'down'
          ? incident?.opened.n
          : event === 'up'
            ? incident?.closed?.n
            : rows.get(id)?.ended?.n
      if (stored === undefined || stored > n) yield `${event} ${id} was told at ${when(said)}`
    }
  }),

  invariant('A change is made only of the monitor as it is.', function* ({ all, monitors }) {
    for (const entry of all('commit')) {
      const story = monitors.get(entry.change.monitor_id)
      if (!entry.answer.ok || story === undefined) continue
      const before = stateAt(story, entry.n)
      if (entry.change.revision !== before.revision)
        yield `monitor ${story.id} was changed at ${when(entry)} as of revision ${entry.change.revision}, it was at ${before.revision}`
    }
  }),

  invariant('No id is used twice.', function* ({ all, incidents, monitors }) {
    for (const [what, ids] of [
      ['monitor', all('monitor').map(({ record }) => record.id)],
      [
        'row',
        all('row')
          .filter(({ by }) => by === 'create')
          .map(({ record }) => record.id),
      ],
      ['row', all('commit').flatMap(({ answer }) => (answer.ok ? answer.notification_ids : []))],
      ['result', all('commit').flatMap(({ answer }) => (answer.ok ? answer.result_ids : []))],
      [
        'incident',
        [...monitors.values()].flatMap(({ steps }) => steps.flatMap(({ opened }) => opened ?? [])),
      ],
    ] as const)
      if (new Set(ids).size < ids.length) yield `a ${what}: ${ids.length - new Set(ids).size} times`
    void incidents
  }),

  invariant('The engine stumbles over nothing of its own.', function* ({ all }) {
    for (const error of all('error'))
      if (!EXPECTED.includes(error.name)) yield `${when(error)}: ${error.stack}`
  }),

  invariant(
    'Once all is quiet, every monitor that is watched is up, and no incident is open.',
    function* ({ all, monitors, incidents }) {
      if (all('calm').length === 0) return
      for (const { id, steps, removed, record, push } of monitors.values()) {
        if (removed !== undefined) continue
        const { state } = steps.at(-1)?.after.machine ?? record.machine
        if (state !== 'up' && !(push && ['late', 'pending'].includes(state)))
          yield `monitor ${id} is ${state}`
      }
      for (const { id, closed } of incidents.values())
        if (closed === undefined) yield `incident ${id} is open`
    },
  ),

  invariant(
    'Once all is quiet, every notification is final, and none was given up without a reason.',
    function* ({ all, rows }) {
      if (all('calm').length === 0) return
      for (const { id, record, ended } of rows.values()) {
        if (ended === undefined) yield `row ${id} (${record.event}) is ${record.status}`
        else if (record.status !== 'sent' && record.error === null)
          yield `row ${id} names no reason`
      }
    },
  ),
]
