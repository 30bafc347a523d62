/** The package as a user has it, built from the sources into a folder of its own: an old dist is neither used nor disturbed. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, tool } from '../../scripts/steps.mjs'

export interface Build {
  /** A file here imports `watchpost` and every package of ours. */
  readonly folder: string
  remove(): void
}

export async function buildPackage(): Promise<Build> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-examples-'))
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const status = await tool('tsup/dist/cli-default.js', [`--out-dir=${join(folder, 'dist')}`])
  if (status !== 0) throw new Error('the build failed')
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
