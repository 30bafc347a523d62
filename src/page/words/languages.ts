/**
 * The languages that the host offers, and which of them a request gets: the one in its address, else the one chosen at
 * the foot of the page, else the first that the browser accepts, else the first of all.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import { cookieOf } from '../session/cookies.ts'
import { ENGLISH, languageOf } from './language.ts'
import type { Language, PageWords } from './language.ts'

/** Languages that come with the page. */
const BUILTIN_LANGUAGES = ['en', 'de'] as const
export type BuiltinLanguage = (typeof BUILTIN_LANGUAGES)[number]

export const LANGUAGE_COOKIE = 'watchpost_language'

/** Bounds the variants of a public page that are kept. */
const MAX_LANGUAGES = 20

export interface OfferedLanguage {
  readonly tag: string
  readonly name: string
}

export interface Languages {
  readonly offered: readonly OfferedLanguage[]
  /** For a page. */
  chosen(request: Request, url: URL): Promise<Language>
  /** For feeds and badges, which are the same for everybody: by the address alone. */
  addressed(url: URL): Promise<Language>
}

/** @throws ConfigurationError */
export function checkLanguages(given: unknown): void {
  const wrong = (what: string): ConfigurationError =>
    new ConfigurationError(`createPage: languages: ${what}`)
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_LANGUAGES)
    throw wrong(`a list of 1 to ${MAX_LANGUAGES} is expected`)
  const seen = new Set<string>()
  for (const each of given as readonly unknown[]) {
    const builtin = BUILTIN_LANGUAGES.find((tag) => tag === each)
    const own = builtin === undefined && isPageWords(each) ? each.tag : undefined
    const tag = (builtin ?? own)?.toLowerCase()
    if (tag === undefined)
      throw wrong(
        `${BUILTIN_LANGUAGES.join(', ')} or an object with tag, name and words is expected`,
      )
    if (seen.has(tag)) throw wrong(`"${tag}" is there twice`)
    seen.add(tag)
  }
}

function isPageWords(value: unknown): value is PageWords {
  if (typeof value !== 'object' || value === null) return false
  const { tag, name, dir = 'ltr', locale = tag, words } = value as Readonly<Record<string, unknown>>
  return (
    isTag(tag) &&
    isTag(locale) &&
    typeof name === 'string' &&
    name !== '' &&
    name.length <= 40 &&
    (dir === 'ltr' || dir === 'rtl') &&
    typeof words === 'object' &&
    words !== null
  )
}

/** As `Intl` takes it, and short enough for a cookie. */
function isTag(tag: unknown): tag is string {
  if (typeof tag !== 'string' || tag.length > 35) return false
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

interface Known extends OfferedLanguage {
  load(): Promise<Language>
}

/** Words beyond English are loaded by the first request for them. */
const LOADERS: Readonly<
  Record<BuiltinLanguage, { readonly name: string; load(): Promise<Language> }>
> = {
  en: { name: 'English', load: () => Promise.resolve(ENGLISH) },
  de: {
    name: 'Deutsch',
    async load() {
      const { GERMAN_WORDS } = await import('./de/index.ts')
      return languageOf({ tag: 'de', name: 'Deutsch', words: GERMAN_WORDS })
    },
  },
}

export function createLanguages(offered: readonly (BuiltinLanguage | PageWords)[]): Languages {
  const known = offered.map(knownOf)
  const [first = knownOf('en')] = known
  const find = (tag: string | undefined): Known | undefined =>
    tag === undefined
      ? undefined
      : known.find((each) => each.tag.toLowerCase() === tag.toLowerCase())
  const asked = (url: URL): Known | undefined => find(url.searchParams.get('lang') ?? undefined)
  return {
    offered: known.map(({ tag, name }) => ({ tag, name })),
    addressed: (url) => (asked(url) ?? first).load(),
    chosen(request, url) {
      const accepted = request.headers.get('accept-language') ?? ''
      const found =
        asked(url) ?? find(cookieOf(request, LANGUAGE_COOKIE)) ?? bestOf(known, accepted) ?? first
      return found.load()
    },
  }
}

function knownOf(language: BuiltinLanguage | PageWords): Known {
  const { tag, name, make } =
    typeof language === 'string'
      ? { tag: language, name: LOADERS[language].name, make: LOADERS[language].load }
      : { ...language, make: () => Promise.resolve(languageOf(language)) }
  let loaded: Promise<Language> | undefined
  return { tag, name, load: () => (loaded ??= make()) }
}

/** Of a header, as much as browsers send. */
const ACCEPTED_CHARS = 500

/** The language that the header names first (RFC 9110, 12.5.4); `de-AT` finds `de`, and `pt` finds `pt-BR`. */
function bestOf(known: readonly Known[], header: string): Known | undefined {
  const wanted = header
    .slice(0, ACCEPTED_CHARS)
    .split(',')
    .map((part) => {
      const [range = '', ...more] = part.split(';').map((each) => each.trim().toLowerCase())
      const weight = more.find((each) => each.startsWith('q='))?.slice(2)
      return { range, weight: weight === undefined ? 1 : Number(weight) || 0 }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  const base = (tag: string): string => tag.split('-')[0] ?? tag
  for (const { range } of wanted) {
    const tags = known.map((each) => ({ each, tag: each.tag.toLowerCase() }))
    const found =
      tags.find(({ tag }) => tag === range) ?? tags.find(({ tag }) => base(tag) === base(range))
    if (found !== undefined) return found.each
  }
  return undefined
}
