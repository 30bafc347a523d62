/**
 * A fresh database takes seconds to make and a moment to copy: made once in a run of the suite, copied
 * for each server.
 *
 * @module
 */

import { chmod, chown } from 'node:fs/promises'
import { join } from 'node:path'
import { artifact } from '../shared-artifacts.ts'
import type { Place, Run } from './harness.ts'

/** Fills `data` below the server's directory. */
export type MakeData = (place: Place, run: Run) => Promise<void>

/** Makes the data the first time and copies it from then on; both as the user of the server. */
export function madeOnce(name: string, make: MakeData): MakeData {
  return async (place, run) => {
    const data = join(place.dir, 'data')
    const template = await artifact(name, async (folder) => {
      await chmod(folder, 0o700)
      const { uid, gid } = place.account
      if (process.getuid?.() === 0) await chown(folder, uid, gid)
      await make(place, run)
      await run('mv', [data, folder])
    })
    await run('cp', ['-a', join(template, 'data'), data])
  }
}
