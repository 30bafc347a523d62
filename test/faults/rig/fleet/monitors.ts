/**
 * Makes the monitors of a fleet over REST, as users do. A key may ask sixty times a minute, so that there
 * are several; those are made through the engine, since REST makes none.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import { createEngine } from '../../../../src/engine/engine.ts'
import { postgresStore } from '../../../../src/store/postgres/index.ts'
import type { Target } from '../farm.ts'

const PER_KEY = 50
const AT_ONCE = 6

export interface MonitorsOptions {
  readonly database_url: string
  /** Where the engines listen; they are asked in turn. */
  readonly urls: readonly string[]
  readonly targets: readonly Target[]
  readonly interval_sec: number
}

/** Ids in the order of the targets. */
export async function createMonitors(options: MonitorsOptions): Promise<number[]> {
  const { database_url, urls, targets, interval_sec } = options
  const keys = await createKeys(database_url, Math.ceil(targets.length / PER_KEY))
  const ids: number[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < targets.length; index = next++) {
      const { type, host, port } = targets[index]!
      const target =
        type === 'http' ? { url: `http://${host}:${port}/` } : { host, port, banner_regex: '^good' }
      const response = await fetch(`${urls[index % urls.length]}/api/v1/monitors`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${keys[Math.floor(index / PER_KEY)]}`,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ type, name: `Target ${index}`, interval_sec, ...target }),
      })
      const answer = await response.text()
      if (response.status !== 201) throw new Error(`${response.status}: ${answer}`)
      ids[index] = (JSON.parse(answer) as { monitor: { id: number } }).monitor.id
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return ids
}

async function createKeys(url: string, count: number): Promise<string[]> {
  const engine = createEngine({ store: postgresStore({ url, connections: 2 }), checkers: [] })
  const keys = Array.from({ length: count }, () => `fleet-${randomBytes(16).toString('hex')}`)
  try {
    for (const key of keys) await engine.keys.create({ name: 'fleet', key })
  } finally {
    await engine.stop()
  }
  return keys
}
