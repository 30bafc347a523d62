/**
 * A complete store of your own in one file: tables in memory, and a journal with a JSON line for each transaction.
 *
 *   npm run build && node examples/file-store.mjs
 *
 * `tableStore` derives the rest of `Store` from these tables. Put your database in their place.
 */

import { mkdtemp, open, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine } from 'watchpost'
import { tcp } from 'watchpost/checkers/tcp'
import { TABLES, tableStore } from 'watchpost/store/tables'
import { storeSuite } from 'watchpost/testing'

/** @typedef {import('watchpost/store/tables').TableName} TableName */
/** @typedef {import('watchpost/store/tables').TableRow} TableRow */
/** @typedef {import('watchpost/store/tables').TableTransaction} TableTransaction */
/** @typedef {readonly [table: TableName, id: number, row: TableRow | null]} Entry */

/** @param {string} file */
export function fileStore(file) {
  return tableStore(fileTables(file))
}

/**
 * @param {string} file
 * @returns {import('watchpost/store/tables').Tables}
 */
function fileTables(file) {
  let tables = emptyTables()
  /** @type {import('node:fs/promises').FileHandle | undefined} */
  let journal
  let length = 0

  return {
    async open() {
      tables = emptyTables()
      for (const line of await linesOf(file)) for (const entry of line) apply(tables, entry)
      journal = await compacted(file, tables)
      length = (await journal.stat()).size
    },
    async close() {
      await journal?.close()
    },
    async transaction(work) {
      /** @type {Entry[]} */
      const undo = []
      /** @type {Entry[]} */
      const written = []
      try {
        const result = await work(transactionOn(tables, written, undo))
        if (written.length > 0) {
          const line = Buffer.from(`${JSON.stringify(written)}\n`)
          await journal?.write(line, 0, line.length, length)
          await journal?.datasync()
          length += line.length
        }
        return result
      } catch (error) {
        for (const entry of undo.reverse()) apply(tables, entry)
        // What was written of the line is no part of the journal.
        await journal?.truncate(length).catch(() => undefined)
        throw error
      }
    },
  }
}

/**
 * @param {ReturnType<typeof emptyTables>} tables
 * @param {Entry[]} written
 * @param {Entry[]} undo
 * @returns {TableTransaction}
 */
function transactionOn(tables, written, undo) {
  /** @param {Entry} entry */
  const write = (entry) => {
    const [table, id] = entry
    undo.push([table, id, tables[table].rows.get(id) ?? null])
    written.push(entry)
    apply(tables, entry)
    return Promise.resolve()
  }
  return {
    get: (table, id) => Promise.resolve(tables[table].rows.get(id)),
    find(table, { where, order, after_id, limit }) {
      const { rows, indexes } = tables[table]
      const [column, value] = Object.entries(where)[0] ?? []
      const ids = column === undefined ? rows.keys() : indexes.get(column)?.get(value)
      const found = [...(ids ?? [])].filter(
        (id) => after_id === undefined || (order === 'asc' ? id > after_id : id < after_id),
      )
      const fitting = found
        .sort((a, b) => (order === 'asc' ? a - b : b - a))
        .flatMap((id) => rows.get(id) ?? [])
        .filter((row) => Object.entries(where).every(([name, wanted]) => row[name] === wanted))
      return Promise.resolve(fitting.slice(0, limit))
    },
    put: (table, row) => write([table, row.id, row]),
    remove: (table, id) => write([table, id, null]),
  }
}

/** Of each table the rows by id, and of each column that is searched the ids by value. */
function emptyTables() {
  const entries = Object.entries(TABLES).map(([name, columns]) => {
    /** @type {Map<number, TableRow>} */
    const rows = new Map()
    /** @type {Map<string, Map<unknown, Set<number>>>} */
    const indexes = new Map(columns.map((column) => [column, new Map()]))
    return [name, { rows, indexes }]
  })
  return /** @type {Record<TableName, Table>} */ (Object.fromEntries(entries))
}

/** @typedef {{ rows: Map<number, TableRow>, indexes: Map<string, Map<unknown, Set<number>>> }} Table */

/**
 * @param {Record<TableName, Table>} tables
 * @param {Entry} entry
 */
function apply(tables, [table, id, row]) {
  const { rows, indexes } = tables[table]
  const before = rows.get(id)
  for (const [column, index] of indexes) {
    if (before !== undefined) index.get(before[column])?.delete(id)
    if (row === null) continue
    const ids = index.get(row[column])
    if (ids === undefined) index.set(row[column], new Set([id]))
    else ids.add(id)
  }
  if (row === null) rows.delete(id)
  else rows.set(id, row)
}

/**
 * The transactions of the journal; one that a crash has cut short did not happen.
 *
 * @param {string} file
 * @returns {Promise<Entry[][]>}
 */
async function linesOf(file) {
  const text = await readFile(file, 'utf8').catch((/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/**
 * A journal of the rows that are left, in the place of the one before.
 *
 * @param {string} file
 * @param {Record<TableName, Table>} tables
 */
async function compacted(file, tables) {
  const handle = await open(`${file}.new`, 'w')
  for (const [name, { rows }] of Object.entries(tables))
    for (const [id, row] of rows) await handle.write(`${JSON.stringify([[name, id, row]])}\n`)
  await handle.datasync()
  await rename(`${file}.new`, file)
  return handle
}

const folder = await mkdtemp(join(tmpdir(), 'watchpost-file-store-'))
let files = 0
const make = () => Promise.resolve(fileStore(join(folder, `${++files}.jsonl`)))
const reopen = () => Promise.resolve(fileStore(join(folder, `${files}.jsonl`)))
const cases = storeSuite(make, { reopen })
for (const { run } of cases) await run()
console.log(`${cases.length} cases of the suite passed`)

const engine = createEngine({ store: await make(), checkers: [tcp()] })
await engine.start()
const { id } = await engine.monitors.create({ type: 'tcp', host: '127.0.0.1', port: 1 })
await engine.stop()
const journal = await readFile(join(folder, `${files}.jsonl`), 'utf8')
console.log(`monitor ${id} is stored in ${journal.length} bytes`)
await rm(folder, { recursive: true })
