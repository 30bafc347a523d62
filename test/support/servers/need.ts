/**
 * Tests that need a server which may not be installed: skipped with the reason, or failed with it where
 * `REQUIRE_SERVERS=1` says that everything has to be there.
 *
 * @module
 */

import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { describe, it, onTestFinished } from 'vitest'

const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin']

/** A server by the name its people use, and how to get it. */
export interface ServerNeed {
  readonly name: string
  /** Debian's packages. */
  readonly packages: string
  /** Path of the binary, `undefined` where it is not installed. */
  readonly locate: () => string | undefined
}

/** The first of the names that is an executable file in the usual folders. */
export function findBinary(
  names: readonly string[],
  folders: readonly string[] = FOLDERS,
): string | undefined {
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find(isExecutable)
}

/** Path of the binary; fails with the line that installs it. */
export function required(need: ServerNeed): string {
  const path = need.locate()
  if (path === undefined) throw new Error(missingText([need]))
  return path
}

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

/** A server for the test that is running: stopped when the test is over, passed or failed. */
export async function forThisTest<S extends { stop(): Promise<void> }>(
  start: Promise<S>,
): Promise<S> {
  const server = await start
  onTestFinished(() => server.stop())
  return server
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function missingText(needs: readonly ServerNeed[]): string {
  const names = needs.map((need) => need.name).join(', ')
  const packages = needs.map((need) => need.packages).join(' ')
  return `${names} not installed; apt-get install -y --no-install-recommends ${packages}`
}
