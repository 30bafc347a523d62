/** One message for many: what it has, when it comes, and that it stays the same. */
import { contactsOf, settled, versionsWithin } from '../contacts.ts'
import { digestIn } from '../deliveries.ts'
import type { Delivery, Digest, Item } from '../deliveries.ts'
import type { Ledger, RowStory } from '../ledger.ts'
import { SECOND } from '../time.ts'
import type { EntryOf, Stamp } from '../tape.ts'
import { invariant, when } from './invariant.ts'

type Message = EntryOf<'arrival'>

/** Notifications of one digest. */
const LARGEST = 50

export const DIGEST_INVARIANTS = [
  invariant(
    'A digest has each of its notifications once, several of them, all of one contact and each of another monitor, and is named by the lowest.',
    function* (ledger) {
      for (const { message, digest } of digestsOf(ledger)) {
        const items = digest.notifications
        const ids = items.map(({ notification_id }) => notification_id)
        const place = `the digest ${message.notification_id} at ${when(message)}`
        if (new Set(ids).size < ids.length) yield `${place} has a notification twice`
        if (ids.length < 2 || ids.length > LARGEST) yield `${place} has ${ids.length} notifications`
        if (message.notification_id !== Math.min(...ids)) yield `${place} is named by another`
        const rows = ids.flatMap((id) => ledger.rows.get(id) ?? [])
        if (new Set(rows.map(({ record }) => record.contact_id)).size > 1)
          yield `${place} is of several contacts`
        const monitors = rows.flatMap(({ record }) => record.monitor_id ?? [])
        if (new Set(monitors).size < monitors.length) yield `${place} has a monitor twice`
        if (rows.some(({ record }) => record.event === 'test')) yield `${place} has a test`
      }
    },
  ),

  invariant(
    'The counts of a digest, what began first, and its most frequent cause agree with its notifications.',
    function* (ledger) {
      for (const { message, digest } of digestsOf(ledger)) {
        const { count, events, notifications: items, first, worst } = digest
        const place = `the digest ${message.notification_id} at ${when(message)}`
        if (count !== items.length) yield `${place} counts ${count} of ${items.length}`
        const wrong = items.some(
          ({ event }) => events[event] !== amount(items, ({ event: each }) => each === event),
        )
        const sum = Object.values(events).reduce((a, b) => a + b, 0)
        if (wrong || sum !== items.length) yield `${place} counts ${JSON.stringify(events)}`
        const failing = items.filter(isFailing)
        if ((first === null) !== (failing.length === 0))
          yield `${place} names a first cause or none`
        if ((worst === null) !== (failing.length === 0))
          yield `${place} names a worst cause or none`
        if (first !== null && failing.some((item) => began(item) < first.started_at))
          yield `${place} names ${first.started_at} as the first`
        const isThere = failing.some(
          (item) => began(item) === first?.started_at && item.monitor?.id === first.monitor?.id,
        )
        if (first !== null && !isThere) yield `${place} names a first of which it has none`
        if (worst !== null) yield* wrongWorst(failing, worst, place)
      }
    },
  ),

  invariant(
    'To a contact with a window nothing but tests comes before the end of one; windows lie on one grid, whatever happens to the process, and nothing waits for more than one.',
    function* (ledger) {
      const grids = new Map<string, number>()
      const isSet = ledger.all('jump').length > 0
      for (const row of ledger.rows.values()) {
        for (const finish of row.finishes) {
          const { end } = finish
          if (!isHold(finish) || end.due_at === undefined) continue
          const claim = claimOf(row, finish.n, finish.end.claim)
          const place = `row ${row.id} at ${when(finish)}`
          const windows = windowsOf(ledger, row, claim, finish)
          if (row.record.event === 'test') yield `${place}: a test waits`
          if (!windows.some((ms) => end.due_at! > end.at && end.due_at! <= end.at + ms))
            yield `${place} waits ${end.due_at - end.at} ms`
          const [window] = windows
          if (isSet || window === undefined || windows.length > 1) continue
          const key = `${row.record.contact_id} ${window}`
          const grid = end.due_at % window
          if ((grids.get(key) ?? grid) !== grid) yield `${place} waits for a window off the grid`
          grids.set(key, grid)
        }
        for (const arrival of row.arrivals)
          if (cameTooSoon(ledger, row, arrival))
            yield `row ${row.id} (${arrival.event}) came at ${when(arrival)} without waiting for its window`
      }
    },
  ),

  invariant('Only a contact with a window gets digests.', function* (ledger) {
    for (const { message } of digestsOf(ledger)) {
      const row = ledger.rows.get(message.notification_id)
      const claim = row === undefined ? undefined : claimBefore(row, message)
      if (row === undefined || claim === undefined) continue
      // It may have been known before the contact changed its mind.
      const all = contactsOf(ledger).get(row.record.contact_id)?.versions ?? []
      if (all.every(({ record }) => record.group_window_sec === 0))
        yield `contact ${row.record.contact_id} got a digest at ${when(message)}`
    }
  }),

  invariant(
    'What waited for the end of the same window and is called by one process comes in one message.',
    function* (ledger) {
      for (const [due_at, rows] of waitedTogether(ledger)) {
        const messages = new Set(rows.map(({ arrival }) => arrival.message))
        if (messages.size > 1 && rows.length <= LARGEST)
          yield `rows ${rows.map(({ row }) => row.id).join()} waited until ${new Date(due_at).toISOString()} and came in ${messages.size} messages`
      }
    },
  ),

  invariant(
    'A message that failed is repeated with the same notifications and in the same bytes, none of them alone or in another, unless one of them has ended or nobody saw the end of an attempt.',
    function* (ledger) {
      const messages = messagesOf(ledger)
      for (const [message, rows] of messages) {
        for (const row of rows) {
          const next = row.arrivals.find(({ n }) => n > message.n)?.message
          if (next === undefined || next.text === message.text) continue
          const again = messages.get(next) ?? []
          const all = new Set([...rows, ...again])
          if ([...all].some((each) => hasUnseen(each, next.n))) continue
          const left = rows.filter(({ ended }) => (ended?.n ?? Infinity) > next.n)
          const isSame = left.length === again.length && left.every((each) => again.includes(each))
          if (!isSame || left.length === rows.length)
            yield `row ${row.id} came with ${idsOf(rows)} at ${when(message)} and with ${idsOf(again)} at ${when(next)}`
        }
      }
    },
  ),
]

function* digestsOf(ledger: Ledger): Iterable<{ message: Message; digest: Digest }> {
  for (const message of ledger.all('arrival')) {
    const digest = digestIn(message)
    if (digest !== undefined) yield { message, digest }
  }
}

/** It waits for the end of a window, and nothing was tried. */
function isHold({ taken, end }: EntryOf<'finish'>): boolean {
  return taken && end.error === 'grouped' && end.attempt === undefined
}

function isFailing({ event, incident }: Item): boolean {
  return incident !== null && !['up', 'outage', 'acknowledged'].includes(event)
}

function began({ incident }: Item): string {
  return incident?.started_at ?? ''
}

function amount(items: readonly Item[], test: (item: Item) => boolean): number {
  return items.filter(test).length
}

function* wrongWorst(
  failing: readonly Item[],
  { cause_code, count }: NonNullable<Digest['worst']>,
  place: string,
): Iterable<string> {
  const of = (code: string): number =>
    amount(failing, ({ incident }) => (incident?.cause_code ?? '') === code)
  if (of(cause_code) !== count) yield `${place} counts ${count} of ${cause_code}`
  if (failing.some(({ incident }) => of(incident?.cause_code ?? '') > count))
    yield `${place} names ${cause_code} as the most frequent cause`
}

function claimOf({ claims }: RowStory, n: number, claim: number): Stamp {
  return claims.findLast((each) => each.n < n && each.record.claims === claim)!
}

function claimBefore({ claims }: RowStory, { n, life }: Message) {
  return claims.findLast((claim) => claim.n < n && claim.life === life)
}

function windowsOf(ledger: Ledger, { record }: RowStory, from: Stamp, to: Stamp): number[] {
  const story = contactsOf(ledger).get(record.contact_id)
  if (story === undefined) return []
  const all = versionsWithin(story, from.n, to.n)
  return all.map(({ group_window_sec }) => group_window_sec * SECOND)
}

/** It was neither held nor tried before. */
function cameTooSoon(ledger: Ledger, row: RowStory, arrival: Delivery): boolean {
  const claim = claimBefore(row, arrival)
  if (claim === undefined || row.record.event === 'test') return false
  const contact = settled(ledger, row.record.contact_id, claim, arrival)
  if (contact === undefined || contact.group_window_sec === 0) return false
  const { attempts, interruptions } = claim.record
  const wasHeld = row.finishes.some(
    ({ n, taken, end }) => n < claim.n && taken && /^(grouped|quiet_hours)$/.test(end.error ?? ''),
  )
  return attempts === 0 && interruptions === 0 && !wasHeld
}

function hasUnseen({ claims, finishes }: RowStory, until: number): boolean {
  const isSeen = (claim: number): boolean =>
    finishes.some(({ taken, end }) => taken && end.claim === claim)
  // The last one is the attempt under way.
  const before = claims.filter(({ n }) => n < until).slice(0, -1)
  return before.some(({ record }) => !isSeen(record.claims))
}

function messagesOf({ rows }: Ledger): ReadonlyMap<Message, readonly RowStory[]> {
  const messages = new Map<Message, RowStory[]>()
  for (const row of rows.values())
    for (const { message } of row.arrivals) {
      const known = messages.get(message)
      if (known === undefined) messages.set(message, [row])
      else known.push(row)
    }
  return messages
}

function idsOf(rows: readonly RowStory[]): string {
  return rows.map(({ id }) => id).join('+')
}

interface Waited {
  readonly row: RowStory
  readonly arrival: Delivery
}

/** First requests after the end of a window, by contact and end, where nothing came between. */
function* waitedTogether(ledger: Ledger): Iterable<readonly [number, readonly Waited[]]> {
  const groups = new Map<string, { due_at: number; rows: Waited[] }>()
  for (const row of ledger.rows.values()) {
    for (const held of row.finishes) {
      const { due_at } = held.end
      if (!isHold(held) || due_at === undefined) continue
      const claim = row.claims.find(({ n }) => n > held.n)
      const arrival = row.arrivals.find(({ n }) => n > held.n)
      if (claim === undefined || arrival === undefined || claim.life !== arrival.life) continue
      // It was recorded in time, and everything went its way since.
      if (held.wall > due_at - SECOND || !isSmooth(ledger, row, held, arrival)) continue
      // After the clock was set the same time comes again.
      const sets = ledger.all('jump').filter(({ n }) => n < held.n).length
      const key = `${row.record.contact_id} ${due_at} ${claim.life} ${sets}`
      const group = groups.get(key) ?? { due_at, rows: [] }
      groups.set(key, group)
      group.rows.push({ row, arrival })
    }
  }
  for (const { due_at, rows } of groups.values()) yield [due_at, rows]
}

function isSmooth(ledger: Ledger, row: RowStory, from: Stamp, arrival: Delivery): boolean {
  const since = from.at
  const isWhole = ledger.steady.some(
    ({ life = arrival.life, from: begin, to }) =>
      life === arrival.life && begin <= since && to >= arrival.at,
  )
  return isWhole && settled(ledger, row.record.contact_id, from, arrival) !== undefined
}
