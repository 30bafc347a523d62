/** The tape read once, and sorted: the story of each monitor, incident, and row of the outbox. */
import type {
  CommonSettings,
  MachineState,
  MonitorRecord,
  NotificationRecord,
} from '../../src/model.ts'
import { deliveriesIn } from './deliveries.ts'
import { SECOND } from './time.ts'
import type { Delivery } from './deliveries.ts'
import type { History } from './simulate.ts'
import type { Entry, EntryOf, Stamp } from './tape.ts'

/** What a monitor was at one time. */
export interface Now {
  readonly common: CommonSettings
  readonly machine: MachineState
  readonly version: number
  readonly revision: number
}

/** One change of a monitor that took effect. */
export interface Step extends Stamp {
  readonly life: number
  readonly change: EntryOf<'commit'>['change']
  readonly before: Now
  readonly after: Now
  readonly opened: number | null
  readonly closed: number | null
  readonly row_ids: readonly number[]
}

export interface MonitorStory {
  readonly id: number
  readonly record: MonitorRecord
  readonly push: boolean
  readonly created: Stamp
  readonly steps: Step[]
  removed: Stamp | undefined
}

export interface IncidentStory {
  readonly id: number
  readonly monitor_id: number
  readonly opened: Step
  closed: Step | undefined
  acknowledged: Step | undefined
  readonly rows: RowStory[]
}

export interface RowStory {
  readonly id: number
  /** As it was made, and by what. */
  readonly made: EntryOf<'row'>
  /** As it was seen last. */
  record: NotificationRecord
  readonly claims: EntryOf<'claim'>[]
  readonly finishes: EntryOf<'finish'>[]
  /** By itself, or in a digest. */
  readonly arrivals: Delivery[]
  ended: EntryOf<'row'> | undefined
}

/** A time in which one process ran and nothing kept it from working. */
export interface Stretch {
  readonly life: number
  readonly from: number
  to: number
}

/** A time in which the same processes ran on all machines, and each monitor was one's own. */
export interface Steady {
  /** `undefined`: any of several. */
  readonly life: number | undefined
  readonly from: number
  readonly to: number
}

/** After this a monitor is checked by another process: a lease, its renewal, and what is spread (decisions.md). */
const HANDOVER = 20 * SECOND

export interface Ledger extends History {
  readonly monitors: ReadonlyMap<number, MonitorStory>
  readonly incidents: ReadonlyMap<number, IncidentStory>
  readonly rows: ReadonlyMap<number, RowStory>
  readonly stretches: readonly Stretch[]
  /** Times in which the same processes ran; with one machine, the stretches of its processes. */
  readonly steady: readonly Steady[]
  /** Every notification that arrived, in order; a digest brings several. */
  readonly deliveries: readonly Delivery[]
  /** Every entry of a kind, in order. */
  all<K extends Kind>(kind: K): readonly EntryOf<K>[]
}

type Kind = Entry['kind']

interface Books {
  readonly monitors: Map<number, MonitorStory>
  readonly incidents: Map<number, IncidentStory>
  readonly rows: Map<number, RowStory>
  readonly deliveries: Delivery[]
}

export function ledgerOf(history: History): Ledger {
  const books: Books = {
    ...{ monitors: new Map(), incidents: new Map(), rows: new Map() },
    deliveries: [],
  }
  const kinds = new Map<Kind, Entry[]>()
  for (const entry of history.entries) {
    const list = kinds.get(entry.kind)
    if (list === undefined) kinds.set(entry.kind, [entry])
    else list.push(entry)
    write(books, entry)
  }
  for (const row of books.rows.values()) {
    const { incident_id } = row.record
    if (incident_id !== null) books.incidents.get(incident_id)?.rows.push(row)
  }
  const stretches = stretchesOf(history.entries)
  return {
    ...history,
    ...books,
    stretches,
    steady: history.plan.machines > 1 ? steadyOf(history.entries) : stretches,
    all: <K extends Kind>(kind: K) => (kinds.get(kind) ?? []) as unknown as readonly EntryOf<K>[],
  }
}

function write(books: Books, entry: Entry): void {
  if (entry.kind === 'monitor') writeMonitor(books, entry)
  else if (entry.kind === 'commit') writeStep(books, entry)
  else if (entry.kind === 'row') writeRow(books, entry)
  else if (entry.kind === 'finish') books.rows.get(entry.end.id)?.finishes.push(entry)
  else if (entry.kind === 'arrival') writeArrival(books, entry)
  else if (entry.kind === 'claim') {
    const row = books.rows.get(entry.record.id)
    row?.claims.push(entry)
    if (row !== undefined) row.record = entry.record
  }
}

function writeArrival({ rows, deliveries }: Books, entry: EntryOf<'arrival'>): void {
  for (const delivery of deliveriesIn(entry)) {
    deliveries.push(delivery)
    rows.get(delivery.notification_id)?.arrivals.push(delivery)
  }
}

function writeMonitor({ monitors }: Books, entry: EntryOf<'monitor'>): void {
  const { record } = entry
  const push = record.token_hash !== null
  const rest = { created: entry, steps: [], removed: undefined }
  monitors.set(record.id, { id: record.id, record, push, ...rest })
}

function writeRow({ rows }: Books, entry: EntryOf<'row'>): void {
  const { record } = entry
  const known = rows.get(record.id)
  const ended = record.finished_at === null ? undefined : entry
  if (known === undefined) {
    const lists = { claims: [], finishes: [], arrivals: [] }
    rows.set(record.id, { id: record.id, made: entry, record, ended, ...lists })
    return
  }
  known.record = record
  known.ended ??= ended
}

function writeStep(books: Books, entry: EntryOf<'commit'>): void {
  const { change, answer, n, at, wall, life } = entry
  const story = books.monitors.get(change.monitor_id)
  if (!answer.ok || story === undefined) return
  const before = story.steps.at(-1)?.after ?? story.record
  const opened = change.open_incident === undefined ? null : answer.incident_id
  const update = change.update_incident
  const closed = update?.ended_at === undefined ? null : update.id
  const machine = change.machine ?? before.machine
  const incident =
    machine.incident?.id === 0 ? { ...machine.incident, id: opened ?? 0 } : machine.incident
  const step: Step = {
    ...{ n, at, wall, life, change, before, opened, closed },
    after: {
      common: change.settings?.common ?? before.common,
      machine: { ...machine, incident },
      version: answer.version,
      revision: answer.revision,
    },
    row_ids: answer.notification_ids,
  }
  story.steps.push(step)
  if (change.remove === true) story.removed = entry
  if (opened !== null) {
    const rest = { closed: undefined, acknowledged: undefined, rows: [] }
    books.incidents.set(opened, { id: opened, monitor_id: story.id, opened: step, ...rest })
  }
  if (update === undefined) return
  const incidentStory = books.incidents.get(update.id)
  if (incidentStory === undefined) return
  if (closed !== null) incidentStory.closed ??= step
  if (update.acknowledged_at !== undefined) incidentStory.acknowledged ??= step
}

/** From the time a process runs until it dies, stops, stands still, or the store fails under it. */
function stretchesOf(entries: readonly Entry[]): Stretch[] {
  const stretches: Stretch[] = []
  const open = new Map<number, { from: number }>()
  const end = (life: number, to: number): void => {
    const from = open.get(life)?.from
    open.delete(life)
    if (from !== undefined && to > from) stretches.push({ life, from, to })
  }
  for (const entry of entries) {
    const { at } = entry
    if (entry.kind === 'runs' || entry.kind === 'thaws') open.set(entry.life, { from: at })
    else if (entry.kind === 'dies' || entry.kind === 'freezes' || entry.kind === 'stopping')
      end(entry.life, at)
    else if (entry.kind === 'trouble')
      for (const life of [...open.keys()]) {
        end(life, at)
        open.set(life, { from: at })
      }
  }
  const last = entries.at(-1)?.at ?? 0
  for (const life of [...open.keys()]) end(life, last)
  return stretches
}

/** Begins a handover after anything befell a process, its lease or its store, and ends with the next such event. */
function steadyOf(entries: readonly Entry[]): Steady[] {
  const steady: Steady[] = []
  const running = new Set<number>()
  const leases = new Map<number, number>()
  let since = 0
  const cut = (at: number): void => {
    const from = since + HANDOVER
    if (running.size > 0 && at > from) steady.push({ life: undefined, from, to: at })
    since = Math.max(since, at)
  }
  for (const entry of entries) {
    const { kind, at } = entry
    if (kind === 'runs' || kind === 'thaws') {
      cut(at)
      running.add(entry.life)
    } else if (kind === 'dies' || kind === 'freezes' || kind === 'stopping' || kind === 'stops') {
      cut(at)
      running.delete(entry.life)
    } else if (kind === 'trouble') cut(at)
    else if (kind === 'late') {
      cut(at)
      since = Math.max(since, at + entry.ms)
    } else if (kind === 'lease') {
      const ended_ms = entry.wall - (leases.get(entry.life) ?? Infinity)
      leases.set(entry.life, entry.until)
      if (ended_ms < 0) continue
      cut(at - ended_ms)
      cut(at)
    }
  }
  cut(entries.at(-1)?.at ?? 0)
  return steady
}

/** The step of a monitor that was the last one before `n`. */
export function stateAt({ steps, record }: MonitorStory, n: number): Now {
  let [low, high] = [0, steps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (steps[middle]!.n < n) low = middle + 1
    else high = middle
  }
  return steps[low - 1]?.after ?? record
}

/** What lies within [from, to] of a list in order of time. */
export function between<T extends { readonly at: number }>(
  list: readonly T[],
  from: number,
  to: number,
): T[] {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]!.at < from) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < list.length && list[end]!.at <= to) end++
  return list.slice(low, end)
}
