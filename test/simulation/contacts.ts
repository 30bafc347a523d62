/** Contacts as they were at a time, and whether anything about them or the clock changed within one. */
import type { ContactRecord } from '../../src/model.ts'
import type { Ledger } from './ledger.ts'
import type { Stamp } from './tape.ts'

export interface ContactStory {
  readonly id: number
  /** Each as it was from `n` on. */
  readonly versions: readonly { readonly n: number; readonly record: ContactRecord }[]
}

const known = new WeakMap<Ledger, ReadonlyMap<number, ContactStory>>()

export function contactsOf(ledger: Ledger): ReadonlyMap<number, ContactStory> {
  const found = known.get(ledger)
  if (found !== undefined) return found
  const stories = new Map<
    number,
    { id: number; versions: { n: number; record: ContactRecord }[] }
  >()
  for (const { n, record } of ledger.all('contact')) {
    const story = stories.get(record.id)
    if (story === undefined) stories.set(record.id, { id: record.id, versions: [{ n, record }] })
    else story.versions.push({ n, record })
  }
  known.set(ledger, stories)
  return stories
}

/** All that a contact was between two places of the tape. */
export function versionsWithin(
  { versions }: ContactStory,
  from: number,
  to: number,
): readonly ContactRecord[] {
  return versions
    .filter(({ n }, at) => n < to && (versions[at + 1]?.n ?? Infinity) > from)
    .map(({ record }) => record)
}

/** The contact where it was the same for all that time, and nobody set the clock. */
export function settled(
  ledger: Ledger,
  contact_id: number,
  from: Stamp,
  to: Stamp,
): ContactRecord | undefined {
  const story = contactsOf(ledger).get(contact_id)
  if (story === undefined) return undefined
  const [only, ...others] = versionsWithin(story, from.n, to.n)
  if (only === undefined || others.length > 0) return undefined
  const isSet = ledger.all('jump').some(({ n }) => n > from.n && n < to.n)
  return isSet ? undefined : only
}
