import { describe, expect, it, test } from 'vitest'
import { TABLES, tableStore } from '../../src/store/tables.ts'
import type { TableName, TableRow, Tables } from '../../src/store/tables.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import {
  commitOne,
  firstAccount,
  monitor,
  on,
  refused,
  result,
  T0,
} from '../../src/testing/store-suite/case.ts'

type Kept = Record<TableName, Map<number, TableRow>>

/** Tables of a map each; a transaction works on a copy. */
function mapTables(): Tables & { fail: boolean; asked: string[] } {
  const empty = Object.keys(TABLES).map((name) => [name, new Map()])
  let kept = Object.fromEntries(empty) as Kept
  const tables = {
    fail: false,
    asked: [] as string[],
    open: async () => undefined,
    close: async () => undefined,
    async transaction<Result>(work: Parameters<Tables['transaction']>[0]) {
      const copies = Object.entries(kept).map(([name, rows]) => [name, new Map(rows)])
      const own = Object.fromEntries(copies) as Kept
      const result = await work({
        get: async (table, id) => own[table].get(id),
        async find(table, { where, order, after_id = order === 'asc' ? 0 : Infinity, limit }) {
          for (const column of Object.keys(where)) tables.asked.push(`${table}.${column}`)
          return [...own[table].values()]
            .filter(({ id }) => (order === 'asc' ? id > after_id : id < after_id))
            .filter((row) => Object.entries(where).every(([name, value]) => row[name] === value))
            .toSorted((a, b) => (order === 'asc' ? a.id - b.id : b.id - a.id))
            .slice(0, limit)
        },
        put: async (table, row) => void own[table].set(row.id, row),
        remove: async (table, id) => void own[table].delete(id),
      })
      if (tables.fail) throw new Error('the disk is full')
      kept = own
      return result as Result
    },
  }
  return tables
}

describe('a store of tables', () => {
  const make = async () => tableStore(mapTables())
  const reopen = async (closed: ReturnType<typeof tableStore>) => closed
  for (const { name, run } of storeSuite(make, { reopen })) test(name, run)

  it('leaves nothing half done where a transaction fails', async () => {
    const tables = mapTables()
    const store = tableStore(tables)
    await store.open()
    await firstAccount(store)
    const made = await store.monitors.create(monitor())
    tables.fail = true
    await refused(store.commit([on(made, { results: [result()] })]))
    tables.fail = false
    expect(await store.results.list({ monitor_id: made.id, limit: 9 })).toEqual([])
    expect(await commitOne(store, on(made, { results: [result()] }))).toMatchObject({
      revision: 2,
      result_ids: [1],
    })
  })

  it('finds rows by the columns of TABLES only', async () => {
    const tables = mapTables()
    for (const { run } of storeSuite(async () => tableStore(tables)))
      await run().catch(() => undefined)
    const known = Object.entries(TABLES).flatMap(([name, columns]) =>
      columns.map((column) => `${name}.${column}`),
    )
    expect([...new Set(tables.asked)].filter((column) => !known.includes(column))).toEqual([])
    expect(tables.asked.length).toBeGreaterThan(0)
  })

  it('reads no more of a long history than a page takes', async () => {
    const tables = mapTables()
    const store = tableStore(tables)
    await store.open()
    await firstAccount(store)
    const made = await store.monitors.create(monitor())
    const results = Array.from({ length: 1200 }, (_, index) => result({ started_at: T0 + index }))
    await commitOne(store, on(made, { results }))
    tables.asked = []
    const page = await store.results.list({ monitor_id: made.id, limit: 10 })
    expect(page.map(({ id }) => id)).toEqual([
      1200, 1199, 1198, 1197, 1196, 1195, 1194, 1193, 1192, 1191,
    ])
    expect(tables.asked).toEqual(['results.monitor_id'])
  })
})
