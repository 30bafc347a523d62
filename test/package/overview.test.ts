/** llms.txt and the overview: what a coding assistant, or a person in a hurry, reads first. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { webhookEventNames } from '../../scripts/docs/filled-pages.ts'
import { membersOf } from '../../scripts/docs/source-facts.ts'
import { entries } from '../../scripts/entries.mjs'
import { root } from '../../scripts/steps.mjs'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { builtinContacts } from '../../src/contacts/index.ts'
import { brokenLinks, inlineCode, parsePage, readPages, section } from './markdown.ts'
import { packedFiles } from './packed-files.ts'

const pages = readPages()
const read = (path: string) => parsePage(path, readFileSync(join(root, path), 'utf8'))

describe('llms.txt', () => {
  const page = read('llms.txt')

  it('has the format of llmstxt.org', () => {
    const [title, summary, notes, ...sections] = page.text.trim().split(/\n\n(?=[^-])/)
    expect(title).toBe('# watchpost')
    expect(summary).toMatch(/^> \S.+\.$/)
    expect(notes).not.toMatch(/^#/m)
    expect(sections.length).toBeGreaterThan(4)
    for (const one of sections) {
      expect(one).toMatch(/^## .+\n\n(?:- \[[^\]]+\]\([^)\s]+\.md\): \S.+\.\n?)+$/)
    }
    expect(sections.at(-1)).toMatch(/^## Optional$/m)
  })

  it('leads to every page, and to nothing that is not there', () => {
    // Pages that are not in the package are linked in the repository.
    const links = /\]\((?:https:\/\/github\.com\/watchpost\/watchpost\/blob\/HEAD\/)?([^)]+)\)/g
    const linked = [...page.text.matchAll(links)].map(([, target]) => target)
    const docs = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'))
    expect(linked.sort()).toEqual(docs.sort())
    expect(brokenLinks(page, pages)).toEqual([])
  })
})

describe('the overview', () => {
  const page = read('docs/overview.md')
  const told = (heading: string) => inlineCode(parsePage('', section(page, heading)))

  it('is short', () => {
    expect(page.text.split('\n').length).toBeLessThan(360)
  })

  it('has every type with its required settings', () => {
    const text = section(page, 'Check types')
    for (const { type, fields } of builtinCheckers({ extra: true })) {
      const row = text.split('\n').find((line) => line.includes(`[\`${type}\`]`)) ?? ''
      const required = row.split('|')[3]
      for (const [name, field] of Object.entries(fields)) {
        expect(required?.includes(`\`${name}\``), `${type}.${name}`).toBe(
          field.presence === 'required',
        )
      }
    }
  })

  it('has every event, contact kind, subpath and option of the engine', () => {
    const events = membersOf('src/engine/api/events.ts', 'EngineEvents').map(({ name }) => name)
    expect(told('Events')).toEqual(expect.arrayContaining(events))
    expect(told('Events')).toEqual(
      expect.arrayContaining(webhookEventNames(builtinCheckers({ extra: true }))),
    )
    const kinds = builtinContacts().map(({ kind }) => kind)
    expect(told('Contact kinds')).toEqual(expect.arrayContaining(kinds))
    const subpaths = entries
      .filter(({ subpath }) => !subpath.startsWith('./checkers/'))
      .map(({ subpath }) => `watchpost${subpath.slice(1)}`)
    expect(told('Imports')).toEqual(expect.arrayContaining(subpaths))
    for (const row of section(page, 'Imports').split('\n')) {
      const names = [...(row.split('|')[3] ?? '').matchAll(/`[^`]+`/g)].map(([name]) => name)
      expect(names.length, row).toBe(new Set(names).size)
    }
    const options = membersOf('src/engine/options.ts', 'EngineOptions')
    expect(options.filter(({ about }) => about === '')).toEqual([])
    expect(told('Options')).toEqual(expect.arrayContaining(options.map(({ name }) => name)))
  })
})

it('both are in the package', () => {
  const packed = packedFiles()
  expect(['llms.txt', 'docs/overview.md'].filter((path) => !packed.has(path))).toEqual([])
})
