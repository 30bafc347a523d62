/**
 * Connections: lent one at a time; discarded together if one of them turns out to lead to an unreachable server.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { cut, loadPg } from './driver.ts'
import type { PgClient, PgLentClient, PgPool } from './driver.ts'
import { DeadlineError } from './explain.ts'
import { guardedClient } from './guarded-client.ts'
import type { Settings } from './options.ts'

export interface Lease {
  readonly client: PgClient
  /** `broken` closes it. `silent` also closes every connection of the same age or older before its next use. */
  end(how: 'well' | 'broken' | 'silent'): void
}

export interface Connections {
  /** Rejects if none is free in time. */
  lease(): Promise<Lease>
  /** Opens a connection outside the pool, for as long as its user needs. */
  dial(): Promise<Lease>
  close(): Promise<void>
}

/** How long a server may take to answer the end of a connection. */
const FAREWELL_MS = 1000

export async function openConnections(settings: Settings): Promise<Connections> {
  if (settings.pool !== undefined) return onPool(settings.pool, settings)
  const pg = await loadPg()
  const Client = guardedClient(pg.Client)
  const config = settings.config ?? {}
  const pool = new pg.Pool({
    Client,
    ...config,
    max: settings.connections,
    idleTimeoutMillis: 30_000,
  })
  const lent = onPool(pool, settings)
  return {
    lease: () => lent.lease(),
    async dial() {
      const client = new Client(config)
      client.on('error', unheard)
      try {
        await client.connect()
      } catch (error) {
        cut(client)
        throw error
      }
      return { client, end: () => void farewell(client, client.end()) }
    },
    async close() {
      await lent.close()
      await farewell(undefined, pool.end())
      lent.cutAll()
    },
  }
}

/** Errors of an idle connection are ignored: its current or next user sees them. */
function unheard(): void {}

function onPool(pool: PgPool, { connectTimeoutMs }: Settings): Connections & { cutAll(): void } {
  const ages = new WeakMap<PgClient, number>()
  const living = new Set<PgClient>()
  let age = 0
  // Attached for the life of the client: errors may also be emitted between two loans or after it was discarded.
  const meet = (client: PgLentClient): void => {
    ages.set(client, age)
    living.add(client)
    client.on('error', unheard)
    client.on('end', () => living.delete(client))
  }
  pool.on('error', unheard)
  pool.on('connect', meet)

  async function lease(): Promise<Lease> {
    for (;;) {
      const client = await inTime(pool.connect(), connectTimeoutMs)
      // A pool of the host may have opened it before the store was created.
      if (!ages.has(client)) meet(client)
      if ((ages.get(client) ?? 0) >= age) return leaseOf(client)
      client.release(true)
      cut(client)
    }
  }

  function leaseOf(client: PgLentClient): Lease {
    const born = ages.get(client) ?? 0
    return {
      client,
      end(how) {
        if (how === 'silent' && born === age) age++
        client.release(how !== 'well')
        if (how === 'silent') cut(client)
      },
    }
  }

  return {
    lease,
    dial: lease,
    close() {
      pool.removeListener('connect', meet)
      return Promise.resolve()
    },
    cutAll: () => living.forEach(cut),
  }
}

/** A pool of the host may wait without limit. */
async function inTime(wanted: Promise<PgLentClient>, limit_ms: number): Promise<PgLentClient> {
  let late = false
  const given = wanted.then((client) => {
    if (late) client.release()
    return client
  })
  return new Promise((resolve, reject) => {
    // Slightly longer than the limit of our own pool, whose error message is more specific.
    const timer = systemClock.timer(limit_ms + 250, () => {
      late = true
      reject(new DeadlineError('No connection was free in time'))
    })
    given.then(resolve, reject).finally(() => timer.cancel())
  })
}

async function farewell(client: PgClient | undefined, ended: Promise<unknown>): Promise<void> {
  const timeout = new AbortController()
  const late = systemClock.sleep(FAREWELL_MS, timeout.signal)
  await Promise.race([ended, late]).catch(() => undefined)
  timeout.abort(new StorageError('The connection has ended'))
  await late.catch(() => undefined)
  if (client !== undefined) cut(client)
}
