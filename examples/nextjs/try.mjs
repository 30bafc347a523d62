/**
 * A Next.js app with the API, the status page and the metrics in it: watchpost.js, instrumentation.js, app/ and
 * the two lines of next.config.mjs go into yours. Here the route handlers are called as Next.js calls them, with a `Request`, so that it runs without it.
 *
 *   npm run build && node examples/nextjs/try.mjs
 */

import { GET, POST } from './app/api/v1/[...path]/route.js'
import { GET as heartbeat } from './app/hb/[...path]/route.js'
import { register } from './instrumentation.js'
import { watchpost } from './watchpost.js'

/** @typedef {{ id: number, name: string, state: string, ping_url: string }} Heartbeat */

await register()
const { engine } = await watchpost()
const { key } = await engine.keys.create({ name: 'try' })
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

const made = await POST(
  new Request('http://localhost:3000/api/v1/monitors', {
    method: 'POST',
    headers,
    body: JSON.stringify({ type: 'heartbeat', name: 'Backup', interval_sec: 86_400 }),
  }),
)
const { monitor } = /** @type {{ monitor: Heartbeat }} */ (await made.json())
console.log('made', monitor.name, monitor.state)

const signal = await heartbeat(new Request(monitor.ping_url))
console.log('signal', signal.status)

const read = await GET(
  new Request(`http://localhost:3000/api/v1/monitors/${monitor.id}`, { headers }),
)
const { monitor: now } = /** @type {{ monitor: Heartbeat }} */ (await read.json())
console.log('state', now.state)

await engine.monitors.remove(monitor.id)
await engine.stop()
