/** Requests of one key whose bodies are all complete at the same moment. */

import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { createRest } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { withCrowd } from '../support/completed-at-once.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { tcpMonitor } from './client.ts'
import { listen } from './hosts.ts'
import { KEY } from './service.ts'

const withMetadata = (metadata: string): string =>
  JSON.stringify(tcpMonitor).replace(/\}$/, `,"metadata":{"x":${metadata}}}`)

/** A key may send 60 in a minute; one body of the lists takes up to 30 ms. */
it.each([
  ['lists of empty objects', 24, `[${`[${Array(1000).fill('{}').join(',')}],`.repeat(84)}0]`, 100],
  ['lists of numbers', 24, `[${`[${Array(1000).fill('0').join(',')}],`.repeat(100)}0]`, 100],
  ['an ordinary monitor', 500, undefined, 50],
])('bodies with %s take short turns', async (_, count, metadata, turn_ms) => {
  const engine = createEngine({ store: memoryStore(), checkers: [tcp()], logger: false })
  await engine.start()
  await engine.keys.create({ key: KEY })
  const rest = createRest(engine, { logger: false, rateLimit: false })
  const { port, close } = await listen(toNodeHandler(rest))
  onTestFinished(async () => {
    await close()
    await engine.stop()
  })
  const body = metadata === undefined ? JSON.stringify(tcpMonitor) : withMetadata(metadata)
  const text = `POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const crowd = { port, count, text }
  const { value, longest_ms } = await leastOf(
    3,
    () => withCrowd(crowd, (complete) => measureTurns(complete)),
    turn_ms,
  )
  expect(new Set(value)).toEqual(new Set([metadata === undefined ? 201 : 422]))
  expect(longest_ms).toBeLessThan(turn_ms)
})
