/**
 * Fills the disk under a store, makes room again, and prints what happened as JSON.
 * Usage: node full-disk.js <empty directory on a small disk of its own> <driver>
 */

import { rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isWatchpostError } from '../../../src/errors.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import type { SqliteDriverName } from '../../../src/store/sqlite/index.ts'
import { firstAccount, monitor, on, result } from '../../../src/testing/store-suite/case.ts'

const [, , directory = '', driver = ''] = process.argv
const store = sqliteStore({ file: join(directory, 'full.db'), driver: driver as SqliteDriverName })
await store.open()
await firstAccount(store)
const made = await store.monitors.create(monitor())
const big = { filler: 'x'.repeat(3000) }
let { revision } = made
const commit = async () => {
  const results = Array.from({ length: 20 }, () => result({ details: big }))
  const [done] = await store.commit([on({ id: made.id, revision }, { results })])
  if (done?.ok !== true) return 0
  revision = done.revision
  return done.result_ids.length
}
const count = async () => (await store.results.list({ monitor_id: made.id, limit: 1e6 })).length

const ballast = join(directory, 'ballast')
writeFileSync(ballast, Buffer.alloc(2 ** 20))
let acknowledged = 0
const refusals: unknown[] = []
// The disk has 8 MiB: 1000 commits of 60 kB cannot fit.
for (let tries = 0; tries < 1000 && refusals.length < 5; tries++) {
  try {
    acknowledged += await commit()
  } catch (error) {
    refusals.push(error)
  }
}
const readable_while_full = await count()
rmSync(ballast)
const after = await commit()
const found = await count()
await store.close()
await store.open()
const found_after_restart = await count()
await store.close()

writeSync(
  1,
  JSON.stringify({
    codes: refusals.map((error) => (isWatchpostError(error) ? error.code : String(error))),
    message: String((refusals[0] as Error | undefined)?.message),
    acknowledged,
    readable_while_full,
    after,
    found,
    found_after_restart,
  }),
)
