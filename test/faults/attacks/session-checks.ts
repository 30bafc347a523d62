import { systemClock } from '../../../src/clock.ts'
import { servedSite, signedIn } from '../rig/site.ts'
import type { Attack } from './attack.ts'

const SECONDS = 5
const AT_ONCE = 16
/** Of a key in a minute, and of a monitor. */
const PRESSED = 60
const CHECKS = 30

export const sessionChecks: Attack = {
  name: 'session-checks',
  does: `presses "check now" for ${SECONDS} s in one session of the page, ${AT_ONCE} at once`,
  bound: `${CHECKS} checks begin, the round of the interval beside them; then 429 with Retry-After`,
  async attempt() {
    const site = await servedSite()
    try {
      const cookie = await signedIn(site, site.key)
      const answers = new Map<number, number>()
      let impatient = 0
      const end = systemClock.monotonic() + SECONDS * 1000
      const press = async (): Promise<void> => {
        while (systemClock.monotonic() < end) {
          const response = await fetch(`${site.url}/monitors/${site.monitor_id}/check`, {
            method: 'POST',
            headers: { 'Sec-Fetch-Site': 'same-origin', Cookie: String(cookie) },
            redirect: 'manual',
          })
          await response.arrayBuffer()
          const { status, headers } = response
          answers.set(status, (answers.get(status) ?? 0) + 1)
          if (status === 429 && !headers.has('retry-after')) impatient++
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, press))
      const pressed = answers.get(303) ?? 0
      const told = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ')
      return {
        held: impatient === 0 && pressed <= PRESSED && pressed > 0 && site.checks() <= CHECKS + 1,
        seen: `${told}; ${site.checks()} checks reached the target`,
      }
    } finally {
      await site.close()
    }
  },
}
