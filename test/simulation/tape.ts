/**
 * Everything that took effect, in its order. The invariants read nothing else; two runs with the same
 * tape are the same history.
 */
import { createHash } from 'node:crypto'
import type {
  ContactRecord,
  MaintenanceRecord,
  MonitorRecord,
  NewAuditRecord,
  NotificationRecord,
  Verdict,
} from '../../src/model.ts'
import type { FinishedAttempt, Change, ClockSet, Committed } from '../../src/store/store.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'

export type Note =
  /** A process: its engine runs, is about to stop, has stopped in order, is dead, stands still, goes on. */
  | {
      readonly kind: 'begins' | 'runs' | 'stopping' | 'stops' | 'dies' | 'freezes' | 'thaws'
      readonly life: number
    }
  /** It kept itself busy without time passing. The history ends here. */
  | { readonly kind: 'spins'; readonly life: number }
  /** One of several engines may check its monitors until this time of the wall clock. */
  | { readonly kind: 'lease'; readonly life: number; readonly until: number }
  /** With that lease it has other shards than with the one before: these. */
  | { readonly kind: 'held'; readonly life: number; readonly shards: readonly number[] }
  | { readonly kind: 'jump'; readonly ms: number }
  | {
      readonly kind: 'trouble'
      readonly call: string
      readonly fate: 'kill' | 'fail'
      readonly when: 'before' | 'after'
    }
  /** A call of the store takes so long that another engine may have come between. */
  | { readonly kind: 'late'; readonly call: string; readonly ms: number }
  | {
      readonly kind: 'monitor'
      readonly record: MonitorRecord
      readonly audit: NewAuditRecord | undefined
    }
  | { readonly kind: 'contact'; readonly record: ContactRecord }
  | { readonly kind: 'contact_gone'; readonly id: number }
  /** Planned work of an account was created, changed, or removed (without a record). */
  | {
      readonly kind: 'maintenance'
      readonly life: number
      readonly id: number
      readonly record?: MaintenanceRecord
    }
  | {
      readonly kind: 'commit'
      readonly life: number
      readonly change: Change
      readonly answer: Committed
    }
  /** A row of the outbox as it is now: made, ended, or cancelled. */
  | {
      readonly kind: 'row'
      readonly by: 'commit' | 'create' | 'finish' | 'cancel'
      readonly record: NotificationRecord
    }
  | { readonly kind: 'claim'; readonly life: number; readonly record: NotificationRecord }
  | {
      readonly kind: 'finish'
      readonly life: number
      readonly end: FinishedAttempt
      readonly taken: boolean
    }
  /** What waits was moved with the wall clock. */
  | { readonly kind: 'moved'; readonly set: ClockSet }
  | { readonly kind: 'pruned'; readonly count: number }
  /** A location is asked to look. */
  | {
      readonly kind: 'order'
      readonly life: number
      readonly monitor_id: number
      readonly round: number
      readonly location_id: number
      readonly account_id: number
      readonly host: string
      readonly timeout_ms: number
      /** It waits for a place; else it was lost on the way. */
      readonly queued: boolean
    }
  /** A place was found for an order, which stands at `order` on the tape. */
  | {
      readonly kind: 'begun'
      readonly life: number
      readonly monitor_id: number
      readonly order: number
    }
  /** Orders that wait no longer: the time for them is over, or nobody wants them any more. */
  | { readonly kind: 'dropped'; readonly life: number; readonly orders: readonly number[] }
  /** A probe has looked. */
  | {
      readonly kind: 'look'
      readonly life: number
      readonly order: number
      readonly monitor_id: number
      readonly version: number
      readonly round: number
      readonly location_id: number
      readonly verdict: Verdict
    }
  | {
      readonly kind: 'post'
      readonly what: 'lost' | 'refused' | 'late' | 'twice' | 'stale' | 'lie'
      readonly monitor_id: number
    }
  /** An answer arrived out of turn. */
  | { readonly kind: 'answered'; readonly life: number; readonly monitor_id: number }
  /** A webhook reached its receiver, who will answer so. */
  | {
      readonly kind: 'arrival'
      readonly life: number
      readonly to: string
      readonly notification_id: number
      readonly event: string
      readonly incident_id: number | null
      readonly genuine: boolean
      readonly text: string
      readonly answer: number | string
    }
  /** The engine told its listeners. */
  | {
      readonly kind: 'said'
      readonly life: number
      readonly event: 'down' | 'up' | 'state' | 'notification'
      readonly id: number
    }
  | {
      readonly kind: 'starved'
      readonly life: number
      readonly monitor_id: number
      readonly stale: boolean
    }
  /** What an engine says of its monitors: all of them, those of which nobody knows how they are, and those shown as healthy. */
  | {
      readonly kind: 'shown'
      readonly life: number
      readonly known: readonly number[]
      readonly stale: readonly number[]
      readonly healthy: readonly number[]
    }
  | { readonly kind: 'asked'; readonly what: string; readonly id: number }
  /** The targets of an account hang, and it asks for checks of them. */
  | { readonly kind: 'flood'; readonly account_id: number }
  /** So many monitors an account may have from now on. */
  | { readonly kind: 'quota'; readonly account_id: number; readonly monitors: number }
  /** Users create monitors at the same moment. */
  | { readonly kind: 'rush'; readonly account_id: number }
  | {
      readonly kind: 'signal'
      readonly monitor_id: number
      readonly signal: 'success' | 'start' | 'fail' | 'log'
      readonly heard: boolean
    }
  /** Something failed that a caller or a listener saw. */
  | {
      readonly kind: 'error'
      readonly name: string
      readonly message: string
      readonly stack: string
    }
  | { readonly kind: 'calm' }

export interface Stamp {
  /** Position on the tape. */
  readonly n: number
  /** Monotonic milliseconds. */
  readonly at: number
  /** What the wall clock showed. */
  readonly wall: number
}

export type Entry = Note & Stamp
export type EntryOf<K extends Note['kind']> = Extract<Note, { readonly kind: K }> & Stamp

export interface Tape {
  readonly entries: readonly Entry[]
  /** Returns the position. */
  add(note: Note): number
}

export function createTape(clock: Pick<SimulatedClock, 'now' | 'monotonic'>): Tape {
  const entries: Entry[] = []
  return {
    entries,
    add(note) {
      // Nobody else has the note: a copy of each would be the dearest part of a tape.
      const stamp: Stamp = { n: entries.length, at: clock.monotonic(), wall: clock.now() }
      return entries.push(Object.assign(note, stamp)) - 1
    },
  }
}

/**
 * SHA-256 of everything on the tape but the tokens of heartbeats, which come from no clock and no seed, and the places
 * in files where errors were thrown.
 */
export function digestOf(entries: readonly Entry[]): string {
  const hash = createHash('sha256')
  const seeded = (key: string, value: unknown): unknown =>
    key === 'token' || key === 'token_hash' || key === 'stack' ? null : value
  for (const entry of entries) hash.update(JSON.stringify(entry, seeded)).update('\n')
  return hash.digest('hex')
}
