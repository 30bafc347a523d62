/** Quiet hours: what they hold back, until when, and what becomes of it. */
import type { QuietHours } from '../../../src/model.ts'
import { contactsOf, settled, versionsWithin } from '../contacts.ts'
import type { Delivery } from '../deliveries.ts'
import { quietEnd } from '../hours.ts'
import { stateAt } from '../ledger.ts'
import type { Ledger, RowStory } from '../ledger.ts'
import type { EntryOf, Stamp } from '../tape.ts'
import { invariant, when } from './invariant.ts'
import { overdue } from './overdue.ts'

type Finish = EntryOf<'finish'>

export const QUIET_INVARIANTS = [
  invariant(
    'Within the quiet hours of a contact nothing arrives but tests, what is tagged as an exception, and what was tried before they began.',
    function* (ledger) {
      for (const row of ledger.rows.values()) {
        for (const arrival of row.arrivals) {
          const first = firstTryOf(row, arrival)
          if (first === undefined || row.record.event === 'test') continue
          const quiet = settled(ledger, row.record.contact_id, first, arrival)?.quiet ?? null
          const end = quietEnd(quiet, first.wall)
          if (quiet === null || end === undefined || end <= arrival.wall) continue
          if (!isExempt(ledger, row, quiet, [first, arrival]))
            yield `row ${row.id} (${arrival.event}) arrived at ${when(arrival)}, ${minutes(end - arrival.wall)} before the end of the quiet hours of contact ${row.record.contact_id}`
        }
      }
    },
  ),

  invariant(
    'What is held or dropped for quiet hours falls into them, is no test and no exception, and waits for their end and no longer; only beginnings are dropped, where that is chosen.',
    function* (ledger) {
      for (const row of ledger.rows.values()) {
        for (const finish of row.finishes) {
          const { taken, end: held } = finish
          if (!taken || held.error !== 'quiet_hours' || held.attempt !== undefined) continue
          const place = `row ${row.id} (${row.record.event}) at ${when(finish)}`
          const claim = claimOf(row, finish)
          const versions = quietVersions(ledger, row, claim, finish)
          const { end } = finish
          const isQueued = end.status === 'queued'
          const fits = versions.some((quiet) => {
            const until = quietEnd(quiet, end.at)
            return (
              until !== undefined && (isQueued ? end.due_at === until : quiet.during === 'drop')
            )
          })
          if (!fits)
            yield `${place} was ${end.status} outside of quiet hours, or until ${end.due_at}`
          if (row.record.event === 'test') yield `${place}: a test was held`
          if (!isQueued && !isFirst(row)) yield `${place} was dropped and is no beginning`
          const isExcepted = versions.every((quiet) =>
            isExempt(ledger, row, quiet, [claim, finish]),
          )
          if (isExcepted) yield `${place} was held although its monitor is an exception`
        }
      }
    },
  ),

  invariant(
    'What is held for quiet hours or a window is called within two minutes of their end where the receiver answers well, while a process runs and the store works.',
    function* (ledger) {
      for (const { row, held, late } of overdue(ledger))
        yield `row ${row.id} was held at ${when(held)} (${held.end.error}) and not called at ${when({ at: late })}`
    },
  ),

  invariant(
    'An outage that began and ended within quiet hours is told as one at their end, or not at all where that is chosen.',
    function* (ledger) {
      for (const { row, up } of endedWhileHeld(ledger)) {
        const untried = row.claims.find(({ n }) => n > up.made.n)
        const sent = row.arrivals.find(({ n }) => n > (untried?.n ?? Infinity))
        if (sent !== undefined && !row.claims.some(({ record }) => isBegun(record)))
          yield `row ${row.id} arrived at ${when(sent)}, and its end is row ${up.id}`
        if (row.ended?.record.error !== 'ended_in_quiet_hours') continue
        if (ledger.all('calm').length === 0 || up.ended === undefined) continue
        const { error } = up.ended.record
        const wasSkipped = error === 'ended_in_quiet_hours' && maySkip(ledger, up)
        const isGone = up.ended.by === 'cancel' || error === 'contact_deleted'
        if (up.arrivals.length === 0 && up.record.status !== 'failed' && !wasSkipped && !isGone)
          yield `row ${row.id} ended in quiet hours and row ${up.id} never told it: ${up.record.status}, ${error}`
      }
    },
  ),

  invariant(
    'An outage is told as one only where its beginning was held for quiet hours and cannot have arrived.',
    function* (ledger) {
      for (const row of ledger.rows.values()) {
        if (!row.arrivals.some(({ event }) => event === 'outage')) continue
        const before = earlierOf(ledger, row)
        if (!before.some(({ ended }) => ended?.record.error === 'ended_in_quiet_hours'))
          yield `row ${row.id} tells of an outage of which nothing was held`
        const arrived = before.find(({ arrivals }) =>
          arrivals.some(({ answer }) => typeof answer === 'number' && answer < 300),
        )
        if (arrived !== undefined) yield `row ${row.id} tells again what row ${arrived.id} has told`
      }
    },
  ),

  invariant(
    'What waited for the end of quiet hours is not lost: it is tried, part of one outage, or ended with its reason.',
    function* (ledger) {
      if (ledger.all('calm').length === 0) return
      for (const row of ledger.rows.values()) {
        const { id, record, ended, claims, arrivals, finishes } = row
        if (!finishes.some(({ end }) => isHold(end)) || ended === undefined) continue
        if (record.status !== 'cancelled' || ended.by === 'cancel') {
          const unseen = claims.length - finishes.filter(({ taken }) => taken).length
          const isTried = arrivals.length > 0 || unseen > 0 || record.attempts > 0
          if (record.status !== 'cancelled' && !isTried)
            yield `row ${id} is ${record.status} untried`
        } else if (record.error === 'ended_in_quiet_hours') {
          const isTold = endOf(ledger, row) !== undefined || maySkip(ledger, row)
          if (!isTold) yield `row ${id} (${record.event}) was taken back, and no end follows it`
        } else if (!REASONS.includes(record.error ?? ''))
          yield `row ${id} (${record.event}) was held and then ${record.error}`
      }
    },
  ),
]

/** Why something that was held is cancelled when its time comes. */
const REASONS = ['down_never_sent', 'contact_deleted', 'quiet_hours']

/** The claim from which on the row may have been tried; `undefined` where it surely was, before this request. */
function firstTryOf({ claims, finishes }: RowStory, arrival: Delivery): Stamp | undefined {
  const before = claims.filter(({ n }) => n < arrival.n)
  const own = before.findLast(({ life }) => life === arrival.life)
  if (own === undefined || own.record.attempts > 0) return undefined
  let from = before.indexOf(own)
  const isSeen = (claim: EntryOf<'claim'>): boolean =>
    finishes.some(({ taken, end }) => taken && end.claim === claim.record.claims)
  while (from > 0 && !isSeen(before[from - 1]!)) from--
  // An attempt that nobody saw the end of, before something was recorded again.
  return before.slice(0, from).every(isSeen) ? before[from] : undefined
}

function isExempt(
  { monitors }: Ledger,
  { record }: RowStory,
  { except_tags }: QuietHours,
  times: readonly Stamp[],
): boolean {
  const story = monitors.get(record.monitor_id ?? 0)
  if (story === undefined || (story.removed?.n ?? Infinity) < times[1]!.n) return false
  const tags = stateAt(story, times[0]!.n).common.tags.map((tag) => tag.toLowerCase())
  return except_tags.some((tag) => tags.includes(tag.toLowerCase()))
}

type Place = Pick<Stamp, 'n'>

function quietVersions(ledger: Ledger, { record }: RowStory, from: Place, to: Place) {
  const story = contactsOf(ledger).get(record.contact_id)
  if (story === undefined) return []
  return versionsWithin(story, from.n, to.n).flatMap(({ quiet }) => quiet ?? [])
}

function claimOf({ claims }: RowStory, { end, n }: Finish): Stamp {
  return claims.findLast((claim) => claim.n < n && claim.record.claims === end.claim)!
}

function isHold({ status, error, attempt }: Finish['end']): boolean {
  return status === 'queued' && error === 'quiet_hours' && attempt === undefined
}

function isFirst({ record }: RowStory): boolean {
  return record.repeat === 0 && !['up', 'acknowledged'].includes(record.event)
}

function isBegun({ attempts, interruptions }: { attempts: number; interruptions: number }) {
  return attempts > 0 || interruptions > 0
}

/** Beginnings that were held, and had not been tried when the end of their incident was made for the same contact. */
function* endedWhileHeld(ledger: Ledger): Iterable<{ row: RowStory; up: RowStory }> {
  for (const row of ledger.rows.values()) {
    if (!isFirst(row) || row.made.by === 'create' || row.record.incident_id === null) continue
    const held = row.finishes.find(({ end, taken }) => taken && isHold(end))
    const up = endOf(ledger, row)
    if (held === undefined || up === undefined) continue
    const isOver = (row.ended?.n ?? Infinity) < up.made.n
    if (!isOver && !row.arrivals.some(({ n }) => n < up.made.n)) yield { row, up }
  }
}

function endOf({ incidents }: Ledger, { record }: RowStory): RowStory | undefined {
  return incidents
    .get(record.incident_id ?? 0)
    ?.rows.find(
      ({ record: { event, contact_id }, made }) =>
        event === 'up' && contact_id === record.contact_id && made.by !== 'create',
    )
}

function earlierOf({ incidents }: Ledger, { id, record }: RowStory): readonly RowStory[] {
  const rows = incidents.get(record.incident_id ?? 0)?.rows ?? []
  return rows.filter((row) => row.id < id && row.record.contact_id === record.contact_id)
}

/** Its contact did not want to hear of it at any time from when the row was made until it ended. */
function maySkip(ledger: Ledger, row: RowStory): boolean {
  const versions = quietVersions(ledger, row, row.made, row.ended ?? { n: Infinity })
  return versions.some(({ ended }) => ended === 'skip')
}

function minutes(ms: number): string {
  return `${Math.round(ms / 60_000)} min`
}
