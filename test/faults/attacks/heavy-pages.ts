/**
 * Eight monitors of pages that are dear to read, in the process that serves `/healthz`.
 *
 * @module
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { content } from '../../../src/checkers/content/index.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { createRest } from '../../../src/rest/fetch.ts'
import { toNodeHandler } from '../../../src/rest/node.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { hostilePages } from '../../support/hostile-documents/pages.ts'
import { pageServer } from '../../support/hostile-documents/server.ts'
import { measureTurns } from '../../support/turns.ts'
import { percentile } from '../rig/folder.ts'
import type { Attack, Finding } from './attack.ts'

const TURN_MS = 50
const SECONDS = 25

const PAGES = [
  'json: an object of 400,000 keys',
  'json: a list of two million numbers',
  'json: two million brackets, closed',
  'html: a million references without a semicolon',
  'html: blank lines',
  'html: a letter a line',
  'text: ignore_regex: twenty that match everything',
  'text: ignore_regex: twenty large ones',
]

export const heavyPages: Attack = {
  name: 'heavy-pages',
  does: 'eight content monitors of pages made to be dear, checked without a pause',
  bound: `no turn of the event loop above ${TURN_MS} ms of CPU, every check ends`,
  attempt,
}

async function attempt(): Promise<Finding> {
  const pages = hostilePages.filter(({ name }) => PAGES.includes(name))
  const servers = await Promise.all(pages.map(pageServer))
  const engine = createEngine({ store: memoryStore(), checkers: [content()] })
  await engine.start()
  const server = createServer(toNodeHandler(createRest(engine, { authenticate: () => undefined })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const health = `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`
  try {
    const quiet = await askFor(health, 2)
    const ids: number[] = []
    for (const [at, { name, ignore_regex }] of pages.entries()) {
      const url = `http://127.0.0.1:${servers[at]?.port}/`
      const rules = ignore_regex === undefined ? {} : { ignore_regex }
      const settings = { type: 'content', name, url, ...rules, timeout_ms: 30_000 } as const
      ids.push((await engine.monitors.create(settings)).id)
    }
    let over = false
    let checks = 0
    const checking = ids.map(async (id) => {
      while (!over) {
        await engine.monitors.check(id)
        checks += 1
      }
    })
    const { value: asked, longest_ms } = await measureTurns(() => askFor(health, SECONDS))
    over = true
    await Promise.all(checking)
    const seen =
      `longest turn ${longest_ms.toFixed(0)} ms of CPU; ${checks} checks; /healthz p50 ` +
      `${percentile(asked, 0.5).toFixed(0)}, p99 ${percentile(asked, 0.99).toFixed(0)}, longest ` +
      `${Math.max(...asked).toFixed(0)} ms of ${asked.length} (without them p99 ${percentile(quiet, 0.99).toFixed(0)})`
    return { held: longest_ms <= TURN_MS && checks >= pages.length, seen }
  } finally {
    server.closeAllConnections()
    server.close()
    await engine.stop()
    await Promise.all(servers.map((each) => each.close()))
  }
}

/** Milliseconds of wall time that each answer took. */
async function askFor(url: string, seconds: number): Promise<number[]> {
  const took: number[] = []
  const until = performance.now() + 1000 * seconds
  while (performance.now() < until) {
    const from = performance.now()
    await (await fetch(url)).arrayBuffer()
    took.push(performance.now() - from)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return took
}
