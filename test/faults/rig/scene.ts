/**
 * What every run begins with: targets, a receiver, and the plan of an engine that watches the ones and
 * tells the other.
 *
 * @module
 */

import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import type { JsonObject } from '../../../src/model.ts'
import { startFarm } from './farm.ts'
import type { Farm } from './farm.ts'
import type { EnginePlan } from './plan.ts'
import type { Programs } from './programs.ts'
import { startReceiver } from './receiver.ts'
import type { Receiver } from './receiver.ts'
import type { Database } from './tables.ts'

export interface SceneOptions {
  readonly programs: Programs
  /** An empty folder. */
  readonly folder: string
  readonly targets: { readonly http: number; readonly tcp: number }
  /** PostgreSQL instead of a file in the folder. */
  readonly database?: Database
  /** One contact for each; their ids are 1, 2, … */
  readonly paths: readonly string[]
  /** Fast milliseconds per real one. */
  readonly factor: number
  /** Name of each target. Default: its address. */
  readonly nameOf?: (index: number) => string
  /** More settings of each monitor. */
  readonly settings?: (index: number) => JsonObject
}

export interface Scene {
  readonly farm: Farm
  readonly receiver: Receiver
  readonly plan: EnginePlan
  readonly secret: string
  close(): Promise<void>
}

const SECRET = 'the secret of the fault runs'

export async function setScene(options: SceneOptions): Promise<Scene> {
  const { programs, folder, paths, factor, settings = () => ({}) } = options
  const { nameOf = () => '127.0.0.1' } = options
  const farm = await startFarm(options.targets)
  const receiver = await startReceiver(programs.receiver, join(folder, 'received.jsonl'))
  const plan: EnginePlan = {
    file: join(folder, 'watchpost.db'),
    ...(options.database === undefined ? {} : { database: options.database }),
    pace: { origin: systemClock.now(), factor },
    contacts: paths.map((path) => ({
      kind: 'webhook',
      name: path,
      url: receiver.url(path),
      secret: SECRET,
      all_monitors: true,
    })),
    monitors: farm.targets.map(({ type, port }, index) => ({
      type,
      ...(type === 'http'
        ? { url: `http://${nameOf(index)}:${port}/` }
        : { host: nameOf(index), port, banner_regex: '^good' }),
      interval_sec: 1,
      timeout_ms: 900,
      fail_threshold: 1,
      ...settings(index),
    })),
    limits: { checksPerHost: 8 },
  }
  return {
    farm,
    receiver,
    plan,
    secret: SECRET,
    async close() {
      farm.close()
      await receiver.kill()
    },
  }
}
