import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkerTypes, cli, entries, packageExports } from '../../scripts/entries.mjs'
import { root } from '../../scripts/steps.mjs'
import { VERSION } from '../../src/version.ts'
import { readSources } from './sources.ts'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>
  readonly bin: Readonly<Record<string, string>>
  readonly version: string
}

describe('the list of entry points', () => {
  it.each([...entries.map(({ source }) => source), cli.source])('%s exists', (source) => {
    expect(existsSync(join(root, source))).toBe(true)
  })

  it('is what package.json exports (npm run exports brings it up to date)', () => {
    expect(manifest.exports).toEqual(packageExports())
    expect(manifest.bin).toEqual({ watchpost: `dist/${cli.output}.js` })
  })

  it('names every subpath and every output once', () => {
    expect(new Set(entries.map(({ subpath }) => subpath)).size).toBe(entries.length)
    expect(new Set(entries.map(({ output }) => output)).size).toBe(entries.length)
  })

  it('has an entry for every file in src/checkers that defines a checker', () => {
    const defining = readSources().filter(
      ({ path, tree }) =>
        path.startsWith('checkers/') &&
        path !== 'checkers/checker.ts' &&
        /\bdefineChecker\(/.test(tree.text),
    )
    const types = defining.map(({ path }) => path.split('/')[1]?.replace(/\.ts$/, ''))
    expect(types.filter((type) => !checkerTypes.includes(type ?? ''))).toEqual([])
  })

  it.each(checkerTypes)('gives %s its own module with a factory of that name', async (type) => {
    const entry = entries.find(({ subpath }) => subpath === `./checkers/${type}`)
    const module = (await import(join(root, entry?.source ?? ''))) as Record<string, unknown>
    const factory = module[type] as (() => { readonly type: string }) | undefined
    expect(factory?.().type).toBe(type)
  })

  it('has all of them in builtinCheckers', async () => {
    const { builtinCheckers } = await import('../../src/checkers/index.ts')
    const types: readonly string[] = builtinCheckers().map(({ type }) => type)
    expect(types).toEqual(checkerTypes)
  })

  it('is of the version that package.json has', () => {
    expect(VERSION).toBe(manifest.version)
  })
})
