/** The stores that this machine can run, each in a place of its own. */

import { join } from 'node:path'
import { memoryStore } from '../../src/store/memory.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { postgresServer, startPostgres } from '../../test/support/servers/postgres.ts'
import type { Stage } from '../harness/benchmark.ts'

export interface NamedStore {
  readonly name: 'memory' | 'sqlite wasm' | 'node:sqlite' | 'postgres'
  readonly make: () => FullStore
}

/** `node:sqlite` is left out where this Node does not have it. */
export function storesOf({ folder }: Pick<Stage, 'folder'>): readonly NamedStore[] {
  let files = 0
  const file = (): string => join(folder, `store-${++files}.db`)
  const builtin = process.getBuiltinModule as ((id: string) => unknown) | undefined
  return [
    { name: 'memory', make: () => memoryStore() },
    { name: 'sqlite wasm', make: () => sqliteStore({ file: file(), driver: 'wasm' }) },
    ...(builtin?.('node:sqlite') === undefined
      ? []
      : [
          {
            name: 'node:sqlite' as const,
            make: () => sqliteStore({ file: file(), driver: 'native' }),
          },
        ]),
  ]
}

/** And PostgreSQL where it is installed: a server of our own, as durable as one is by default. */
export async function withPostgres(stage: Stage): Promise<readonly NamedStore[]> {
  const stores = storesOf(stage)
  if (postgresServer.locate() === undefined) return stores
  const server = await startPostgres({ settings: ['fsync=on'] })
  stage.onEnd(() => server.stop())
  const url = `postgres://postgres@127.0.0.1:${server.ports.postgres}/app`
  let schemas = 0
  const make = () => postgresStore({ url, schema: `bench_${++schemas}` })
  return [...stores, { name: 'postgres', make }]
}
