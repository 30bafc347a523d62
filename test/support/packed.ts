/** The tarball of this package as the registry would have it, built from the sources. */

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/steps.mjs'
import { buildPackage } from '../examples/build.ts'
import type { Packed } from './registry.ts'

export interface PackedBuild extends Packed {
  remove(): void
}

export async function packPackage(): Promise<PackedBuild> {
  const { folder, remove } = await buildPackage()
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly files: readonly string[]
  }
  for (const name of [...manifest.files, 'README.md', 'LICENSE']) {
    if (name !== 'dist' && existsSync(join(root, name)))
      cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts'], { cwd: folder, stdio: 'pipe' })
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (file === undefined) throw new Error('npm pack made no tarball')
  return { manifest, tarball: join(folder, file), remove }
}
