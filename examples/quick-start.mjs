/**
 * An outage in a second: a site goes up, down, and up again, and the engine tells.
 *
 *   npm run build && node examples/quick-start.mjs
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import { createEngine } from 'watchpost'
import { http } from 'watchpost/checkers/http'
import { memoryStore } from 'watchpost/store/memory'

const engine = createEngine({ store: memoryStore(), checkers: [http()] })
engine.on('state', ({ monitor, from, to }) => console.log(`${monitor.name}: ${from} → ${to}`))
engine.on('down', ({ incident }) => console.log(`  because ${incident.cause_text}`))
engine.on('up', ({ incident }) => console.log(`  after ${incident.duration_sec} s`))
await engine.start()

// A site to watch.
const site = createServer((_req, res) => res.end('welcome'))
const port = await open(0)
const { id } = await engine.monitors.create({
  type: 'http',
  name: 'Shop',
  url: `http://127.0.0.1:${port}/`,
  interval_sec: 60,
  fail_threshold: 1,
})

// It is checked every minute by itself; here we do not want to wait that long.
await engine.monitors.check(id)
await close()
await engine.monitors.check(id)
await open(port)
await engine.monitors.check(id)
await close()

const { items } = await engine.results.list(id, { order: 'asc' })
for (const { verdict, cause_code, duration_ms } of items) {
  console.log(`${verdict} ${cause_code ?? ''} ${duration_ms} ms`)
}
await engine.stop()

/** @param {number} wanted */
async function open(wanted) {
  site.listen(wanted, '127.0.0.1')
  await once(site, 'listening')
  const address = site.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

async function close() {
  const closed = once(site, 'close')
  site.close().closeAllConnections()
  await closed
}
