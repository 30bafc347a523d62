/**
 * Where the servers are installed, and how to get those that are not.
 *
 * @module
 */

import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What is not there, and the line that installs it. */
export function missingText(needs: readonly ServerNeed[]): string {
  const names = needs.map((need) => need.name).join(', ')
  const packages = needs.map((need) => need.packages).join(' ')
  return `${names} not installed; apt-get install -y --no-install-recommends ${packages}`
}
