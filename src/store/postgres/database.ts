/**
 * Statements on a connection, and transactions that take effect once: each with a deadline, each tried
 * again where the connection was lost and that is safe.
 *
 * @module
 */

import { createHash, randomUUID } from 'node:crypto'
import { systemClock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import type { Row } from '../rows.ts'
import type { Param } from '../sql.ts'
import type { PgClient, PgResult } from './driver.ts'
import { cut } from './driver.ts'
import { DeadlineError, isLost, isPassing, isSilence } from './explain.ts'
import type { Settings } from './options.ts'
import type { Connections, Lease } from './pool.ts'

export interface Session {
  /** Prepared once per connection; for texts of which there are few. `watchpost.` stands for the schema. */
  rows(text: string, params?: readonly Param[]): Promise<readonly Row[]>
  /** The same, planned anew for these values; for texts that are put together. */
  search(text: string, params?: readonly Param[]): Promise<readonly Row[]>
  /** Returns how many rows were changed. */
  run(text: string, params?: readonly Param[]): Promise<number>
  /** Several statements without parameters. */
  script(text: string): Promise<void>
}

export interface Transaction {
  /**
   * The work has the same effect when it is done twice. Otherwise a note is left with what it writes, and
   * asked for when the connection was lost while it was committed.
   */
  readonly repeatable?: boolean
  /** Default: the deadline of a statement. */
  readonly deadlineMs?: number
}

export interface Database extends Session {
  readonly schema: string
  /** Everything that `work` writes, once, or nothing where it rejects. May be carried out anew. */
  transaction<T>(work: (session: Session) => Promise<T>, options?: Transaction): Promise<T>
}

/** So that the words of the server come first. */
const GRACE_MS = 1000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

export function createDatabase(
  settings: Settings,
  connections: () => Connections,
  closing: () => AbortSignal,
): Database {
  const { schema, retryMs } = settings
  const deadline_ms = settings.statementTimeoutMs + GRACE_MS
  const statements = createStatements(schema)

  async function attempt<T>(
    work: (client: PgClient) => Promise<T>,
    limit_ms = deadline_ms,
  ): Promise<T> {
    const lease = await connections().lease()
    try {
      const result = await within(limit_ms, lease, work(lease.client))
      lease.end('well')
      return result
    } catch (error) {
      lease.end(stateAfter(error))
      throw error instanceof Unfinished ? error.cause : error
    }
  }

  /** Again and again, for as long as it fails by what passes. */
  async function persist<T>(carryOut: () => Promise<T>, isOwed?: () => boolean): Promise<T> {
    let until = systemClock.monotonic() + retryMs
    let owed = isOwed
    for (let tries = 0; ; tries++) {
      try {
        return await carryOut()
      } catch (error) {
        const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
        const pause = longest * (0.5 + systemClock.random() / 2)
        if (closing().aborted || !isPassing(error)) throw error
        if (owed?.() === true) {
          // Counted from here, once: whether it was committed has to be found out, however late it is.
          until = systemClock.monotonic() + Math.max(retryMs, LONGEST_PAUSE_MS)
          owed = undefined
        }
        if (systemClock.monotonic() + pause > until) throw error
        await systemClock.sleep(pause, closing())
      }
    }
  }

  const once = <T>(read: (session: Session) => Promise<T>): Promise<T> =>
    persist(() => attempt((client) => read(statements.on(client))))

  return {
    schema,
    rows: (text, params) => once((session) => session.rows(text, params)),
    search: (text, params) => once((session) => session.search(text, params)),
    run: (text, params) => once((session) => session.run(text, params)),
    script: (text) => once((session) => session.script(text)),
    transaction(work, { repeatable = false, deadlineMs } = {}) {
      const token = repeatable ? undefined : randomUUID()
      let last: { readonly result: Awaited<ReturnType<typeof work>> } | undefined
      const isOwed = () => token !== undefined && last !== undefined
      const carryOut = (client: PgClient) =>
        inTransaction(client, async () => {
          if (await begin(client, { schema, token })) {
            last = { result: await work(statements.on(client)) }
          }
          // The note of an earlier try is there: that try was committed after all.
          if (last === undefined) throw new StorageError('A note is left that is not ours')
          return last.result
        })
      return persist(() => attempt(carryOut, deadlineMs), isOwed)
    },
  }
}

/** A statement that was refused leaves the connection as it was; a transaction has been rolled back. */
function stateAfter(error: unknown): Parameters<Lease['end']>[0] {
  if (isSilence(error)) return 'silent'
  return isLost(error) || error instanceof Unfinished ? 'broken' : 'well'
}

/** A transaction that could not be brought to an end: its connection is of no use. */
class Unfinished extends Error {}

async function inTransaction<T>(client: PgClient, work: () => Promise<T>): Promise<T> {
  let result: T
  try {
    result = await work()
  } catch (error) {
    if (isLost(error)) throw error
    try {
      await client.query('ROLLBACK')
    } catch {
      throw new Unfinished('ROLLBACK failed', { cause: error })
    }
    throw error
  }
  await client.query('COMMIT')
  return result
}

/** What is read after a lock was waited for must be what is there by then, whatever the default of the server. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

interface Beginning {
  readonly schema: string
  readonly token: string | undefined
}

/**
 * Begins, and leaves the note. Where an earlier try of the same work is still open on a connection that we
 * lost, this waits for its end. `false`: the earlier one was committed.
 */
async function begin(client: PgClient, { schema, token }: Beginning): Promise<boolean> {
  if (token === undefined) {
    await client.query(BEGIN)
    return true
  }
  const now = Math.floor(systemClock.now())
  const answers = await client.query(
    `${BEGIN}; INSERT INTO "${schema}".commits (token, at) VALUES ('${token}', ${now}) ON CONFLICT DO NOTHING`,
  )
  const [, noted] = answers as readonly PgResult[]
  return noted?.rowCount === 1
}

async function within<T>(limit_ms: number, lease: Lease, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.timer(limit_ms, () => {
      reject(new DeadlineError('The database did not answer in time'))
      cut(lease.client)
    })
    work.then(resolve, reject).finally(() => timer.cancel())
  })
}

function createStatements(schema: string): { on(client: PgClient): Session } {
  const known = new Map<string, { readonly text: string; readonly name: string }>()
  const named = (text: string) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const own = inSchema(text, schema)
    const made = { text: own, name: `watchpost_${createHash('sha1').update(own).digest('hex')}` }
    known.set(text, made)
    return made
  }
  return {
    on(client) {
      const ask = async (statement: { text: string; name?: string }, params: readonly Param[]) =>
        (await client.query({ ...statement, values: params.map(bind), types })) as PgResult
      return {
        rows: async (text, params = []) => (await ask(named(text), params)).rows,
        search: async (text, params = []) =>
          (await ask({ text: inSchema(text, schema) }, params)).rows,
        run: async (text, params = []) => (await ask(named(text), params)).rowCount ?? 0,
        script: async (text) => void (await client.query(inSchema(text, schema))),
      }
    },
  }
}

/**
 * Every table is named with the schema `watchpost`, which stands for the one that was asked for; names of
 * locks too. `?` becomes `$1`, `$2`, …
 */
function inSchema(text: string, schema: string): string {
  let marks = 0
  return text.replaceAll(/\bwatchpost\./g, `"${schema}".`).replaceAll('?', () => `$${++marks}`)
}

/** PostgreSQL keeps no NUL in a text. */
function bind(value: Param): Param {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\ufffd')
    : (value ?? null)
}

const NUMBERS = new Set([20, 21, 23, 700, 701])

/** Numbers of PostgreSQL as numbers, all else as text. Ids beyond 2^53 would be others than they are. */
const types = {
  getTypeParser: (oid: number) => (NUMBERS.has(oid) ? readNumber : readText),
}

function readNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new StorageError(`The number ${text} is too large`)
  }
  return value
}

function readText(text: string): string {
  return text
}
