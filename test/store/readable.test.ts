/** Pages of rows where some cannot be read: the others are found, and each damaged one is told. */
import { describe, expect, it } from 'vitest'
import { LAST_MS } from '../../src/model/time.ts'
import { readablePage, unfitColumn, unreadable } from '../../src/store/readable.ts'
import type { ReadablePage, Row } from '../../src/store/readable.ts'

interface Asked {
  readonly ids: readonly number[]
  readonly order?: 'asc' | 'desc'
  readonly limit: number
  readonly after?: number
}

/** What a page has of a table with these ids, of which those in `damaged` cannot be read. */
async function page(damaged: readonly number[], { ids, order = 'asc', limit, after }: Asked) {
  const queries: (readonly [number | undefined, number])[] = []
  const told: string[] = []
  const isBehind = (id: number, from: number | undefined): boolean =>
    from === undefined || (order === 'asc' ? id > from : id < from)
  const options: ReadablePage<number> = {
    ...{ order, limit, after },
    rows(from, most) {
      queries.push([from, most])
      return ids
        .filter((id) => isBehind(id, from))
        .slice(0, most)
        .map((id) => ({ id }))
    },
    read(row) {
      if (damaged.includes(Number(row['id']))) throw unreadable(row, 'details')
      return Number(row['id'])
    },
    onUnreadable: ({ message }) => void told.push(message),
  }
  return { found: await readablePage(options), queries, told }
}

describe('a page', () => {
  it('of rows that can be read takes one query', async () => {
    const { found, queries } = await page([], { ids: [1, 2, 3, 4], limit: 2, after: 1 })
    expect([found, queries]).toEqual([[2, 3], [[1, 2]]])
  })

  it('has as many records as are wanted, behind those that cannot be read', async () => {
    const { found, queries, told } = await page([2, 3], { ids: [1, 2, 3, 4, 5, 6], limit: 3 })
    expect(found).toEqual([1, 4, 5])
    expect(queries).toEqual([
      [undefined, 3],
      [3, 2],
    ])
    expect(told).toEqual(['Unreadable "details" in row 2', 'Unreadable "details" in row 3'])
  })

  it('that is shorter is the last one, and nothing more is asked for', async () => {
    const { found, queries } = await page([2], { ids: [1, 2], limit: 3 })
    expect([found, queries]).toEqual([[1], [[undefined, 3]]])
  })

  it.each<['asc' | 'desc', readonly number[], readonly number[], number]>([
    // Of ids that JavaScript cannot tell from each other the highest come first, and the others behind all of them.
    ['desc', [LAST_MS + 8, LAST_MS + 4, 7, 5], [7, 5], 2],
    ['desc', [LAST_MS + 8, LAST_MS + 4, LAST_MS, 5], [LAST_MS, 5], 2],
    ['asc', [1, LAST_MS + 4, LAST_MS + 8], [1], 1],
    ['desc', [3, -LAST_MS - 4, -LAST_MS - 8], [3], 1],
  ])('in the order %s of the ids %j has %j in %i queries', async (order, ids, expected, times) => {
    const damaged = ids.filter((id) => Math.abs(id) > LAST_MS)
    const { found, queries } = await page(damaged, { ids, order, limit: 2 })
    expect([found, queries.length]).toEqual([expected, times])
  })

  it('goes on behind the last id that can be told', async () => {
    const damaged = [LAST_MS]
    const { found } = await page(damaged, { ids: [LAST_MS, 9], order: 'desc', limit: 1 })
    expect(found).toEqual([9])
  })
})

it('a row is told by its id, or by one near it where the id is not exact', () => {
  const tell = (row: Row) => unreadable(row, 'x').message
  expect(tell({ id: LAST_MS })).toBe(`Unreadable "x" in row ${LAST_MS}`)
  expect(tell({ id: LAST_MS + 2 })).toBe(`Unreadable "x" in row near ${LAST_MS + 2}`)
  expect(tell({ id: -LAST_MS - 2 })).toBe(`Unreadable "x" in row near ${-LAST_MS - 2}`)
  expect(tell({ monitor_id: 4 })).toBe('Unreadable "x" in row 4')
  expect(tell({ id: String(LAST_MS + 2) })).toBe(`Unreadable "x" in row ${LAST_MS + 2}`)
})

it.each<[Row, string | undefined]>([
  [{ id: 1, name: 'x', due_at: null }, undefined],
  [{ load: LAST_MS, at: -LAST_MS }, undefined],
  [{ load: LAST_MS + 2 }, 'load'],
  [{ load: NaN }, 'load'],
  ...['id', 'account_id', 'version', 'revision', 'at', 'finished_at', 'hour', 'ok_ms'].map(
    (column): [Row, string] => [{ [column]: 'x' }, column],
  ),
])('of the row %j the column %s is unfit', (row, column) => {
  expect(unfitColumn(row)).toBe(column)
})
