/**
 * A fresh database takes seconds to make and a moment to copy: made once per process, copied for each
 * server.
 *
 * @module
 */

import { chmod, chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Place, Run } from './harness.ts'
import { hireUndertaker } from './undertaker.ts'

/** Fills `data` below the server's directory. */
export type MakeData = (place: Place, run: Run) => Promise<void>

/** Makes the data the first time and copies it from then on; both as the user of the server. */
export function madeOnce(make: MakeData): MakeData {
  let kept: string | undefined
  return async (place, run) => {
    const data = join(place.dir, 'data')
    if (kept !== undefined) return run('cp', ['-a', kept, data])
    await make(place, run)
    const folder = await folderOf(place)
    await run('cp', ['-a', data, folder])
    kept = join(folder, 'data')
  }
}

async function folderOf({ account }: Place): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'watchpost-template-'))
  hireUndertaker(folder)
  await chmod(folder, 0o700)
  if (process.getuid?.() === 0) await chown(folder, account.uid, account.gid)
  return folder
}
