import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkerParts, contactParts } from '../../scripts/built-in.mjs'
import { checkerTypes, cli, entries, packageExports } from '../../scripts/entries.mjs'
import { writtenLists } from '../../scripts/exports.mjs'
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

  it('is what package.json exports', () => {
    expect(manifest.exports).toEqual(packageExports())
    expect(manifest.bin).toEqual({ watchpost: `dist/${cli.output}.js` })
  })

  it('names every subpath and every output once', () => {
    expect(new Set(entries.map(({ subpath }) => subpath)).size).toBe(entries.length)
    expect(new Set(entries.map(({ output }) => output)).size).toBe(entries.length)
  })

  it('is of the version that package.json has', () => {
    expect(VERSION).toBe(manifest.version)
  })
})

describe('what is built in', () => {
  it('stands in the sources and in package.json as `npm run exports` writes it', async () => {
    const lists = await writtenLists()
    const differing = [...lists].filter(([path, text]) => read(path) !== text)
    expect(differing.map(([path]) => path)).toEqual([])
  })

  it('are all files of src/checkers that define a checker; beyond the sixteen they stand in extra', () => {
    const defining = readSources().filter(
      ({ path, tree }) =>
        path.startsWith('checkers/') &&
        path !== 'checkers/checker.ts' &&
        /\bdefineChecker\(/.test(tree.text),
    )
    const folders = entries.map(({ source }) => source.replace(/^src\/|(?:\/index)?\.ts$/g, ''))
    const lost = defining.filter(
      ({ path }) =>
        !folders.some((place) => path === `${place}.ts` || path.startsWith(`${place}/`)),
    )
    expect(lost.map(({ path }) => path)).toEqual([])
  })

  it('are all files of src/contacts that define a contact kind', () => {
    const defining = readSources().filter(
      ({ path, tree }) =>
        path.startsWith('contacts/') &&
        path !== 'contacts/posting.ts' &&
        /\breturn (?:defineContactKind|postingKind)\b/.test(tree.text),
    )
    const found = contactParts.map(({ source }) => source.replace(/^src\//, ''))
    expect(defining.map(({ path }) => path)).toEqual(expect.arrayContaining(found))
    expect(defining).toHaveLength(found.length)
  })

  it.each(checkerTypes)('%s has its own module with a factory of that name', async (type) => {
    const entry = entries.find(({ output }) => output.endsWith(`/${type}`))
    const module = (await import(join(root, entry?.source ?? ''))) as Record<string, unknown>
    const factory = module[type] as (() => { readonly type: string }) | undefined
    expect(factory?.().type).toBe(type)
  })

  it('is in builtinCheckers and builtinContacts', async () => {
    const { builtinCheckers } = await import('../../src/checkers/index.ts')
    const types = (checkers: readonly { type: string }[]) => checkers.map(({ type }) => type)
    expect(types(builtinCheckers({ extra: true }))).toEqual(checkerTypes)
    const specified = checkerParts.filter(({ extra }) => !extra).map(({ name }) => name)
    expect(types(builtinCheckers())).toEqual(specified)
    expect(types(builtinCheckers({ extra: false }))).toEqual(specified)
    const { builtinContacts } = await import('../../src/contacts/index.ts')
    const kinds: readonly string[] = builtinContacts().map(({ kind }) => kind)
    expect(kinds).toEqual(['webhook', ...contactParts.map(({ name }) => name)])
  })
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
