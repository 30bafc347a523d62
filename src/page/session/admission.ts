/**
 * Looks again and again whether those who listen still may: a key is revoked, a session signed out, a user
 * of the host locked out while a connection stands.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'

export interface Admitted {
  /** Whether it still may listen; absent where everybody may. */
  readonly admitted?: (() => Promise<boolean>) | undefined
  close(): void
}

/** Both together are less than the 5 s in which a connection ends. */
const LOOK_MS = 1500
const ASK_LIMIT_MS = 1500

export interface AdmissionLook {
  /** Begins to look, as long as there is somebody. */
  begin(): void
  end(): void
}

export function lookAtAdmission(
  clock: Pick<Clock, 'timer'>,
  listeners: ReadonlySet<Admitted>,
): AdmissionLook {
  let timer: Timer | undefined

  function next(): void {
    timer = clock.timer(LOOK_MS, () => void look(), { background: true })
  }

  async function look(): Promise<void> {
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

/** What fails or takes too long admits nobody: the browser asks anew. */
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
