/** Forms of one session that are all complete at the same moment. */

import { expect, it, onTestFinished } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createPage } from '../../src/page/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { listen } from '../rest/hosts.ts'
import { withCrowd } from '../support/completed-at-once.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { KEY } from './visit.ts'

/** A session may send as many in a minute. */
const FORMS = 60
const TURN_MS = 50

const shop = { type: 'http', 'f.name': 'Shop', 'f.url': 'https://shop.example/' }

async function signedIn(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/sign-in`, {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams({ key: KEY }),
    redirect: 'manual',
  })
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

// A form that is refused is shown again, with all that was typed.
it.each<[string, number, Readonly<Record<string, string>>]>([
  ['80,000 characters of HTML', 422, { ...shop, 'f.body': '<'.repeat(80_000) }],
  ['an address of 250,000 characters', 422, { ...shop, 'f.url': `https://${'a'.repeat(250_000)}` }],
  ['80,000 empty lines', 303, { ...shop, 'f.headers': '\n'.repeat(80_000) }],
  ['an ordinary monitor', 303, shop],
])('forms with %s take short turns', async (_, status, fields) => {
  const engine = createEngine({ store: memoryStore(), checkers: [http()], logger: false })
  await engine.start()
  await engine.keys.create({ key: KEY })
  const rateLimit = { requests: 10_000, accountRequests: 10_000 }
  const page = createPage(engine, { logger: false, secureCookies: false, rateLimit })
  const { port, close } = await listen(toNodeHandler(page))
  onTestFinished(async () => {
    await close()
    await engine.stop()
  })
  const body = new URLSearchParams(fields).toString()
  const text = `POST /monitors/new HTTP/1.1\r\nHost: a\r\nCookie: ${await signedIn(port)}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const crowd = { port, count: FORMS, text }
  const { value, longest_ms } = await leastOf(
    3,
    () => withCrowd(crowd, (complete) => measureTurns(complete)),
    TURN_MS,
  )
  expect(new Set(value)).toEqual(new Set([status]))
  expect(longest_ms).toBeLessThan(TURN_MS)
})
