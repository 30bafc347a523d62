/** The stores that this machine can run, open and in files of their own. */

import { join } from 'node:path'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { Store } from '../../src/store/store.ts'
import type { Stage } from '../harness/benchmark.ts'

export interface NamedStore {
  readonly name: 'memory' | 'sqlite wasm' | 'node:sqlite'
  readonly make: () => Store
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
