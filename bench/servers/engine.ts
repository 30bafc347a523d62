/**
 * One engine under load, in a process of its own. Takes its settings as one argument of JSON, says
 * `ready`, and stops when nobody listens to it any more.
 */

import { http } from '../../src/checkers/http/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { storeAt } from '../load/places.ts'
import type { Place } from '../load/places.ts'

const place = JSON.parse(process.argv[2] ?? '{}') as Place
const engine = createEngine({
  store: storeAt(place),
  checkers: [http, tcp],
  // All targets are one host here.
  limits: { checks: 128, checksPerHost: 128 },
})
engine.on('error', (error: unknown) => {
  console.error(error)
})
await engine.start()
console.log('ready')
process.stdin.resume().on('end', () => {
  void engine.stop({ drainMs: 0 }).finally(() => process.exit())
})
