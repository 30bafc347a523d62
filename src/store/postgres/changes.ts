/**
 * Broadcasts changes of monitors with NOTIFY, sent within the transaction and received on a separate connection. A
 * lost connection is replaced; listeners then get `null`, since changes may have been missed.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import type { BroadcastTable, Changes } from '../store.ts'
import { numbers } from './bulk.ts'
import type { Session } from './database.ts'
import { cut } from './driver.ts'
import type { PgClient } from './driver.ts'
import type { Connections, Lease } from './pool.ts'

export async function announce(
  session: Session,
  schema: string,
  monitor_ids: readonly number[],
): Promise<void> {
  if (monitor_ids.length === 0) return
  await session.rows('SELECT pg_notify($1, id::text) FROM unnest($2::bigint[]) AS changed (id)', [
    channelOf(schema),
    numbers(monitor_ids),
  ])
}

/** The same for a table as a whole. */
export async function announceTable(
  session: Session,
  schema: string,
  table: BroadcastTable,
): Promise<void> {
  await session.rows('SELECT pg_notify($1, $2)', [channelOf(schema), table])
}

function channelOf(schema: string): string {
  return `${schema}_monitors`
}

/** How often an idle connection is tested with a query. */
const PULSE_MS = 15_000
const PULSE_LIMIT_MS = 5_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000

interface Listener {
  readonly ofMonitor: (monitor_id: number | null) => void
  readonly ofTable: ((table: BroadcastTable) => void) | undefined
}

export interface ChangeBroadcast extends Changes {
  /** Stops all listeners. */
  close(): Promise<void>
}

interface Surroundings {
  readonly schema: string
  readonly connections: () => Connections
}

/** Uses one connection for all listeners, opened with the first and closed with the last. */
export function createChangeBroadcast({ schema, connections }: Surroundings): ChangeBroadcast {
  const listeners = new Set<Listener>()
  let ending: AbortController | undefined
  let running: Promise<void> = Promise.resolve()

  const tell: Required<Listener> = {
    ofMonitor(monitor_id) {
      for (const { ofMonitor } of [...listeners]) ofMonitor(monitor_id)
    },
    ofTable(table) {
      for (const { ofTable } of [...listeners]) ofTable?.(table)
    },
  }

  async function start(): Promise<void> {
    const stop = new AbortController()
    ending = stop
    const ear = await openEar(connections(), schema, tell)
    running = keepListening(ear, stop.signal)
  }

  /** Runs until the signal aborts; never rejects. */
  async function keepListening(first: Ear, signal: AbortSignal): Promise<void> {
    let ear: Ear | undefined = first
    for (let failures = 0; !signal.aborted;) {
      try {
        ear ??= await openEar(connections(), schema, tell)
        if (ear !== first) tell.ofMonitor(null)
        failures = 0
        await ear.lost(signal)
      } catch {
        // The connection is replaced; listeners then learn that changes may be missing.
      }
      ear?.close()
      ear = undefined
      await pause(failures++, signal)
    }
  }

  async function stop(): Promise<void> {
    ending?.abort()
    ending = undefined
    await running
  }

  return {
    async listen(ofMonitor, ofTable) {
      const listener = { ofMonitor, ofTable }
      listeners.add(listener)
      if (listeners.size === 1) {
        try {
          await start()
        } catch (error) {
          listeners.delete(listener)
          throw error
        }
      }
      return async () => {
        if (listeners.delete(listener) && listeners.size === 0) await stop()
      }
    },
    async close() {
      listeners.clear()
      await stop()
    },
  }
}

function isTable(payload: string): payload is BroadcastTable {
  return payload === ('maintenance' satisfies BroadcastTable)
}

interface Ear {
  /** Resolves when the connection is lost, or the signal aborts. */
  lost(signal: AbortSignal): Promise<void>
  close(): void
}

async function openEar(connections: Connections, schema: string, tell: Listener): Promise<Ear> {
  const lease = await connections.dial()
  const { client } = lease
  let gone = false
  let onGone: () => void = () => undefined
  const end = (): void => {
    gone = true
    onGone()
  }
  // Every role that may connect to the database may send others.
  const hear = ({ payload = '' }: { readonly payload?: string }): void => {
    if (/^\d{1,15}$/.test(payload)) tell.ofMonitor(Number(payload))
    else if (isTable(payload)) tell.ofTable?.(payload)
  }
  client.on('end', end)
  client.on('notification', hear)
  try {
    await answered(client, `LISTEN "${channelOf(schema)}"`)
  } catch (error) {
    lease.end('broken')
    cut(client)
    throw error
  }
  return {
    lost: (signal) =>
      new Promise((resolve) => {
        const finish = (): void => {
          signal.removeEventListener('abort', finish)
          pulse.stop()
          resolve()
        }
        const pulse = startPulse(client, finish)
        onGone = finish
        signal.addEventListener('abort', finish, { once: true })
        if (gone || signal.aborted) finish()
      }),
    close: () => hangUp(lease, { end, hear }),
  }
}

function hangUp(
  { client, end: giveBack }: Lease,
  { end, hear }: { end: () => void; hear: (message: { readonly payload?: string }) => void },
): void {
  client.removeListener('end', end)
  client.removeListener('notification', hear)
  // A connection that listens must not return to the pool.
  giveBack('broken')
}

function startPulse(client: PgClient, onLost: () => void): { stop(): void } {
  let stopped = false
  let timer = systemClock.timer(PULSE_MS, beat, { background: true })
  function beat(): void {
    answered(client, 'SELECT 1').then(
      () => {
        if (!stopped) timer = systemClock.timer(PULSE_MS, beat, { background: true })
      },
      () => onLost(),
    )
  }
  return {
    stop() {
      stopped = true
      timer.cancel()
    },
  }
}

function answered(client: PgClient, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.timer(
      PULSE_LIMIT_MS,
      () => reject(new Error('The database did not answer in time')),
      { background: true },
    )
    client
      .query(text)
      .then(() => resolve(), reject)
      .finally(() => timer.cancel())
  })
}

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)
  const ms = longest * (0.5 + systemClock.random() / 2)
  await systemClock.sleep(ms, signal).catch(() => undefined)
}
