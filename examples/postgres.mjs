/**
 * PostgreSQL as the store, which two engines share: each monitor is checked by one of them, and when that
 * one is gone, by the other.
 *
 *   npm run build && DATABASE_URL=postgres://user:password@127.0.0.1:5432/db node examples/postgres.mjs
 *
 * It makes a schema of its own, `watchpost_example`, and leaves it there.
 */

import { createServer } from 'node:http'
import { createEngine } from 'watchpost'
import { http } from 'watchpost/checkers/http'
import { postgresStore } from 'watchpost/store/postgres'

const url = process.env['DATABASE_URL'] ?? ''
if (url === '') throw new Error('DATABASE_URL is missing: postgres://user:password@host/db')

/** @param {string} name */
async function engineNamed(name) {
  const engine = createEngine({
    store: postgresStore({ url, schema: 'watchpost_example', connections: 4 }),
    checkers: [http()],
  })
  engine.on('down', ({ monitor }) => console.log(`${name} tells: ${monitor.name} is down`))
  await engine.start()
  return engine
}

const [first, second] = [await engineNamed('first'), await engineNamed('second')]

// A site to watch.
const site = createServer((_req, res) => res.setHeader('connection', 'close').end('welcome'))
await new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(undefined)))
const address = site.address()
const port = typeof address === 'object' ? address?.port : 0

const { id } = await first.monitors.create({
  type: 'http',
  name: 'Shop',
  url: `http://127.0.0.1:${port}/`,
  fail_threshold: 1,
})
// Whoever is asked has it checked by whoever has the monitor.
const { monitor } = await second.monitors.check(id)
console.log('asked of the second engine:', monitor.state)

await first.stop()
site.closeAllConnections()
await new Promise((resolve) => site.close(resolve))
const { monitor: later } = await second.monitors.check(id)
console.log('without the first engine:', later.state)
await second.monitors.remove(id)
await second.stop()
