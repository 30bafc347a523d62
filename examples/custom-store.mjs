/**
 * A store of your own: here one around another, which writes a diary of incidents, a JSON line for each
 * that begins or ends, and passes the suite that every built-in store passes.
 *
 *   npm run build && node examples/custom-store.mjs
 *
 * In the same way: one that replicates, measures, or speaks to a database that watchpost does not know.
 */

import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine } from 'watchpost'
import { tcp } from 'watchpost/checkers/tcp'
import { memoryStore } from 'watchpost/store/memory'
import { storeSuite } from 'watchpost/testing'

/**
 * @param {import('watchpost').Store} store
 * @param {string} file
 * @returns {import('watchpost').Store}
 */
export function withDiary(store, file) {
  return {
    ...store,
    // The one call by which incidents come and go. Several changes at once; each takes effect or does not.
    async commit(changes) {
      const committed = await store.commit(changes)
      let lines = ''
      for (const [index, { at, monitor_id, open_incident, update_incident }] of changes.entries()) {
        const end = committed[index]
        if (end === undefined || !end.ok) continue
        const about = { at: new Date(at).toISOString(), monitor_id, incident_id: end.incident_id }
        if (open_incident !== undefined) {
          lines += `${JSON.stringify({ ...about, begins: open_incident.cause_code })}\n`
        } else if (update_incident?.ended_at !== undefined) {
          lines += `${JSON.stringify({ ...about, ends: update_incident.closed_reason })}\n`
        }
      }
      // Before the promise resolves: the engine announces nothing that is not written.
      if (lines !== '') await appendFile(file, lines)
      return committed
    },
  }
}

const folder = await mkdtemp(join(tmpdir(), 'watchpost-diary-'))
const file = join(folder, 'incidents.jsonl')

// In a test file: for (const { name, run } of …) test(name, run)
const cases = storeSuite(() =>
  Promise.resolve(withDiary(memoryStore(), join(folder, 'suite.jsonl'))),
)
for (const { run } of cases) await run()
console.log(`${cases.length} cases of the suite passed`)

// An outage for the diary: nobody listens on port 1.
const engine = createEngine({ store: withDiary(memoryStore(), file), checkers: [tcp()] })
await engine.start()
const { id } = await engine.monitors.create({
  type: 'tcp',
  name: 'Nobody',
  host: '127.0.0.1',
  port: 1,
  fail_threshold: 1,
})
await engine.monitors.check(id)
await engine.monitors.pause(id)
await engine.stop()
console.log((await readFile(file, 'utf8')).trimEnd())
await rm(folder, { recursive: true })
