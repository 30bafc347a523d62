/** The overview of an account with thousands of monitors keeps nobody else from having a turn. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createPage } from '../../src/page/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { ORIGIN } from './visit.ts'

const TURN_MS = 50

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-many-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

it.each([
  ['memory', 1000, memoryStore],
  ['SQLite', 5000, sqlite],
])(
  'shows them in short turns, with a store in %s: %i',
  async (_, count, make) => {
    const engine = createEngine({ store: make(), checkers: [tcp()], logger: false })
    onTestFinished(() => engine.stop())
    for (let n = 0; n < count; n++) {
      const name = `Server ${(n * 7919) % count} of shop ${n % 17}`
      const tags = ['prod', `team-${n % 40}`]
      await engine.monitors.create({ type: 'tcp', name, host: `h${n}.test`, port: 443, tags })
    }
    const page = createPage(engine, { authorize: () => ({ account_id: 1 }) })
    const look = async (query: string) => (await page.fetch(new Request(ORIGIN + query))).text()
    for (const query of ['/', '/?q=shop&tag=prod']) {
      const looking = await leastOf(3, () => measureTurns(() => look(query)), TURN_MS)
      expect(looking.value).toContain(`Page 1 of ${count / 25}, ${count / 1000},000 monitors`)
      expect(looking.longest_ms).toBeLessThan(TURN_MS)
    }
  },
  120_000,
)
