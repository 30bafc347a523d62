/** What was held, and is not taken up when its time has come. */
import type { Ledger, RowStory } from '../ledger.ts'
import { SECOND } from '../time.ts'
import type { EntryOf } from '../tape.ts'

/** For what is due at the same time, and for a claim that waits for the next poll. */
const PROMPT = 120 * SECOND

export interface Overdue {
  readonly row: RowStory
  readonly held: EntryOf<'finish'>
  /** Monotonic, when it should have been taken up at the latest. */
  readonly late: number
}

/** Of receivers that answer well, where the clock is never set. */
export function* overdue(ledger: Ledger): Iterable<Overdue> {
  if (ledger.all('jump').length > 0) return
  const start = ledger.entries[0]!.wall - ledger.entries[0]!.at
  const names = new Map(ledger.all('contact').map(({ record }) => [record.id, record.name]))
  for (const row of ledger.rows.values()) {
    if (names.get(row.record.contact_id)?.startsWith('calm') !== true) continue
    for (const held of row.finishes) {
      const { due_at, error } = held.end
      if (!held.taken || due_at === undefined) continue
      if (error !== 'quiet_hours' && error !== 'grouped') continue
      const due = Math.max(held.at, due_at - start)
      const next = row.claims.find(({ n }) => n > held.n)?.at ?? Infinity
      const late = lateIn(ledger, due, Math.min(next, row.ended?.at ?? Infinity))
      if (late !== undefined) yield { row, held, late }
    }
  }
}

function lateIn({ steady }: Ledger, due: number, done: number): number | undefined {
  for (const { from, to } of steady) {
    const begin = Math.max(from, due)
    const limit = begin + PROMPT
    if (begin < to && limit < to && done > limit) return limit
  }
  return undefined
}
