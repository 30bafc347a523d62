/**
 * A fleet in one process: two engines that share PostgreSQL, and a probe that makes the checks of the
 * location `fra`, ordered over Redis. In life each of the three is a process on a machine of its own.
 *
 *   npm run build && npm install bullmq ioredis
 *   DATABASE_URL=postgres://… REDIS_URL=redis://127.0.0.1:6379 node examples/fleet.mjs
 *
 * The same without code: `watchpost serve` twice and `watchpost probe --location fra`.
 */

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { bullmqProbes, createProbe } from 'watchpost/probes/bullmq'
import { postgresStore } from 'watchpost/store/postgres'

const { DATABASE_URL: url, REDIS_URL: connection } = process.env
if (url === undefined || connection === undefined) {
  throw new Error('DATABASE_URL and REDIS_URL are needed')
}
// One key for all of them: it seals the secrets of monitors in the database and on Redis.
const secretKey = process.env['WATCHPOST_SECRET_KEY'] ?? randomBytes(32).toString('base64')

const checkers = builtinCheckers()
const probe = createProbe({ location: 'fra', connection, secretKey, checkers })
await probe.start()

const engines = [1, 2].map(() =>
  createEngine({
    store: postgresStore({ url, schema: 'watchpost_fleet', connections: 4 }),
    checkers,
    locations: ['fra'],
    secretKey,
    probes: bullmqProbes({ connection, secretKey }),
  }),
)
for (const engine of engines) await engine.start()
const [first, second] = engines
if (first === undefined || second === undefined) throw new Error('there are two')

// A site to watch; the password is sealed on its way to the probe.
const site = createServer((req, res) => {
  res.statusCode = req.headers.authorization === undefined ? 401 : 200
  res.setHeader('connection', 'close').end()
})
await new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(undefined)))
const address = site.address()
const port = typeof address === 'object' ? address?.port : 0

const { id } = await first.monitors.create({
  type: 'http',
  name: 'Shop',
  url: `http://127.0.0.1:${port}/`,
  auth: { user: 'monitor', pass: 'a secret' },
})
for (const [name, engine] of Object.entries({ first, second })) {
  const { monitor, results } = await engine.monitors.check(id)
  console.log(
    `asked of the ${name} engine: ${monitor.state}, from location ${results[0]?.location_id}`,
  )
}

await first.monitors.remove(id)
for (const engine of engines) await engine.stop()
await probe.stop()
site.close()
