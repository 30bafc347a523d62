/** Quiet hours that take long to compute, of many notifications that are claimed at once. */

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { queue } from '../../src/testing/store-suite/case.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { RECORDER } from './recorder-kind.ts'

/** A Tuesday, after the only minute of the week that is not quiet. */
const NOW = Date.UTC(2026, 10, 24, 0, 0, 30)
const TURN_MS = 50
const CONTACTS = 10
const EACH = 20

/** Thirteen spans of each day, one behind the other, and the last minute of all days but Monday. */
function longest() {
  const at = (minute: number): string =>
    [Math.floor(minute / 60), minute % 60].map((part) => `${part}`.padStart(2, '0')).join(':')
  const spans = Array.from({ length: 13 }, (_, n) => ({
    from: at(n * 110),
    to: at(n === 12 ? 1439 : (n + 1) * 110),
  }))
  const weekdays = ['tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
  return [...spans, { from: '23:59', to: '24:00', weekdays: [...weekdays] }]
}

it('are computed in short turns', async () => {
  const least = await leastOf(
    3,
    async () => {
      const store = memoryStore()
      const kind = defineContactKind({
        ...RECORDER,
        deliver: () => Promise.reject(new Error('It is quiet')),
      })
      const clock = { ...systemClock, now: () => NOW }
      const engine = createEngine({ store, checkers: [], contacts: [kind], clock, logger: false })
      for (let n = 0; n < CONTACTS; n++) {
        const quiet = { time_zone: 'Africa/Casablanca', hours: longest() }
        const input = { kind: 'recorder', name: 'Duty', to: 'x', quiet } as const
        const { id } = await engine.contacts.create(input)
        for (let row = 0; row < EACH; row++)
          await queue(store, { contact_id: id, event: 'down', due_at: NOW, created_at: NOW })
      }
      const waits = async (): Promise<boolean> => {
        const rows = await store.notifications.list({ account_id: 1, limit: 999 })
        return rows.every(({ error }) => error === 'quiet_hours')
      }
      const measured = await measureTurns(async () => {
        await engine.start()
        while (!(await waits())) await sleep(20)
      })
      await engine.stop()
      return measured
    },
    TURN_MS,
  )
  expect(least.longest_ms).toBeLessThan(TURN_MS)
})
