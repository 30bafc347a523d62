/** What a receiver that keeps state relies on: what it may know of is ended, once, and nothing else is. */
import type { EntryOf } from '../tape.ts'
import type { IncidentStory, Ledger, RowStory, Step } from '../ledger.ts'
import { SECOND } from '../time.ts'
import { invariant, when } from './invariant.ts'

/** A change is worked out some time before it takes effect where the store is slow. */
const SLOWNESS = 10 * SECOND

/** Events that are only for those who know of the incident. */
const SEQUELS = ['up', 'acknowledged']

export const ENDING_INVARIANTS = [
  invariant(
    'The end of an incident, whatever has ended it, has one row for each contact who was told of the failure and none for anybody else, nor where recovery is not to be told.',
    function* (ledger) {
      for (const incident of ledger.incidents.values()) {
        const { closed } = incident
        if (closed === undefined) continue
        const wanted = closed.before.common.notify_recovery
        yield* wrongSequel(ledger, incident, { step: closed, event: 'up', wanted })
      }
    },
  ),

  invariant(
    'An acknowledgement has one row for each contact who was told of the failure, and none for anybody else.',
    function* (ledger) {
      for (const incident of ledger.incidents.values()) {
        const step = incident.acknowledged
        if (step !== undefined)
          yield* wrongSequel(ledger, incident, { step, event: 'acknowledged', wanted: true })
      }
    },
  ),

  invariant(
    'Only the commit that ends or acknowledges an incident makes a row that says so.',
    function* ({ rows, incidents }) {
      for (const { id, made, record } of rows.values()) {
        if (!SEQUELS.includes(record.event) || made.by === 'create') continue
        const { closed, acknowledged } = incidents.get(record.incident_id ?? 0) ?? {}
        const step = record.event === 'up' ? closed : acknowledged
        if (step?.row_ids.includes(id) !== true) yield `row ${id} tells of what was not`
      }
    },
  ),

  invariant(
    'The end of an incident is sent where the failure may have arrived, and given up as untold where it surely did not.',
    function* ({ rows, incidents }) {
      for (const row of rows.values()) {
        const { id, record, ended, claims, arrivals, made } = row
        if (!SEQUELS.includes(record.event) || made.by === 'create') continue
        const before = earlier(incidents.get(record.incident_id ?? 0), row)
        const until = claims.at(-1)?.n ?? Infinity
        const isTold = arrivals.some(({ event }) => event !== 'outage')
        if (isTold && !before.some((one) => isDoubtful(one, until)))
          yield `row ${id} (${record.event}) was sent although its failure was refused`
        const got = before.find((one) => one.arrivals.some((each) => each.n < until && isGot(each)))
        if (ended?.record.error === 'down_never_sent' && got !== undefined)
          yield `row ${id} (${record.event}) was given up although row ${got.id} may have arrived`
      }
    },
  ),

  invariant(
    'Every failure that a receiver got is ended by exactly one event once its incident is over, unless nobody is there any more or every attempt failed.',
    function* ({ incidents, all }) {
      if (all('calm').length === 0) return
      const gone = new Set(all('contact_gone').map(({ id }) => id))
      for (const { id, closed, rows } of incidents.values()) {
        if (closed?.before.common.notify_recovery !== true) continue
        const own = rows.filter(({ made }) => made.by !== 'create')
        for (const contact of new Set(own.map(({ record }) => record.contact_id))) {
          if (gone.has(contact)) continue
          const mine = own.filter(({ record }) => record.contact_id === contact)
          const heard = mine.some((row) => !isEnd(row) && row.arrivals.some(isGot))
          const ends = mine.filter(isEnd)
          if (heard && ends.length !== 1)
            yield `contact ${contact} heard of incident ${id} and has ${ends.length} ends of it`
          const [end] = ends
          if (!heard || end === undefined || end.record.status === 'failed') continue
          if (end.record.status === 'cancelled' || end.arrivals.length === 0)
            yield `contact ${contact} heard of incident ${id} and never of its end (row ${end.id}: ${end.record.status}, ${end.record.error})`
        }
      }
    },
  ),

  invariant('Nothing of an incident sets out after its end did.', function* ({ incidents }) {
    for (const { id, rows } of incidents.values()) {
      for (const end of rows.filter(isEnd)) {
        const from = end.claims[0]?.n ?? Infinity
        for (const row of rows)
          if (
            row.made.by !== 'create' &&
            row.id !== end.id &&
            row.record.contact_id === end.record.contact_id &&
            row.claims.some(({ n }) => n > from)
          )
            yield `row ${row.id} (${row.record.event}) of incident ${id} set out after its end, row ${end.id}`
      }
    }
  }),

  invariant(
    'Of a monitor that was removed nothing is told any more but what was under way, and the end of its incidents.',
    function* ({ rows, monitors }) {
      for (const row of rows.values()) {
        const { id, record, made, claims } = row
        const removed = monitors.get(record.monitor_id ?? 0)?.removed
        if (removed === undefined || made.n > removed.n || isEnd(row)) continue
        if (isQueuedAt(row, removed.n) && claims.some(({ n }) => n > removed.n))
          yield `row ${id} (${record.event}) was sent after ${when(removed)}, when monitor ${record.monitor_id} was removed`
      }
    },
  ),
]

interface Sequel {
  readonly step: Step
  readonly event: string
  readonly wanted: boolean
}

function* wrongSequel(
  ledger: Ledger,
  incident: IncidentStory,
  { step, event, wanted }: Sequel,
): Iterable<string> {
  const made = step.row_ids
    .map((id) => ledger.rows.get(id)!.record)
    .filter((record) => record.event === event)
    .map(({ contact_id }) => contact_id)
  const told = new Set(
    incident.rows
      .filter((row) => row.made.n < step.n && countsAsTold(row, step))
      .map(({ record }) => record.contact_id),
  )
  for (const contact of new Set([...told, ...made])) {
    const expected = wanted && told.has(contact) ? 1 : 0
    const count = made.filter((one) => one === contact).length
    if (count === expected) continue
    // Removed while the change was worked out: it may have one or not.
    const isLeaving = presence(ledger, contact, step) !== 'sure'
    if (!isLeaving || count > expected)
      yield `incident ${incident.id} at ${when(step)}: contact ${contact} has ${count} rows of ${event}, not ${expected}`
  }
}

/** Whether a row stands for a telling at a step: not one that was cancelled before anybody tried. */
function countsAsTold({ claims, ended }: RowStory, step: Step): boolean {
  if (claims.some(({ n }) => n < step.n)) return true
  if (ended === undefined || ended.record.status !== 'cancelled') return true
  const bySameCommit = ended.by === 'cancel' && ended.record.finished_at === step.change.at
  return ended.n > step.n && !bySameCommit
}

function presence(ledger: Ledger, contact: number, step: Step): 'sure' | 'leaving' {
  const left = ledger.all('contact_gone').find(({ id }) => id === contact)
  if (left === undefined) return 'sure'
  return left.n > step.n && left.at > step.at - SLOWNESS ? 'sure' : 'leaving'
}

function earlier(incident: IncidentStory | undefined, { id, record }: RowStory): RowStory[] {
  return (incident?.rows ?? []).filter(
    (row) => row.id < id && row.record.contact_id === record.contact_id && !isEnd(row),
  )
}

/** As far as the engine can know: an end that was neither a refusal nor a failed connection, or that nobody saw. */
function isDoubtful({ claims, finishes }: RowStory, until: number): boolean {
  const seen = finishes.filter(({ n, taken }) => n < until && taken)
  if (claims.filter(({ n }) => n < until).length > seen.length) return true
  return seen.some(({ end }) => {
    if (end.status === 'sent') return true
    if (end.attempt === undefined) return false
    const { http_status, error } = end.attempt
    if (http_status !== null) return http_status >= 500
    return !['connect_refused', 'lease_over'].includes(error ?? '')
  })
}

/** The receiver may have taken it for true. */
function isGot({ answer }: EntryOf<'arrival'>): boolean {
  if (typeof answer === 'number') return answer < 300 || answer >= 500
  return answer !== 'connect_refused'
}

function isEnd({ record }: RowStory): boolean {
  return record.event === 'up'
}

function isQueuedAt({ claims, finishes }: RowStory, n: number): boolean {
  const claimed = claims.filter((claim) => claim.n < n).length
  return claimed === finishes.filter((finish) => finish.n < n && finish.taken).length
}
