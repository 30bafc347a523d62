/** The Markdown files of the repository, as far as the tests look into them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { root } from '../../scripts/steps.mjs'

export interface Page {
  /** Below the root, with forward slashes. */
  readonly path: string
  readonly text: string
  /** Without fenced code. */
  readonly prose: string
  readonly blocks: readonly Block[]
}

export interface Block {
  /** First word behind the fence. */
  readonly language: string
  /** The others: `continued`. */
  readonly words: readonly string[]
  readonly text: string
  /** Of its first line, from 1. */
  readonly line: number
}

/** README and the like, and everything below docs. */
export function readPages(): Page[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'))
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  return [...top, ...docs.map((path) => `docs/${path.replaceAll('\\', '/')}`)]
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => parsePage(path, readFileSync(join(root, path), 'utf8')))
}

export function parsePage(path: string, text: string): Page {
  const blocks: Block[] = []
  const prose: string[] = []
  let open: { readonly fence: string; readonly lines: string[]; readonly at: number } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^\s*(`{3,}|~{3,})(.*)$/.exec(line)
    if (open === undefined && fence !== null) {
      open = { fence: fence[1] ?? '', lines: [fence[2] ?? ''], at: index + 2 }
    } else if (open !== undefined && line.trim() === open.fence) {
      const [info = '', ...lines] = open.lines
      const [language = '', ...words] = info.trim().split(/\s+/)
      blocks.push({ language, words, text: lines.join('\n'), line: open.at })
      open = undefined
    } else (open?.lines ?? prose).push(line)
  }
  return { path, text, prose: prose.join('\n'), blocks }
}

/** Targets of the links to files and headings of this repository that lead nowhere. */
export function brokenLinks(page: Page, pages: readonly Page[]): string[] {
  const targets = [...page.prose.matchAll(/(?<!`)\[[^\]]*\]\(([^)\s]+)\)/g)].map(
    ([, target = '']) => target,
  )
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !leads(page, target, pages))
}

function leads(page: Page, target: string, pages: readonly Page[]): boolean {
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? page.path : normalize(join(dirname(page.path), file))
  const linked = [page, ...pages].find((each) => each.path === path.replaceAll('\\', '/'))
  if (anchor !== undefined) return linked !== undefined && anchors(linked).includes(anchor)
  return linked !== undefined || existsSync(join(root, path))
}

/** As GitHub makes them of headings. */
export function anchors({ prose }: Page): string[] {
  const seen = new Map<string, number>()
  return headings(prose).map((heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{Mn}_ -]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
}

/** Texts of headings, of one level or of all. */
export function headings(prose: string, level?: number): string[] {
  const marks = level === undefined ? '#{1,6}' : `#{${level}}`
  return [...prose.matchAll(new RegExp(`^${marks} +(.+?) *$`, 'gm'))].map(([, text = '']) =>
    text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''),
  )
}

/** Inline code. */
export function inlineCode({ prose }: Page): string[] {
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
}

/** The part of a page below a heading, up to the next one of its level or above. */
export function section({ text }: Page, heading: string): string {
  const from = text.search(new RegExp(`^#+ ${heading}$`, 'm'))
  if (from === -1) throw new Error(`no heading "${heading}"`)
  const level = /^#+/.exec(text.slice(from))?.[0].length ?? 1
  const rest = text.slice(from + level)
  const end = rest.search(new RegExp(`^#{1,${level}} `, 'm'))
  return end === -1 ? rest : rest.slice(0, end)
}
