/**
 * Periodically tests whether open connections are still authorized: a key may be revoked, a session signed out, or a
 * user of the host locked meanwhile.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'

export interface Admitted {
  /** Whether it is still authorized; absent for pages that are open to all. */
  readonly admitted?: (() => Promise<boolean>) | undefined
  close(): void
}

/** Interval and limit together are less than the 5 s within which a connection must end. */
const POLL_MS = 1500
const ASK_LIMIT_MS = 1500

export interface AdmissionTests {
  /** Starts the tests, which run while there are connections. */
  begin(): void
  end(): void
}

export function testAdmission(
  clock: Pick<Clock, 'timer'>,
  listeners: ReadonlySet<Admitted>,
): AdmissionTests {
  let timer: Timer | undefined

  function next(): void {
    timer = clock.timer(POLL_MS, () => void testAll(), { background: true })
  }

  async function testAll(): Promise<void> {
    const mine = timer
    await Promise.all([...listeners].map((listener) => closeUnlessAdmitted(listener, clock)))
    if (timer === mine && timer !== undefined) next()
  }

  return {
    begin() {
      if (timer === undefined) next()
    },
    end() {
      timer?.cancel()
      timer = undefined
    },
  }
}

async function closeUnlessAdmitted(listener: Admitted, clock: Pick<Clock, 'timer'>): Promise<void> {
  const { admitted } = listener
  if (admitted === undefined) return
  if (!(await inTime(admitted, clock))) listener.close()
}

/** An error or a timeout ends the connection: the browser reconnects. */
function inTime(ask: () => Promise<boolean>, clock: Pick<Clock, 'timer'>): Promise<boolean> {
  return new Promise((resolve) => {
    const late = clock.timer(ASK_LIMIT_MS, () => resolve(false), { background: true })
    const answer = (admitted: boolean): void => {
      late.cancel()
      resolve(admitted)
    }
    ask().then(answer, () => answer(false))
  })
}
