/** Attempts: how many, when, under which claim, and what becomes of their end. */
import type { Ledger, RowStory } from '../ledger.ts'
import { SECOND } from '../time.ts'
import type { EntryOf } from '../tape.ts'
import { invariant, when } from './invariant.ts'

const PAUSES = [30, 60, 120, 240].map((seconds) => seconds * SECOND)

/** Ends after which the next attempt is the same one, at once or when quiet hours or a window are over. */
const NOT_SENT: readonly string[] = ['stopped', 'lease_over', 'storage', 'quiet_hours', 'grouped']

/** A clock that was set is noticed within this time. */
const NOTICED = 6 * SECOND

export const ATTEMPT_INVARIANTS = [
  invariant(
    'A request is made only for a row that is stored and claimed by the process that makes it; it says what the row says, and its signature is genuine.',
    function* ({ rows, deliveries }) {
      for (const arrival of deliveries) {
        const { notification_id, event, incident_id, genuine, life } = arrival
        const row = rows.get(notification_id)
        const place = `the request for row ${notification_id} at ${when(arrival)}`
        if (row === undefined || row.made.n > arrival.n) {
          yield `${place} came before the row was stored`
          continue
        }
        if (!row.claims.some((claim) => claim.n < arrival.n && claim.life === life))
          yield `${place} came from process ${life}, which had not claimed it`
        // The end of an outage that quiet hours held from its beginning on tells of all of it.
        const own = event === 'outage' ? 'up' : event
        if (own !== row.record.event || incident_id !== row.record.incident_id)
          yield `${place} says ${event} of incident ${incident_id}`
        if (!genuine) yield `${place} has no genuine signature`
      }
    },
  ),

  invariant(
    'Every attempt of a notification sends the same bytes, and says the same in a digest.',
    function* ({ rows }) {
      for (const { id, arrivals } of rows.values()) {
        const alone = arrivals.filter(({ message }) => message.event !== 'digest')
        if (new Set(alone.map(({ text }) => text)).size > 1) yield `the body of row ${id} changed`
        if (new Set(arrivals.map(({ said }) => said)).size > 1) yield `what row ${id} says changed`
      }
    },
  ),

  invariant(
    'Only the holder of the last claim records the end of an attempt, once.',
    function* ({ rows }) {
      for (const { id, claims, finishes } of rows.values()) {
        const taken = finishes.filter((finish) => finish.taken)
        for (const finish of taken) {
          const last = claims.filter(({ n }) => n < finish.n).at(-1)
          if (last?.record.claims !== finish.end.claim)
            yield `row ${id}: the end of claim ${finish.end.claim} was taken at ${when(finish)}, the last was ${last?.record.claims}`
        }
        if (new Set(taken.map(({ end }) => end.claim)).size < taken.length)
          yield `row ${id}: an attempt was ended twice`
      }
    },
  ),

  invariant(
    'No request sets out so long after its claim that another process may make it as well.',
    function* ({ rows }) {
      for (const { id, claims, arrivals } of rows.values()) {
        for (const arrival of arrivals) {
          const claim = claims.findLast(({ n, life }) => n < arrival.n && life === arrival.life)
          // It takes up to half a second to arrive.
          if (claim !== undefined && arrival.at - claim.at > 16 * SECOND)
            yield `row ${id} arrived at ${when(arrival)}, ${(arrival.at - claim.at) / SECOND} s after its claim`
        }
      }
    },
  ),

  invariant(
    'Nothing is sent before it is due, as the clock on the wall shows it.',
    function* ({ rows }) {
      for (const { id, claims, finishes } of rows.values()) {
        for (const [i, claim] of claims.entries()) {
          // One that takes over was due when the first one claimed it.
          const before = claims[i - 1]
          const takesOver =
            before !== undefined &&
            !finishes.some(({ taken, n }) => taken && n > before.n && n < claim.n)
          const { due_at } = claim.record
          if (!takesOver && due_at > claim.wall)
            yield `row ${id} was claimed at ${when(claim)}, ${due_at - claim.wall} ms early`
        }
      }
    },
  ),

  invariant(
    'At most five attempts are counted, and as many requests are made as were counted or never seen to end.',
    function* ({ rows }) {
      for (const { id, record, arrivals, claims, finishes } of rows.values()) {
        if (record.attempts > 5) yield `row ${id} counts ${record.attempts} attempts`
        const unseen = claims.length - finishes.filter(({ taken }) => taken).length
        if (arrivals.length > 5 + unseen) yield `row ${id} was sent ${arrivals.length} times`
      }
    },
  ),

  invariant(
    'After 5xx, a timeout or a failed connection the pauses are 30, 60, 120 and 240 seconds at least.',
    function* (ledger) {
      for (const { id, finishes, arrivals } of ledger.rows.values()) {
        for (const finish of finishes) {
          const { end, taken } = finish
          if (!taken || end.status !== 'queued' || end.due_at === undefined) continue
          const pause = PAUSES[Math.max(0, end.attempts - 1)] ?? Infinity
          // Nothing was sent.
          if (end.attempt === undefined || NOT_SENT.includes(end.error ?? '')) continue
          if (end.due_at - end.at < pause)
            yield `row ${id}: ${end.due_at - end.at} ms planned after attempt ${end.attempts}`
          const next = arrivals.find(({ n }) => n > finish.n)
          if (next === undefined) continue
          // Its end may have been stored some time later.
          const ended_at = finish.at - (finish.wall - end.at)
          if (jumpedBetween(ledger, ended_at, next.at)) continue
          if (next.at - ended_at < pause)
            yield `row ${id} was sent again ${next.at - ended_at} ms after attempt ${end.attempts}`
        }
      }
    },
  ),

  invariant(
    'An answer of 2xx, 3xx or 4xx is the last: it ends the delivery as sent or failed.',
    function* ({ rows }) {
      for (const row of rows.values()) {
        for (const { end, taken } of row.finishes) {
          const status = end.attempt?.http_status ?? null
          if (!taken || status === null || status >= 500) continue
          const expected = status < 300 ? 'sent' : 'failed'
          if (end.status !== expected) yield `row ${row.id} is ${end.status} after a ${status}`
        }
      }
    },
  ),

  invariant(
    'What the log calls sent did arrive; what arrived is called sent, unless nobody saw the end of that attempt.',
    function* ({ rows }) {
      for (const row of rows.values()) {
        const accepted = row.arrivals.some(isAccepted)
        const status = row.ended?.record.status
        if (status === 'sent' && !accepted) yield `row ${row.id} is sent and never arrived`
        if (status !== 'sent' && accepted && unseen(row) === 0)
          yield `row ${row.id} arrived and is ${status}`
      }
    },
  ),

  invariant(
    'A second delivery has an attempt behind it whose end nobody saw.',
    function* ({ rows }) {
      for (const row of rows.values()) {
        const accepted = row.arrivals.filter(isAccepted).length
        if (accepted > 1 + unseen(row)) yield `row ${row.id} arrived ${accepted} times`
      }
    },
  ),

  invariant(
    'A contact hears of a monitor in the order in which it happened.',
    function* ({ entries }) {
      const lanes = new Map<
        string,
        Map<number, { due_at: number; claims: number; sending: boolean }>
      >()
      for (const entry of entries) {
        if (entry.kind !== 'row' && entry.kind !== 'claim') {
          if (entry.kind === 'moved') for (const lane of lanes.values()) move(lane, entry)
          continue
        }
        const { id, monitor_id, contact_id, due_at, claims, status, finished_at } = entry.record
        if (monitor_id === null) continue
        const key = `${monitor_id}:${contact_id}`
        const lane = lanes.get(key) ?? new Map<number, never>()
        lanes.set(key, lane)
        if (entry.kind === 'claim') {
          for (const [other, row] of lane)
            if (other < id && (row.sending || row.due_at <= entry.wall || row.claims > 0))
              yield `row ${id} overtook row ${other} at ${when(entry)}`
        }
        if (finished_at === null) lane.set(id, { due_at, claims, sending: status === 'sending' })
        else lane.delete(id)
      }
    },
  ),

  invariant(
    'A receiver that answers well is called within two minutes of the due time, or of the end of what was held before it, while a process runs and the store works.',
    function* (ledger) {
      if (ledger.all('jump').length > 0) return
      const start = ledger.entries[0]!.wall - ledger.entries[0]!.at
      const names = new Map(ledger.all('contact').map(({ record }) => [record.id, record.name]))
      const heldUntil = endsOfHeld(ledger)
      for (const { id, made, claims, ended } of ledger.rows.values()) {
        if (names.get(made.record.contact_id)?.startsWith('calm') !== true) continue
        const due = Math.max(made.at, made.record.due_at - start, heldUntil(made))
        const done = Math.min(claims[0]?.at ?? Infinity, ended?.at ?? Infinity)
        for (const { from, to } of ledger.steady) {
          const begin = Math.max(from, due)
          const limit = begin + 120 * SECOND
          if (begin < to && limit < to && done > limit) {
            yield `row ${id} was due at ${when({ at: due })} and called at ${done === Infinity ? 'no time' : when({ at: done })}`
            break
          }
        }
      }
    },
  ),
]

/** When the last of those was final that were held and come before a row. */
function endsOfHeld({ rows }: Ledger): (made: EntryOf<'row'>) => number {
  const held = new Map<string, RowStory[]>()
  const laneOf = ({ monitor_id, contact_id }: EntryOf<'row'>['record']): string =>
    `${monitor_id} ${contact_id}`
  for (const row of rows.values()) {
    if (!row.finishes.some(({ end }) => /^(quiet_hours|grouped)$/.test(end.error ?? ''))) continue
    const lane = held.get(laneOf(row.record))
    if (lane === undefined) held.set(laneOf(row.record), [row])
    else lane.push(row)
  }
  return ({ record }) => {
    const before = (held.get(laneOf(record)) ?? []).filter(({ id }) => id < record.id)
    return Math.max(0, ...before.map(({ ended }) => ended?.at ?? Infinity))
  }
}

function isAccepted({ answer }: EntryOf<'arrival'>): boolean {
  return typeof answer === 'number' && answer < 300
}

function unseen({ claims, finishes }: RowStory): number {
  return claims.length - finishes.filter(({ taken }) => taken).length
}

function move(
  lane: Map<number, { due_at: number; claims: number; sending: boolean }>,
  { set: { by_ms, after, before } }: EntryOf<'moved'>,
): void {
  for (const row of lane.values())
    if (!row.sending && row.due_at > after && row.due_at < before) row.due_at += by_ms
}

function jumpedBetween(ledger: Ledger, from: number, to: number): boolean {
  return ledger.all('jump').some(({ at }) => at >= from - NOTICED && at <= to)
}
