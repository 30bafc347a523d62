import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tcp } from '../../../src/checkers/tcp.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import type { Serving } from '../rig/serving.ts'
import type { Attack } from './attack.ts'
import { deafSocket, FLOOD_BOUND, underFlood } from './flood.ts'

const KEY = 'a-key-of-the-tenant-of-unread-metrics'
const MONITORS = 6000
const CONNECTIONS = 55
/** Of the bound of reads in a minute, beside those of the connections. */
const FIRST_READS = 4

export const unreadMetrics: Attack = {
  name: 'unread-metrics',
  does: `Asks for the metrics of ${MONITORS} monitors on ${CONNECTIONS} connections, and reads no answer.`,
  bound: FLOOD_BOUND,
  async attempt() {
    const folder = mkdtempSync(join(tmpdir(), 'watchpost-metrics-'))
    const file = join(folder, 'watchpost.db')
    try {
      await fill(file)
      return await underFlood({
        seconds: 12,
        args: ['--data', file],
        async warm(serving) {
          for (let count = 0; count < FIRST_READS; count++) await read(serving)
        },
        async begin(serving) {
          const sockets = await Promise.all(
            Array.from({ length: CONNECTIONS }, () => deafSocket(serving)),
          )
          for (const socket of sockets) socket.write(REQUEST)
          return sockets
        },
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const REQUEST = `GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`

/** A tenant with many monitors that nobody checks. */
async function fill(file: string): Promise<void> {
  const engine = createEngine({ store: sqliteStore({ file }), checkers: [tcp()] })
  try {
    await engine.open()
    const { id } = await engine.accounts.create({ name: 'Tenant' })
    const { keys, monitors } = engine.account(id)
    await keys.create({ key: KEY })
    for (let n = 0; n < MONITORS; n++) {
      const { id: monitor } = await monitors.create({
        ...{ type: 'tcp', name: `${'n'.repeat(150)} ${n}`, host: 'a.example', port: 1 },
      })
      await monitors.pause(monitor)
    }
  } finally {
    await engine.stop()
  }
}

async function read({ port }: Serving): Promise<void> {
  const headers = { Authorization: `Bearer ${KEY}` }
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers })
  const { byteLength } = await answer.arrayBuffer()
  if (answer.status !== 200 || byteLength < 10 ** 7)
    throw new Error(`/metrics took ${answer.status} with ${byteLength} bytes`)
}
