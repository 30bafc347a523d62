/** Own words that take long to fill in, for many notifications at once. */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { discordContact } from '../../src/contacts/discord.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { queue } from '../../src/testing/store-suite/case.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const CONTACTS = 10
/** As many as a contact may have at a time. */
const EACH = 5

/** Every character has an escape, no two values are alike, and together they are ten times as long as Discord takes. */
const LONG = '*_`<@>&|~'.repeat(500)
const BODY = Array.from(
  { length: 19 },
  (_, n) => `{{facts:${1500 - n}}}{{incident.cause_text:${600 - n}}}`,
)
const PAYLOAD = JSON.stringify({
  event: 'down',
  monitor: { id: 1, name: LONG.slice(0, 200), type: 'http', target: LONG.slice(0, 2000) },
  incident: {
    started_at: '2026-11-26T00:00:00.000Z',
    cause_code: 'timeout',
    cause_text: LONG.slice(0, 1000),
  },
})

it('are filled in by short turns', async () => {
  const least = await leastOf(
    3,
    async () => {
      const store = memoryStore()
      const kind = discordContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })
      const engine = createEngine({ store, checkers: [], contacts: [kind], logger: false })
      for (let n = 0; n < CONTACTS; n++) {
        const { id } = await engine.contacts.create({
          ...{ kind: 'discord', name: 'Duty', url: `https://127.0.0.1:9/${n}` },
          template: { title: BODY.join(''), body: BODY.join('') },
        } as never)
        for (let row = 0; row < EACH; row++)
          await queue(store, { contact_id: id, event: 'down', payload: PAYLOAD, due_at: 0 })
      }
      const areTried = async (): Promise<boolean> => {
        const rows = await store.notifications.list({ account_id: 1, limit: 999 })
        return rows.every(({ attempts }) => attempts > 0)
      }
      const measured = await measureTurns(async () => {
        await engine.start()
        while (!(await areTried())) await sleep(20)
      })
      await engine.stop({ drainMs: 0 })
      return measured
    },
    TURN_MS,
  )
  expect(least.longest_ms).toBeLessThan(TURN_MS)
})
