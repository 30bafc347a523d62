import { servedSite, signedIn } from '../rig/site.ts'
import type { ServedSite } from '../rig/site.ts'
import type { Attack } from './attack.ts'

const WRONG = 200
const WRONG_KEY = 'a-key-that-is-not-there'

export const wrongKeys: Attack = {
  name: 'wrong-keys',
  does: `sends ${WRONG} wrong keys to sign-in, REST and /metrics each, from behind the proxy that everybody shares`,
  bound: 'the right key is let in by each door, with a trusted proxy and without one',
  async attempt() {
    const seen: string[] = []
    let held = true
    for (const trust of [undefined, 'loopback']) {
      const site = await servedSite(trust)
      try {
        const wrong = await flood(site)
        const right = await byAllDoors(site, site.key, '198.51.100.7')
        held &&= right.every((status) => status === 200) && (wrong.get(429) ?? 0) > 0
        const told = [...wrong].map(([status, count]) => `${count} × ${status}`).join(', ')
        seen.push(
          `${trust === undefined ? 'no proxy trusted' : `${trust} trusted`}: wrong keys ${told}; the right one ${right.join(', ')}`,
        )
      } finally {
        await site.close()
      }
    }
    return { held, seen: seen.join('; ') }
  },
}

async function flood(site: ServedSite): Promise<ReadonlyMap<number, number>> {
  const answers = new Map<number, number>()
  for (let sent = 0; sent < WRONG; sent++) {
    for (const status of await byAllDoors(site, WRONG_KEY, '198.51.100.66'))
      answers.set(status, (answers.get(status) ?? 0) + 1)
  }
  return answers
}

/** The statuses of sign-in (200 for a session), REST and metrics. */
async function byAllDoors(
  site: ServedSite,
  key: string,
  address: string,
): Promise<readonly number[]> {
  const from = { 'X-Forwarded-For': address }
  const entered = await signedIn(site, key, from)
  const statuses = [typeof entered === 'number' ? entered : 200]
  for (const path of ['/api/v1/me', '/metrics']) {
    const response = await fetch(site.url + path, {
      headers: { ...from, Authorization: `Bearer ${key}` },
    })
    await response.arrayBuffer()
    statuses.push(response.status)
  }
  return statuses
}
