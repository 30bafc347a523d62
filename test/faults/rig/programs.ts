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

export interface Bundle<N extends string> {
  readonly programs: Readonly<Record<N, string>>
  remove(): void
}

export async function buildPrograms(): Promise<Programs> {
  const { programs, remove } = await bundle({
    engine: 'test/faults/rig/engine-child.ts',
    receiver: 'test/faults/rig/receiver-child.ts',
  })
  return { ...programs, remove }
}

/** Names of programs → their sources, from the root. */
export async function bundle<N extends string>(
  sources: Readonly<Record<N, string>>,
): Promise<Bundle<N>> {
  const root = rootAbove(import.meta.dirname)
  // Below the root, so that packages are found as the sources find them.
  const folder = join(root, 'node_modules/.cache/watchpost-faults', `rig-${process.pid}`)
  const names = Object.keys(sources) as N[]
  await build({
    entry: Object.fromEntries(names.map((name) => [name, join(root, sources[name])])),
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
  const paths = names.map((name) => [name, join(folder, `${name}.mjs`)] as const)
  return {
    programs: Object.fromEntries(paths) as Record<N, string>,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
