/**
 * Lists that may read many rows for each one that they find share a part of the connections, accounts in turn: however
 * many of them an account asks for, connections are left for what is written and sent, and for the lists of others.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import { createFairQueue } from '../../fair-queue.ts'
import type { Queued } from '../../fair-queue.ts'
import type { OnUnreadable } from '../readable.ts'
import { accountAsked } from '../rules.ts'
import type { FullStore, MonitorQuery } from '../store.ts'
import type { Database } from './database.ts'
import { DeadlineError } from './explain.ts'
import type { Settings } from './options.ts'

type Lists = Pick<FullStore, 'monitors' | 'results' | 'incidents' | 'auditLog' | 'notifications'>

interface Waiting extends Queued {
  /** It has waited too long. */
  over: boolean
  readonly start: () => void
}

type InTurn = <T>(account_id: number, work: () => Promise<T>) => Promise<T>

/** Less than half of the connections, of which one account has half at most. */
function createTurns({ connections, connectTimeoutMs }: Settings): InTurn {
  const slots = Math.max(1, Math.floor(connections / 2) - 1)
  const queue = createFairQueue<Waiting>({
    slots,
    perHost: Math.max(1, Math.floor(slots / 2)),
    isOver: ({ over }) => over,
  })

  function startNext(): void {
    for (let next = queue.take(); next !== undefined; next = queue.take()) next.start()
  }

  /** @throws DeadlineError where the turn does not come in time */
  function turnOf(account_id: number): Promise<Waiting> {
    return new Promise((resolve, reject) => {
      const late = systemClock.timer(connectTimeoutMs, () => {
        own.over = true
        reject(new DeadlineError('No connection was free in time'))
      })
      const start = (): void => {
        late.cancel()
        resolve(own)
      }
      const own: Waiting = { account_id, host: '', over: false, start }
      queue.add(own)
      startNext()
    })
  }

  return async (account_id, work) => {
    const own = await turnOf(account_id)
    try {
      return await work()
    } finally {
      queue.release(own)
      startNext()
    }
  }
}

type List<Q, R> = (query: Q, onUnreadable?: OnUnreadable) => Promise<readonly R[]>
type Account = number | undefined

interface Surroundings {
  readonly db: Database
  readonly settings: Settings
}

/** The same lists. What an engine asks for by itself, of all accounts or of one incident, waits for no turn. */
export function inTurns(lists: Lists, { db, settings }: Surroundings): Lists {
  const inTurn = createTurns(settings)
  const { monitors, results, incidents, auditLog, notifications } = lists

  /** Waits for a turn where the query is that of an account. */
  function taking<Q, R>(
    list: List<Q, R>,
    accountOf: (query: Q) => Account | Promise<Account>,
  ): List<Q, R> {
    return async (query, onUnreadable) => {
      const account_id = await accountOf(query)
      const read = () => list(query, onUnreadable)
      return account_id === undefined ? read() : inTurn(account_id, read)
    }
  }

  return {
    monitors: {
      ...monitors,
      list: taking(monitors.list, (query) => (isSearch(query) ? accountAsked(query) : undefined)),
    },
    results: {
      list: taking(results.list, ({ monitor_id, verdict, location_id }) =>
        verdict === undefined && location_id === undefined ? undefined : ownerOf(db, monitor_id),
      ),
    },
    incidents: { ...incidents, list: taking(incidents.list, accountAsked) },
    auditLog: { list: taking(auditLog.list, accountAsked) },
    notifications: {
      ...notifications,
      list: taking(notifications.list, (query) =>
        query.incident_id === undefined ? accountAsked(query) : undefined,
      ),
    },
  }
}

/** Groups ask for their members by tag alone. */
function isSearch({ q, metadata, states, types }: MonitorQuery): boolean {
  return [q, metadata, states, types].some((each) => each !== undefined)
}

async function ownerOf(db: Database, monitor_id: number): Promise<Account> {
  const sql = 'SELECT account_id FROM watchpost.monitors WHERE id = ?'
  const [row] = await db.rows(sql, [monitor_id])
  return row && Number(row['account_id'])
}
