import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8')) as unknown
const { packages } = read('package-lock.json') as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
const manifest = read('package.json') as LockedPackage
const locked = Object.entries(packages).filter(([path]) => path !== '')

describe('the lock file', () => {
  it('names no registry, so that npm ci asks the one that is configured', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  it('has a checksum for every package', () => {
    expect(locked.filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  })

  it('has no install script among the packages that users get', () => {
    const scripted = locked.filter(([, entry]) => entry.hasInstallScript && !entry.dev)
    expect(scripted.map(([path]) => path)).toEqual([])
  })

  it('has nothing for one system, processor or C library alone, such as glibc without musl', () => {
    const used = locked.filter(([, { dev }]) => dev !== true)
    const bound = used.filter(([, { os, cpu, libc }]) => (os ?? cpu ?? libc) !== undefined)
    expect(bound.map(([path]) => path)).toEqual([])
    const compiled = used.flatMap(([path]) =>
      readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(?:node|so|dylib|dll|exe)$/.test(file))
        .map((file) => join(path, file)),
    )
    expect(compiled).toEqual([])
  })

  it('needs no install script for development but two that work without theirs', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
    expect(scripted.map(([path]) => path.split('node_modules/').at(-1))).toEqual([
      'esbuild',
      'msgpackr-extract',
    ])
  })

  it('was made from this package.json', () => {
    const own = packages['']
    expect(own?.version).toBe(manifest.version)
    expect(own?.dependencies).toEqual(manifest.dependencies)
    expect(own?.optionalDependencies).toEqual(manifest.optionalDependencies)
    expect(own?.devDependencies).toEqual(manifest.devDependencies)
  })
})
