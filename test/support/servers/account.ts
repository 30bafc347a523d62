/**
 * Who the private servers run as: never root, since several of them refuse to and none has to.
 *
 * @module
 */

import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'

export interface Account {
  readonly uid: number
  readonly gid: number
  /** Names, for configurations that take no numbers. */
  readonly user: string
  readonly group: string
}

/** `nobody` where the tests run as root, otherwise whoever runs them. */
export function serverAccount(): Account {
  const root = process.getuid?.() === 0
  const user = root ? 'nobody' : userInfo().username
  const id = (flag: string): string => execFileSync('id', [flag, user], { encoding: 'utf8' }).trim()
  return { uid: Number(id('-u')), gid: Number(id('-g')), user, group: id('-gn') }
}

/** What `spawn` needs to become that account; nothing where we are it already. */
export function spawnAs(account: Account): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: account.uid, gid: account.gid } : {}
}
