/** One check as the engine makes it, without the engine around it. */

import type { AnyChecker } from '../../src/checkers/checker.ts'
import { systemClock } from '../../src/clock.ts'
import { executeCheck } from '../../src/engine/checks/execute-check.ts'
import type { DecodedSettings } from '../../src/engine/checks/prepared-settings.ts'
import { parseSettings } from '../../src/engine/checks/run-check.ts'
import { silentLogger } from '../../src/logger.ts'
import { targetPolicy } from '../../src/net/guard/guard.ts'
import { createNetwork } from '../../src/net/create-net.ts'

/** Checks at the same time, as many as the engine makes by default. */
export const CONCURRENCY = 64

/** A check that must be good: a benchmark of failures would flatter us. */
export function checkOf(checker: AnyChecker, settings: object, ca?: string): () => Promise<void> {
  const network = createNetwork({
    clock: systemClock,
    policy: targetPolicy('open'),
    ...(ca === undefined ? {} : { ca }),
  })
  const stored = parseSettings(checker, settings)
  const decoded: DecodedSettings = new WeakMap()
  return async () => {
    const { outcome } = await executeCheck(checker, stored, {
      clock: systemClock,
      network,
      timeout_ms: 10_000,
      location: { id: 1, name: 'local' },
      log: silentLogger,
      decoded,
    })
    if (outcome.verdict !== 'ok') throw new Error(`the check failed: ${outcome.cause_text}`)
  }
}
