/** The package as a user has it, built from the sources once in a run, in a folder of its own: an old dist is neither used nor disturbed. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, tool } from '../../scripts/steps.mjs'
import { artifact } from '../support/shared-artifacts.ts'

export interface Build {
  /** A file here imports `watchpost` and every package of ours. */
  readonly folder: string
  remove(): void
}

export async function buildPackage(): Promise<Build> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-examples-'))
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const built = await artifact('package', async (draft) => {
    const status = await tool('tsup/dist/cli-default.js', [`--out-dir=${draft}`])
    if (status !== 0) throw new Error('the build failed')
  })
  cpSync(built, join(folder, 'dist'), { recursive: true })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
