/**
 * The programs of this folder that run as processes of their own, bundled once so that a start costs
 * no compiling.
 *
 * @module
 */

import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'tsup'

export interface Programs {
  readonly engine: string
  readonly receiver: string
  remove(): void
}

/** Works from the sources as from a bundle of them: both stand below the root. */
function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package-lock.json')) ? folder : rootAbove(dirname(folder))
}

/** Below the root, so that packages are found as the sources find them. */
export async function buildPrograms(): Promise<Programs> {
  const root = rootAbove(import.meta.dirname)
  const folder = join(root, 'node_modules/.cache/watchpost-faults', `rig-${process.pid}`)
  const here = join(root, 'test/faults/rig')
  await build({
    entry: { engine: join(here, 'engine-child.ts'), receiver: join(here, 'receiver-child.ts') },
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'es2023',
    platform: 'node',
    splitting: true,
    skipNodeModulesBundle: true,
    removeNodeProtocol: false,
    config: false,
    silent: true,
  })
  return {
    engine: join(folder, 'engine.mjs'),
    receiver: join(folder, 'receiver.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
