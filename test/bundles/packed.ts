/** A project that has the package from its tarball, and every other package from this repository. */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { root, run } from '../../scripts/steps.mjs'
import { buildPackage } from '../examples/build.ts'

export interface Project {
  readonly folder: string
  write(name: string, text: string): void
  /** Runs a program of `node_modules` or of the project in it; the output is told when it fails. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<void>
  remove(): void
}

/** Below the repository, so that Node and bundlers find the other packages in the folders above. */
export async function packedProject(): Promise<Project> {
  const build = await buildPackage()
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'docs']) {
    cpSync(join(root, name), join(build.folder, name), { recursive: true })
  }
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache', 'project-'))
  const cwd = build.folder
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  expect(await run('npm', pack, { cwd, quiet: true })).toBe(0)
  build.remove()
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  const installed = join(folder, 'node_modules', 'watchpost')
  mkdirSync(installed, { recursive: true })
  const unpack = ['-xzf', join(folder, tarball), '--strip-components=1']
  expect(await run('tar', unpack, { cwd: installed, quiet: true })).toBe(0)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  // Ends the search for one: that of the repository leads imports of the package to its sources.
  writeFileSync(join(folder, 'jsconfig.json'), '{ "compilerOptions": {} }\n')
  return {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    async node(args, env = {}) {
      const options = { cwd: folder, env: { ...process.env, ...env }, quiet: true }
      expect({ args, status: await run(process.execPath, args, options) }).toEqual({
        args,
        status: 0,
      })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
