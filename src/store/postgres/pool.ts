/**
 * Connections: lent one at a time, given up together once one of them has turned out to lead nowhere.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { cut, loadPg } from './driver.ts'
import type { PgClient, PgLentClient, PgPool } from './driver.ts'
import { DeadlineError } from './explain.ts'
import type { Settings } from './options.ts'

export interface Lease {
  readonly client: PgClient
  /** `broken`: ends it. `silent`: and has every connection that is as old ended before it is used again. */
  end(how: 'well' | 'broken' | 'silent'): void
}

export interface Connections {
  /** Rejects when none is free in time. */
  lease(): Promise<Lease>
  /** A connection for as long as its user likes, beside the others. */
  dial(): Promise<Lease>
  close(): Promise<void>
}

/** How long a server may take to say farewell. */
const FAREWELL_MS = 1000

export async function openConnections(settings: Settings): Promise<Connections> {
  if (settings.pool !== undefined) return onPool(settings.pool, settings)
  const { Pool, Client } = await loadPg()
  const config = settings.config ?? {}
  const pool = new Pool({ ...config, max: settings.connections, idleTimeoutMillis: 30_000 })
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

/** What a connection says at its end is learnt by whoever uses it, or would use it next. */
function unheard(): void {}

function onPool(pool: PgPool, { connectTimeoutMs }: Settings): Connections & { cutAll(): void } {
  const ages = new WeakMap<PgClient, number>()
  const living = new Set<PgClient>()
  let age = 0
  // For as long as the client lives: also between two loans, and after it was given up, it may speak.
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
      // A pool of the host may have made it before we came.
      if (!ages.has(client)) meet(client)
      if ((ages.get(client) ?? 0) >= age) return lend(client)
      client.release(true)
      cut(client)
    }
  }

  function lend(client: PgLentClient): Lease {
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

/** A pool of the host may wait for ever. */
async function inTime(wanted: Promise<PgLentClient>, limit_ms: number): Promise<PgLentClient> {
  let late = false
  const given = wanted.then((client) => {
    if (late) client.release()
    return client
  })
  return new Promise((resolve, reject) => {
    // A little longer than the pool of our own, whose reason is the better one.
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
