/**
 * An engine that checks the same server by gRPC and by HTTP/2 without a pause, in a process that answers `/healthz`.
 * Tells its port first, and how many checks of each type have ended when asked.
 * Usage: node http2-checking.mjs '<Http2Checking>'
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { grpc } from '../../../src/checkers/extra/grpc/index.ts'
import { http } from '../../../src/checkers/http/index.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { createRest } from '../../../src/rest/fetch.ts'
import { toNodeHandler } from '../../../src/rest/node.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import type { Http2Checking } from './http2-checking.ts'

const { port, monitors, types } = JSON.parse(process.argv[2] ?? '{}') as Http2Checking

const engine = createEngine({
  store: memoryStore(),
  checkers: [grpc(), http()],
  limits: { checksPerHost: 2 * monitors },
})
await engine.start()
const server = createServer(toNodeHandler(createRest(engine, { authenticate: () => undefined })))
server.listen(0, '127.0.0.1')
await once(server, 'listening')

const ended = { grpc: 0, http: 0 }

async function checkWithoutPause(type: 'grpc' | 'http', nth: number): Promise<void> {
  const target =
    type === 'grpc'
      ? { host: '127.0.0.1', port }
      : { url: `http://127.0.0.1:${port}/`, http_version: '2' }
  const settings = { type, name: `${type} ${nth}`, ...target, timeout_ms: 2000 }
  const { id } = await engine.monitors.create(settings as never)
  for (;;) {
    await engine.monitors.check(id)
    ended[type] += 1
  }
}

process.on('message', () => process.send?.(ended))
// Whoever started it is gone.
process.on('disconnect', () => process.exit(0))
process.send?.({ port: (server.address() as AddressInfo).port })
for (const type of types) {
  for (let nth = 1; nth <= monitors; nth++) void checkWithoutPause(type, nth)
}
