/**
 * Statements, and transactions that take effect once: each has a deadline, and is retried after a lost connection if
 * that is safe.
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
  /** Prepared once per connection; for texts from a small set. `watchpost.` stands for the schema. */
  rows(text: string, params?: readonly Param[]): Promise<readonly Row[]>
  /** The same, planned for these values; for texts that are composed. */
  search(text: string, params?: readonly Param[]): Promise<readonly Row[]>
  /** Returns how many rows were changed. */
  run(text: string, params?: readonly Param[]): Promise<number>
  /** Several statements without parameters. */
  script(text: string): Promise<void>
}

export interface Transaction {
  /**
   * The work has the same effect when it runs twice. Otherwise a token is stored in the table `commits` together with
   * its writes, and looked up if the connection was lost during COMMIT.
   */
  readonly repeatable?: boolean
  /** Default: the deadline of a statement. */
  readonly deadlineMs?: number
}

export interface Database extends Session {
  readonly schema: string
  /** Everything that `work` writes, once, or nothing if it rejects. `work` may run again. */
  transaction<T>(work: (session: Session) => Promise<T>, options?: Transaction): Promise<T>
}

/** The client's deadline is later than the server's by this much, so that the server's error message comes first. */
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

  /** Retries for as long as the error is transient. */
  async function persist<T>(work: () => Promise<T>, isOwed?: () => boolean): Promise<T> {
    let until = systemClock.monotonic() + retryMs
    let owed = isOwed
    for (let tries = 0; ; tries++) {
      try {
        return await work()
      } catch (error) {
        const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
        const pause = longest * (0.5 + systemClock.random() / 2)
        if (closing().aborted || !isPassing(error)) throw error
        if (owed?.() === true) {
          // The time counts from here, once: whether the transaction was committed must be found out, however late it
          // is.
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
      const attemptOnce = (client: PgClient) =>
        inTransaction(client, async () => {
          if (await begin(client, { schema, token })) {
            last = { result: await work(statements.on(client)) }
          }
          // An earlier try has stored the token: that try was committed.
          if (last === undefined)
            throw new StorageError('The commit token of this transaction exists already')
          return last.result
        })
      return persist(() => attempt(attemptOnce, deadlineMs), isOwed)
    },
  }
}

/** A statement that was rejected leaves the connection usable; a transaction has been rolled back. */
function stateAfter(error: unknown): Parameters<Lease['end']>[0] {
  if (isSilence(error)) return 'silent'
  return isLost(error) || error instanceof Unfinished ? 'broken' : 'well'
}

/** A transaction that could not be ended: its connection must be discarded. */
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

/** A read after waiting for a lock must see what is committed by then, whatever the server's default isolation level. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

interface Beginning {
  readonly schema: string
  readonly token: string | undefined
}

/**
 * Begins a transaction and stores its token. If an earlier try of the same work is still open on a lost connection,
 * the INSERT waits for its end. Returns `false` if the earlier try was committed.
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
        (await client.query({ values: params.map(bind), types, ...statement })) as PgResult
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

/** Replaces the schema name `watchpost` in tables and lock names by the configured schema, and `?` by `$1`, `$2`, … */
function inSchema(text: string, schema: string): string {
  let marks = 0
  return text.replaceAll(/\bwatchpost\./g, `"${schema}".`).replaceAll('?', () => `$${++marks}`)
}

/** PostgreSQL does not store NUL in a text. */
function bind(value: Param): Param {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\ufffd')
    : (value ?? null)
}

const NUMBERS = new Set([20, 21, 23, 700, 701])

/**
 * PostgreSQL's numbers as numbers, everything else as text. One that loses precision is no error here, which would be
 * one of all rows of the answer: the row that has it is unreadable.
 */
const types = {
  getTypeParser: (oid: number) => (NUMBERS.has(oid) ? Number : readText),
}

function readText(text: string): string {
  return text
}
