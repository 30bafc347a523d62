/** What waits for one contact is not read to tell what was sent to it, or to another, last. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50

it('lists contacts in a short turn, however much waits for them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-backlog-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = sqliteStore({ file: join(folder, 'data.db') })
  const engine = createEngine({ store, checkers: [heartbeat()], logger: false })
  onTestFinished(() => engine.stop())
  const ids: number[] = []
  for (let n = 0; n < 16; n++) {
    const url = `https://example.com/${n}`
    ids.push((await engine.contacts.create({ kind: 'webhook', name: `w${n}`, url })).id)
  }
  const { id: monitor_id } = await engine.monitors.create({ type: 'heartbeat', name: 'job' })
  let revision = (await store.monitors.get(monitor_id))?.revision ?? 0
  const at = Date.now()
  const payload = JSON.stringify({ event: 'down', monitor: { name: 'n'.repeat(500) } })
  for (let n = 0; n < 10; n++) {
    const notify = Array.from({ length: 1600 }, (_, row) => {
      const contact_id = ids[row % ids.length] ?? 0
      return { contact_id, event: 'down', payload, repeat: 0, due_at: at, incident: null }
    })
    const [committed] = await store.commit([{ monitor_id, revision, at, notify }])
    if (committed?.ok !== true) throw new Error('The backlog could not be stored')
    revision = committed.revision
  }
  const listing = await leastOf(3, () => measureTurns(() => engine.contacts.list()), TURN_MS)
  expect(listing.value).toHaveLength(ids.length)
  expect(listing.longest_ms).toBeLessThan(TURN_MS)
}, 60_000)
