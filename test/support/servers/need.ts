/**
 * Tests that need a server which may not be installed: skipped with the reason, or failed with it where
 * `REQUIRE_SERVERS=1` says that everything has to be there.
 *
 * @module
 */

import { describe, it, onTestFinished } from 'vitest'
import type { ServerNeed } from './binaries.ts'
import { missingText } from './binaries.ts'

/** `describe` for tests against one or more real servers. */
export function describeWithServer(
  needs: ServerNeed | readonly ServerNeed[],
  title: string,
  body: () => void,
): void {
  const missing = [needs].flat().filter((need) => need.locate() === undefined)
  if (missing.length === 0) {
    describe(title, body)
    return
  }
  const reason = missingText(missing)
  if (process.env['REQUIRE_SERVERS'] !== '1') {
    process.stderr.write(`skipped: ${title}: ${reason}\n`)
    describe.skip(`${title} (${reason})`, body)
    return
  }
  describe(title, () => {
    it('has the servers it needs', () => {
      throw new Error(reason)
    })
  })
}

/**
 * A server for the test that is running: stopped when the test is over, passed or failed. A test that runs beside
 * others hands over `onTestFinished` of its context.
 */
export async function forThisTest<S extends { stop(): Promise<void> }>(
  start: Promise<S>,
  finished: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<S> {
  const server = await start
  finished(() => server.stop())
  return server
}
