/**
 * Monitors in a file of your repository: reviewed like code, and the same everywhere. Run it, or give it
 * to `watchpost apply`, or to `watchpost serve` as WATCHPOST_MONITORS.
 *
 *   npm run build && node examples/monitors-as-code.mjs
 *   npx watchpost apply examples/monitors-as-code.mjs --dry-run
 */

import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { defineMonitors, describePlan, syncMonitors } from 'watchpost/monitors'
import { memoryStore } from 'watchpost/store/memory'

// It is a program: what is alike is written once.
const shops = ['berlin', 'oslo'].map((city) => ({
  key: `shop/${city}`,
  type: /** @type {const} */ ('http'),
  name: `Shop ${city}`,
  url: `https://${city}.shop.example.com/health`,
  interval_sec: 30,
  depends_on: ['router'],
  tags: ['shop'],
}))

const monitors = defineMonitors([
  ...shops,
  { key: 'router', type: 'ping', host: '192.0.2.1' },
  { key: 'certificate', type: 'ssl', host: 'shop.example.com', days_warn: [30, 7] },
  { key: 'backup', type: 'heartbeat', interval_sec: 86_400, grace_sec: 3600 },
])

export default monitors

if (process.argv[1] === import.meta.filename) {
  const engine = createEngine({ store: memoryStore(), checkers: builtinCheckers() })
  await engine.open()
  console.log('What would be done:')
  for (const line of describePlan(await syncMonitors(engine, monitors, { dryRun: true }))) {
    console.log(`  ${line}`)
  }
  await syncMonitors(engine, monitors)
  // Somebody changes one by hand …
  const [shop] = (await engine.monitors.list({ q: 'berlin' })).items
  await engine.monitors.update(shop?.id ?? 0, { interval_sec: 300 })
  console.log('After a change by hand:')
  for (const line of describePlan(await syncMonitors(engine, monitors))) console.log(`  ${line}`)
  // … and it is put right again.
  const again = await syncMonitors(engine, monitors, { dryRun: true })
  console.log(`Run once more: ${again.unchanged.length} of ${monitors.length} unchanged`)
  await engine.stop()
}
