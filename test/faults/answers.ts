/**
 * F16: a receiver scripted through every answer and failure, with kills of the engine in the pauses; prints
 * how often each was asked and how late (G7). Options: --factor 10 (1 is the real clock, and takes eight minutes).
 *
 * @module
 */

import { parseArgs } from 'node:util'
import { systemClock } from '../../src/clock.ts'
import { startEngine } from './rig/engine.ts'
import { inFolder } from './rig/folder.ts'
import { queryFile } from './rig/tables.ts'
import { buildPrograms } from './rig/programs.ts'
import type { Answer, Entry } from './rig/receiver.ts'
import { setScene } from './rig/scene.ts'

const { values } = parseArgs({ options: { factor: { type: 'string', default: '10' } } })
const factor = Number(values.factor)

/** The table of docs/reference/webhook.md: what is answered, and how many attempts follow. */
const ANSWERS: Readonly<Record<string, readonly [answer: Answer, attempts: number]>> = {
  '/200': [{ status: 200 }, 1],
  '/204': [{ status: 204 }, 1],
  '/301': [{ status: 301, headers: { Location: '/200' } }, 1],
  '/400': [{ status: 400 }, 1],
  '/408': [{ status: 408 }, 1],
  '/410': [{ status: 410 }, 1],
  '/429': [{ status: 429 }, 1],
  '/500': [{ status: 500 }, 5],
  '/502': [{ status: 502 }, 5],
  '/503': [{ status: 503 }, 5],
  '/hang': [{ do: 'hang' }, 5],
  '/reset': [{ do: 'reset' }, 5],
  '/close': [{ do: 'close' }, 5],
  '/garbage': [{ do: 'garbage' }, 5],
}
const PAUSES_MS = [30_000, 60_000, 120_000, 240_000]
/** All pauses with their tenth, five deadlines and two that were cut off, and time to see that nothing follows. */
const TOTAL_MS = 450_000 * 1.1 + 7 * 10_000 + 60_000

const programs = await buildPrograms()
await inFolder('answers', async (folder) => {
  const paths = Object.keys(ANSWERS)
  const targets = { http: 1, tcp: 0 }
  const scene = await setScene({ programs, folder, targets, paths, factor })
  for (const [path, [answer]] of Object.entries(ANSWERS))
    await scene.receiver.script(path, [], answer)
  let engine = startEngine(programs.engine, scene.plan)
  await engine.hears('ready')
  scene.farm.setAll(false)
  const until = systemClock.monotonic() + TOTAL_MS / factor
  // In the middle of the second and of the fourth pause.
  for (const killed_at_ms of [80_000, 330_000]) {
    await systemClock.sleep(killed_at_ms / factor - (TOTAL_MS / factor - left(until)))
    engine.signal('SIGKILL')
    await engine.ended
    engine = startEngine(programs.engine, scene.plan)
    await engine.hears('ready')
  }
  await systemClock.sleep(left(until))
  engine.tell({ do: 'stop' })
  await engine.ended
  const rows = await tableOf(scene.plan.file, scene.receiver.entries())
  console.table(rows)
  await scene.close()
  return rows.every(({ as_it_should }) => as_it_should)
})
programs.remove()

function left(until: number): number {
  return Math.max(0, until - systemClock.monotonic())
}

/** Pauses as the engine's log has them, from the end of an attempt to the next. */
async function tableOf(file: string, entries: readonly Entry[]) {
  const attempts = await queryFile(file, (all) =>
    all(`SELECT c.name AS path, a.at, a.duration_ms, a.error, n.status FROM attempts a
      JOIN notifications n ON n.id = a.notification_id JOIN contacts c ON c.id = n.contact_id
      WHERE n.event = 'down' ORDER BY a.notification_id, a.claim`),
  )
  return Object.entries(ANSWERS).map(([path, [, expected]]) => {
    const own = attempts.filter((row) => row['path'] === path)
    const counted = own.filter(({ error }) => error !== 'interrupted')
    const pauses = counted.slice(1).map((row, i) => {
      const before = counted[i]!
      return Number(row['at']) - Number(before['at']) - Number(before['duration_ms'])
    })
    const early = pauses.some((pause, i) => pause < PAUSES_MS[i]! - 1)
    const late_ms = Math.max(0, ...pauses.map((pause, i) => pause - PAUSES_MS[i]! * 1.1))
    const requests = entries.filter((entry) => entry.path === path).length
    const unseen = own.length - counted.length
    return {
      path,
      attempts: counted.length,
      requests,
      status: own[0]?.['status'],
      error: counted.at(-1)?.['error'],
      pauses_s: pauses.map((pause) => (pause / 1000).toFixed(1)).join(' '),
      /** G7 allows a second. */
      beyond_a_tenth_ms: Math.round(late_ms),
      as_it_should: counted.length === expected && requests <= expected + unseen && !early,
    }
  })
}
