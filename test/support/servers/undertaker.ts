/**
 * Cleans up after us when we cannot: a shell that waits on a pipe whose other end only this process
 * holds. The pipe closes however this process ends, SIGKILL included; then the server's process group
 * is killed and its directory removed.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'

const SCRIPT = `
group=
while read -r word value; do
  case $word in
    group) group=$value ;;
    done) exit 0 ;;
  esac
done
[ -n "$group" ] && kill -9 "-$group"
rm -rf -- "$1"
`

export interface Undertaker {
  readonly pid: number
  /** The process group to kill from now on; `undefined` for none. */
  watch(group: number | undefined): void
  /** Sends it home: everything has been cleaned up. */
  dismiss(): Promise<void>
}

export function hireUndertaker(dir: string): Undertaker {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'undertaker', dir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  })
  const pid = shell.pid
  if (pid === undefined) throw new Error('/bin/sh could not be started')
  const gone = once(shell, 'exit')
  const pipe = shell.stdin as Socket
  pipe.on('error', () => {})
  shell.unref()
  pipe.unref()
  return {
    pid,
    watch: (group) => void pipe.write(`group ${group ?? ''}\n`),
    async dismiss() {
      shell.ref()
      pipe.end('done\n')
      await gone
    },
  }
}
