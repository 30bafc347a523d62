import { expect, it } from 'vitest'
import { createContactTurns, inTurns } from '../../src/store/contact-turns.ts'

const contacts = (account_id: number, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => ({ account_id, contact_id: first + n }))
const ids = (of: readonly { readonly contact_id: number }[]) => of.map((each) => each.contact_id)

it('few contacts are examined as they are', () => {
  const turns = createContactTurns()
  const few = contacts(1, 1, 500).toReversed()
  expect(turns(few)).toBe(few)
})

it('of many, five hundred are examined at once, and the next claim goes on behind them', () => {
  const turns = createContactTurns()
  const many = contacts(1, 1, 501)
  expect(ids(turns(many))).toEqual(ids(contacts(1, 1, 500)))
  const second = ids(turns(many))
  expect([second.length, second[0], second[1], second.at(-1)]).toEqual([500, 501, 1, 499])
  // What was examined before the last claim is not remembered.
  expect(ids(turns(many)).slice(0, 3)).toEqual([500, 501, 1])
})

it('accounts are examined in turn, each from its lowest contact', () => {
  const many = [...contacts(1, 1, 3), ...contacts(2, 7, 8)].toReversed()
  expect(ids(inTurns(many, new Map()))).toEqual([1, 7, 2, 8, 3])
})

it('of each account those behind the one that was examined last come first', () => {
  const many = [...contacts(1, 1, 4), ...contacts(2, 7, 8)]
  const latest = new Map([[1, 2]])
  expect(ids(inTurns(many, latest))).toEqual([3, 7, 4, 8, 1, 2])
})
