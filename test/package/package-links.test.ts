/** Links and paths that a user of the package meets lead to files of the package, or to the repository. */
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { anchors, parsePage, readPages } from './markdown.ts'
import type { Page } from './markdown.ts'
import { packedFiles } from './packed-files.ts'
import { readSources, visit } from './sources.ts'

/**
 * The registry's page leads relative links of README.md to `/blob/HEAD/…` of the address in `repository`, and relative
 * images to raw.githubusercontent.com (https://github.com/npm/marky-markdown, lib/plugin/github.js). A relative
 * link that is also a file of the package works there, on the page of the repository, and in node_modules.
 */
const REPOSITORY = 'https://github.com/watchpost/watchpost/'
const OURS = [
  `${REPOSITORY}blob/HEAD/`,
  'https://raw.githubusercontent.com/watchpost/watchpost/HEAD/',
]

const packed = packedFiles()
const pages = readPages()
const shown = pages.filter(({ path }) => packed.has(path))

describe('links and images', () => {
  it.each(shown.map((page) => [page.path, page] as const))(
    'of %s lead somewhere',
    (_path, page) => {
      expect(lost(page)).toEqual([])
    },
  )

  it('of README.md are seen', () => {
    const readme = shown.find(({ path }) => path === 'README.md')
    expect(targets(readme ?? parsePage('', '')).length).toBeGreaterThan(20)
  })

  it('that lead nowhere are seen', () => {
    const text = [
      '# One',
      '[a](#one) [b](#two) [c](docs/lost.md) [d](docs/README.md#lost) ![e](docs/images/page.png)',
      `[f](${OURS[0]}test/lost.ts) [g](${REPOSITORY}tree/main/docs) [h](CONTRIBUTING.md) [i](docs)`,
    ].join('\n')
    expect(lost(parsePage('README.md', text))).toEqual([
      '#two',
      'docs/lost.md',
      'docs/README.md#lost',
      'docs/images/page.png',
      `${OURS[0]}test/lost.ts`,
      `${REPOSITORY}tree/main/docs`,
      'CONTRIBUTING.md',
    ])
  })
})

describe('what the sources print', () => {
  const texts = readSources().flatMap(({ path, tree }) =>
    textsIn(tree).map((text) => ({ path, text })),
  )

  it('names files of the package only', () => {
    expect(texts.length).toBeGreaterThan(3000)
    expect(
      texts.flatMap(({ path, text }) => lostPaths(text).map((it) => `${path}: ${it}`)),
    ).toEqual([])
  })

  it('names pages that `watchpost docs` prints', () => {
    const topics = texts.flatMap(({ text }) => topicsIn(text))
    expect(topics.length).toBeGreaterThan(3)
    expect(topics.filter((topic) => !isPage(topic))).toEqual([])
  })

  it.each([
    ['see docs/guide/lost.md', 'docs/guide/lost.md'],
    ['run node examples/lost.mjs', 'examples/lost.mjs'],
    ['(test/package/docs.test.ts)', 'test/package/docs.test.ts'],
    [`more at ${REPOSITORY}wiki.`, `${REPOSITORY}wiki`],
  ])('is seen in: %s', (text, path) => {
    expect(lostPaths(text)).toEqual([path])
  })
})

/** Targets of a page that are no file of the package, no file of the repository by its address, and no heading. */
function lost(page: Page): string[] {
  return targets(page).filter((target) => {
    const ours = OURS.find((address) => target.startsWith(address))
    if (ours !== undefined)
      return !existsSync(join(root, target.slice(ours.length).split('#')[0] ?? ''))
    if (target.startsWith(REPOSITORY)) return !isAddress(target)
    if (/^[a-z]+:/.test(target)) return false
    const [file = '', anchor] = target.split('#')
    const path =
      file === '' ? page.path : normalize(join(dirname(page.path), file)).replaceAll('\\', '/')
    if (!isPacked(path)) return true
    const linked = path === page.path ? page : pages.find((each) => each.path === path)
    return anchor !== undefined && (linked === undefined || !anchors(linked).includes(anchor))
  })
}

function targets({ prose }: Page): string[] {
  const text = prose.replace(/`[^`\n]+`/g, '')
  return [...text.matchAll(/\]\(<?([^)\s>]+)>?\)/g)].map(([, target = '']) => target)
}

/** Places of the repository that are no files. */
function isAddress(target: string): boolean {
  return [REPOSITORY, `${REPOSITORY}issues`, `${REPOSITORY}releases`].includes(target)
}

/** A file of the package or a folder with such files. */
function isPacked(path: string): boolean {
  const folder = path.replace(/\/?$/, '/')
  return packed.has(path) || [...packed].some((file) => file.startsWith(folder))
}

/** Every text of a source but its comments and imports. */
function textsIn(tree: ts.SourceFile): string[] {
  const texts: string[] = []
  visit(tree, (node) => {
    if (ts.isStringLiteralLike(node) && !isSpecifier(node)) texts.push(node.text)
    if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) texts.push(node.text)
  })
  return texts
}

function isSpecifier({ parent }: ts.StringLiteralLike): boolean {
  return ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)
}

function lostPaths(text: string): string[] {
  const files =
    text.match(/(?<![\w./:-])(?:docs|examples|deploy|test|scripts|bench|src)\/[\w./-]*\w/g) ?? []
  const addresses =
    text.match(/https:\/\/(?:github|raw\.githubusercontent)\.com\/watchpost\/[\w./-]*\w/g) ?? []
  return [
    ...files.filter((path) => !isPacked(path)),
    ...addresses.filter((address) => lost(parsePage('', `[x](${address})`)).length > 0),
  ]
}

function topicsIn(text: string): string[] {
  return [...text.matchAll(/watchpost docs ([a-z][\w/.-]*\w)/g)].map(([, topic = '']) => topic)
}

/** As the command finds it. */
function isPage(topic: string): boolean {
  return shown.some(({ path }) => path === `docs/${topic}.md` || path.endsWith(`/${topic}.md`))
}
