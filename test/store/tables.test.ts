import { describe, expect, it, test } from 'vitest'
import { TABLES, tableStore } from '../../src/store/tables.ts'
import type { TableName, TableQuery, TableRow, Tables } from '../../src/store/tables.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import {
  anotherAccount,
  claim,
  commitOne,
  contact,
  firstAccount,
  monitor,
  notice,
  on,
  queue,
  refused,
  result,
  T0,
} from '../../src/testing/store-suite/case.ts'

type Kept = Record<TableName, Map<number, TableRow>>

interface MapTables extends Tables {
  fail: boolean
  /** `table.column` of each condition, in the order of the questions. */
  asked: string[]
  /** How often rows were looked for. */
  finds: number
  /** `put table` and `remove table`. */
  done: string[]
  /** `open` and `close`. */
  readonly calls: string[]
  rows(name: TableName): TableRow[]
}

/** Only what the types promise is asked: a value that has no place in a query is a mistake. */
function checkQuery({ where, order, limit, ...rest }: TableQuery): void {
  for (const value of Object.values(where))
    if (value !== null && !['string', 'number', 'boolean'].includes(typeof value))
      throw new Error(`a row cannot be found by ${typeof value}`)
  if (!['asc', 'desc'].includes(order)) throw new Error(`there is no order "${order}"`)
  if ('after_id' in rest && typeof rest.after_id !== 'number') throw new Error('behind what?')
  if (!(limit > 0)) throw new Error('nothing is asked for')
}

function checkId(id: number): void {
  if (!Number.isSafeInteger(id) || id < 1) throw new Error(`${id} identifies no row`)
}

/** Tables of a map each; a transaction works on a copy. */
function mapTables(): MapTables {
  const empty = Object.keys(TABLES).map((name) => [name, new Map()])
  let kept = Object.fromEntries(empty) as Kept
  const tables: MapTables = {
    ...{ fail: false, asked: [], finds: 0, done: [], calls: [] },
    rows: (name) => [...kept[name].values()],
    open: async () => void tables.calls.push('open'),
    close: async () => void tables.calls.push('close'),
    async transaction<Result>(work: Parameters<Tables['transaction']>[0]) {
      const copies = Object.entries(kept).map(([name, rows]) => [name, new Map(rows)])
      const own = Object.fromEntries(copies) as Kept
      const result = await work({
        async get(table, id) {
          if ((id as unknown) === null) throw new Error('no row is asked for')
          return own[table].get(id)
        },
        async find(table, query) {
          checkQuery(query)
          tables.finds++
          const { where, order, after_id = order === 'asc' ? 0 : Infinity, limit } = query
          for (const column of Object.keys(where)) tables.asked.push(`${table}.${column}`)
          return [...own[table].values()]
            .filter(({ id }) => (order === 'asc' ? id > after_id : id < after_id))
            .filter((row) => Object.entries(where).every(([name, value]) => row[name] === value))
            .toSorted((a, b) => (order === 'asc' ? a.id - b.id : b.id - a.id))
            .slice(0, limit)
        },
        async put(table, row) {
          checkId(row.id)
          tables.done.push(`put ${table}`)
          own[table].set(row.id, row)
        },
        async remove(table, id) {
          checkId(id)
          tables.done.push(`remove ${table}`)
          own[table].delete(id)
        },
      })
      if (tables.fail) throw new Error('the disk is full')
      kept = own
      return result as Result
    },
  }
  return tables
}

/** An open store with its first account. */
async function opened() {
  const tables = mapTables()
  const store = tableStore(tables)
  await store.open()
  await firstAccount(store)
  return { tables, store }
}

describe('a store of tables', () => {
  const make = async () => tableStore(mapTables())
  const reopen = async (closed: ReturnType<typeof tableStore>) => closed
  for (const { name, run } of storeSuite(make, { reopen })) test(name, run)

  it('leaves nothing half done where a transaction fails', async () => {
    const { tables, store } = await opened()
    const made = await store.monitors.create(monitor())
    tables.fail = true
    const failed = store.commit([on(made, { results: [result()] })])
    await refused(failed)
    await expect(failed).rejects.toThrow('The tables refused: the disk is full')
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
    const { tables, store } = await opened()
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
  it('goes on behind a page without what was on it', async () => {
    const { tables, store } = await opened()
    const made = await store.monitors.create(monitor())
    const results = Array.from({ length: 1500 }, (_, index) => result({ started_at: T0 + index }))
    await commitOne(store, on(made, { results }))
    const count = async (list: () => Promise<readonly { readonly id: number }[]>) => {
      tables.finds = 0
      const [first] = await list()
      return [first?.id, tables.finds]
    }
    const of = { monitor_id: made.id, limit: 10 }
    expect(await count(() => store.results.list({ ...of, after_id: 700 }))).toEqual([699, 1])
    const rising = { ...of, order: 'asc' } as const
    expect(await count(() => store.results.list({ ...rising, after_id: 700 }))).toEqual([701, 1])
    expect((await store.results.list({ ...of, limit: 1001 })).at(-1)?.id).toBe(500)
    expect(await count(() => store.results.list({ ...of, limit: 1000 }))).toEqual([1500, 2])
    await tables.transaction(async ({ put }) => {
      for (let id = 1; id <= 600; id++) {
        const row = {
          id,
          account_id: 1,
          monitor_id: 1,
          resource_id: id % 2,
          started_at: T0,
          at: T0,
        }
        await put('incidents', row)
        await put('audit_log', row)
      }
    })
    // The page before lies in the first 500 rows from the end.
    const query = { account_id: 1, limit: 10, before_id: 60 }
    expect(await count(() => store.incidents.list(query))).toEqual([59, 1])
    expect(await count(() => store.auditLog.list(query))).toEqual([59, 1])
    const one = { account_id: 1, limit: 300, resource_id: 1 } as const
    expect(await count(() => store.auditLog.list(one))).toEqual([599, 1])
  })

  it('reads whole steps once more only where another row may follow', async () => {
    const { tables, store } = await opened()
    await tables.transaction(async ({ put }) => {
      for (let id = 1; id <= 1001; id++) await put('locations', { id, name: `n${id}` })
    })
    const count = async () => {
      tables.finds = 0
      return [(await store.locations.list()).length, tables.finds]
    }
    expect(await count()).toEqual([1001, 3])
    await tables.transaction(({ remove }) => remove('locations', 1001))
    expect(await count()).toEqual([1000, 3])
    await tables.transaction(({ remove }) => remove('locations', 1000))
    expect(await count()).toEqual([999, 2])
  })

  it('opens its tables once, and closes them once', async () => {
    const tables = mapTables()
    expect(() => tableStore(tables, { colour: 1 } as never)).toThrow('tableStore: unknown option')
    expect(() => tableStore(tables, { clock: { now: () => 5 } })).not.toThrow()
    const store = tableStore(tables)
    expect(store.shared).toBe(false)
    const closed = { code: 'storage', message: 'The store is not open' }
    await store.close()
    await expect(store.meta.get('x')).rejects.toMatchObject(closed)
    await store.open()
    expect(tables.calls).toEqual(['open'])
    await store.open()
    await store.close()
    await store.close()
    await expect(store.meta.get('x')).rejects.toMatchObject(closed)
    expect(tables.calls).toEqual(['open', 'close'])
  })

  it('writes what a call changes, and nothing else', async () => {
    const { tables, store } = await opened()
    const made = await store.monitors.create(monitor())
    await commitOne(store, on(made, {}))
    for (const name of ['audit_log', 'availability', 'daily', 'hourly', 'location_states'] as const)
      expect(tables.rows(name)).toEqual([])
    for (let n = 0; n < 3; n++) await queue(store)
    tables.done = []
    expect(await claim(store, { limit: 1 })).toHaveLength(1)
    expect(tables.done).toEqual(['put notifications'])
    expect(tables.rows('attempts')).toEqual([])
  })

  it('says which key is stored already, and which account is missing', async () => {
    const { store } = await opened()
    const times = { created_at: T0, last_used_at: null, revoked_at: null }
    const key = { account_id: 1, name: 'k', prefix: 'p', hash: 'h', scopes: [], ...times }
    await store.keys.create(key)
    await expect(store.keys.create(key)).rejects.toThrow('this key exists already')
    const gone = store.keys.create({ ...key, account_id: 7, hash: 'i' })
    await expect(gone).rejects.toThrow('account')
  })

  it('goes on where an incident is not there', async () => {
    const { store } = await opened()
    const made = await store.monitors.create(monitor())
    const update_incident = { id: 77, ended_at: T0 }
    expect(await commitOne(store, on(made, { update_incident }))).toMatchObject({ incident_id: 77 })
    const row = await queue(store, { incident_id: 77 })
    const alone = await queue(store, { contact_id: 2 })
    await claim(store)
    const end = { claim: 1, status: 'sent', attempts: 1, interruptions: 0, error: null } as const
    const then = { event: 'repeat', due_at: T0, payload: '{}', repeat: 1 }
    for (const { id } of [row, alone])
      expect(await store.notifications.finish({ ...end, id, at: T0, then })).toBe(true)
    expect(await store.notifications.depth()).toBe(0)
  })

  it('takes a notification of no incident for none of another', async () => {
    const { store } = await opened()
    const made = await store.monitors.create(monitor())
    await queue(store)
    const notify = [
      notice({ only_if_notified: true }),
      notice({ only_if_not_notified: true, event: 'up' }),
    ]
    const { notification_ids } = await commitOne(store, on(made, { notify }))
    expect(notification_ids).toHaveLength(1)
    expect(await store.notifications.get(notification_ids[0] ?? 0)).toMatchObject({ event: 'up' })
  })
})

describe('an account among others', () => {
  it('has its own contacts counted, and no others', async () => {
    const { store } = await opened()
    const other = await anotherAccount(store)
    for (let n = 0; n < 3; n++) await store.contacts.create(contact())
    expect(await store.accounts.use(other)).toMatchObject({ contacts: 0 })
    await store.contacts.create(contact({ account_id: other }), { contacts: 1 })
    const second = store.contacts.create(contact({ account_id: other }), { contacts: 1 })
    await refused(second, 'quota')
  })

  it('is removed in steps of as many rows as asked for, and takes nothing of the others', async () => {
    const { tables, store } = await opened()
    const account_id = await anotherAccount(store)
    const end = { claim: 1, status: 'sent', attempts: 1, interruptions: 0, error: null } as const
    const attempt = { at: T0, duration_ms: 1, http_status: 200, error: null, answer: null }
    const send = async (of: number) => {
      const { id } = await queue(store, { account_id: of })
      await claim(store)
      await store.notifications.finish({ ...end, id, at: T0, attempt })
      return id
    }
    const mine = [await send(1), await send(1), await send(1)]
    const made = await store.monitors.create(monitor({ account_id }))
    await commitOne(store, on(made, { results: [result(), result(), result()] }))
    const theirs = [await send(account_id), await send(account_id)]
    await store.contacts.create(contact({ account_id }))
    const steps: number[] = []
    let removal: unknown = 'more'
    for (let step = 0; removal === 'more' && step < 9; step++) {
      tables.done = []
      removal = await store.accounts.remove(account_id, 2)
      const removed = tables.done.filter((each) => each.startsWith('remove'))
      steps.push(removed.filter((each) => each !== 'remove attempts').length)
    }
    // Three results and their monitor, two notifications, the contact, and the account itself.
    expect(steps).toEqual([2, 2, 2, 2])
    expect(await store.notifications.attempts(theirs)).toEqual([])
    expect(await store.notifications.attempts(mine)).toHaveLength(3)
  })
})
