import { beforeAll, describe, expect, it } from 'vitest'
import { createPage } from '../../src/page/index.ts'
import type { PageWords } from '../../src/page/index.ts'
import { GERMAN_WORDS } from '../../src/page/words/de/index.ts'
import { labelOf } from '../../src/page/forms/form-field.ts'
import { KEY_SCOPES } from '../../src/model/scopes.ts'
import { ENGLISH_WORDS } from '../../src/page/words/en/index.ts'
import { site, visitor as visitorOf } from './visit.ts'
import type { Site, Visitor } from './visit.ts'

/** Pages that are there in every language. */
const PAGES = [
  '/',
  '/?q=nothing',
  '/monitors/1',
  '/monitors/1/checks',
  '/monitors/2',
  '/incidents',
  '/incidents/1',
  '/contacts',
  '/contacts/1',
  '/status/shop',
  '/status/made',
  '/status/made/history',
  '/monitors/999',
  '/monitors/1?range=1h',
  '/monitors/1?range=90d',
  '/monitors/new',
  '/monitors/new?type=scripted',
  '/monitors/new?type=scripted&clone=1',
  '/monitors/1/edit',
  '/monitors/1/delete',
  '/maintenance',
  '/keys',
  '/audit-log',
  '/wall',
  '/audit-log?actor=nobody',
  '/sign-in',
]

/** Forms that are answered with a page. */
const FORMS: readonly (readonly [string, Record<string, string>])[] = [
  ['/monitors/new', { type: 'scripted', do: 'save', 'f.interval_sec': '1' }],
  ['/monitors/1/edit', { do: 'preview', 'f.host': 'b.test', 'f.name': 'Other' }],
  ['/monitors/1/edit', { do: 'save', 'f.host': 'b.test', version: '999' }],
  ['/maintenance', { name: '', when: 'once', covers: 'all' }],
  ['/keys', { name: 'made', scope: 'read' }],
  ['/keys', { name: '' }],
]

const MIRRORED: PageWords = {
  tag: 'ar',
  name: 'العربية',
  dir: 'rtl',
  words: { overview: { down: (some, all) => `${some}/${all} معطل` } },
}

/**
 * The English table, each word in brackets, so that what is not of the table stands outside of them. Numbers and dates
 * have no Latin letters.
 */
const BRACKETED: PageWords = {
  ...{ tag: 'ja', name: '日本語' },
  words: bracketed(ENGLISH_WORDS) as PageWords['words'],
}

function bracketed(word: unknown): unknown {
  if (typeof word === 'string') return `‹${word}›`
  if (typeof word === 'function')
    return (...given: unknown[]) => bracketed((word as (...given: unknown[]) => unknown)(...given))
  if (Array.isArray(word))
    return word.map((part: unknown) => (typeof part === 'string' ? bracketed(part) : part))
  return Object.fromEntries(
    Object.entries(word as object).map(([name, each]: [string, unknown]) => [
      name,
      bracketed(each),
    ]),
  )
}

/** Attributes with words, also those that scripts show. */
const SPOKEN =
  /\s(?:title|placeholder|alt|aria-label|aria-valuetext|data-(?:asking|no-answer|live-word|words|lead|more))="([^"]*)"/g

/** What a reader sees or hears of a page, without what users, the API and the table say. */
function unspoken(text: string): readonly string[] {
  const body = text
    .replace(/<(script|style|code|pre|bdi)\b[^>]*>.*?<\/\1>/gs, ' ')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, ' ')
  const shown = body.replace(/<[^>]*>/g, '\n')
  const heard = [...body.matchAll(SPOKEN)].map(([, said = '']) => said)
  return [shown, ...heard]
    .flatMap((said) => withoutBrackets(said).split('\n'))
    .map((said) => ofUsers.reduce((rest, word) => rest.replaceAll(word, ''), said).trim())
    .filter((said) => /\p{Script=Latin}/u.test(said))
}

/** Words of a table may have others within. */
function withoutBrackets(text: string): string {
  const rest = text.replace(/‹[^‹›]*›/g, '')
  return rest === text ? rest : withoutBrackets(rest)
}

/** Names and addresses of users, of the API and of time zones, longest first; filled in below. */
let ofUsers: readonly string[] = []

let made: Site
let visitor: Visitor

beforeAll(async () => {
  made = await site({
    languages: ['en', 'de', MIRRORED, BRACKETED],
    public: [{ slug: 'shop', title: 'Shop', monitors: [1, 2] }],
    publicPages: true,
  })
  const { engine, create, failing, clock } = made
  failing.set('b.test', 'broken')
  await create('b.test', { fail_threshold: 1 })
  await create('a.test')
  await engine.contacts.create({ kind: 'silent', name: 'Ops', to: 'phone' })
  await engine.publicPages.create({ title: 'Made', slug: 'made', groups: [] })
  await clock.advance(1000)
  visitor = made.visitor()
  await visitor.signIn()
  const [scripted] = engine.types.list().filter(({ type }) => type === 'scripted')
  const { common } = engine.types.tables().get('scripted') ?? { common: {} }
  const fields = [...(scripted?.fields ?? []).map(({ name }) => name), ...Object.keys(common)]
  ofUsers = [
    ...['a.test', 'b.test', 'broken', 'Other', 'Ops', 'Shop', 'Made', 'made', 'watchpost', 'main'],
    ...['English', 'Deutsch', 'UTC', 'p95', 'p99', 'key:1', 'Scripted', 'Heartbeat', 'silent'],
    ...['local', 'Atom', 'RSS', 'JSON', 'to'],
    ...(scripted?.measurements ?? []).flatMap(({ name, description }) => [name, description]),
    ...[...fields, ...KEY_SCOPES],
    ...fields.map(labelOf),
  ].sort((a, b) => b.length - a.length)
})

async function german(path: string): Promise<string> {
  return (await visitor.get(path, { 'Accept-Language': 'fr, de-AT;q=0.9, en;q=0.4' })).text()
}

/** Words of the English table that the other one has as they are. */
function untranslated(english: object, other: object): readonly string[] {
  return Object.entries(english).flatMap(([name, word]: [string, unknown]) => {
    const own = (other as Readonly<Record<string, unknown>>)[name]
    if (typeof word === 'object' && word !== null) return untranslated(word, own as object)
    return word === own ? [String(word)] : []
  })
}

/** Sentences of the English table that read otherwise in German. */
function sentences(english: object, other: object): readonly string[] {
  return Object.entries(english).flatMap(([name, word]: [string, unknown]) => {
    const own = (other as Readonly<Record<string, unknown>>)[name]
    if (typeof word === 'object' && word !== null) return sentences(word, own as object)
    if (typeof word !== 'string' || word === own) return []
    return word.trim().split(' ').length > 2 ? [word] : []
  })
}

describe('a German page', () => {
  it.each(PAGES)('%s has no sentence of the English one', async (path) => {
    const text = await german(path)
    expect(text).toMatch(/<html\s+lang="de"\s+dir="ltr"/)
    const left = sentences(ENGLISH_WORDS, GERMAN_WORDS).filter((each) => text.includes(each))
    expect(left).toEqual([])
  })

  it('has a translation of every sentence of the English one', () => {
    const same = untranslated(ENGLISH_WORDS, GERMAN_WORDS).filter((each) =>
      / .*\p{L}{4}|\p{L}{4}.* /u.test(each),
    )
    expect(same).toEqual([])
  })

  it('has plurals, numbers and times of its language', async () => {
    const text = await german('/')
    expect(text).toContain('1 von 2 Monitoren ausgefallen')
    expect(text).toMatch(/data-ago>vor \d+ s</)
    expect(await german('/status/shop')).toContain('Einige Dienste sind gestört')
    expect(await german('/monitors/1')).toMatch(/1\. Jan\.? 2026, 00:00/)
  })
})

describe('a page has no word that is in no table', () => {
  const spoken = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}lang=ja`

  it.each(PAGES)('%s', async (path) => {
    const text = await visitor.text(spoken(path))
    expect(text).toContain('‹')
    expect(unspoken(text)).toEqual([])
  })

  it.each(FORMS)('the answer of %s to %o', async (path, form) => {
    const response = await visitor.post(spoken(path), form)
    expect(unspoken(await response.text())).toEqual([])
  })

  it('the answer of a check before saving', async () => {
    const form = { type: 'scripted', do: 'check', 'f.host': 'c.test' }
    const posting = visitor.post(spoken('/monitors/new'), form)
    await made.clock.advance(1000)
    const text = await (await posting).text()
    expect(text).toContain('the check of these settings')
    expect(unspoken(text)).toEqual([])
  })
})

describe('the language', () => {
  it('is what the browser accepts, unless another is in the address or was chosen', async () => {
    const own = visitorOf(made.page)
    const langOf = async (path: string, accept?: string): Promise<string | undefined> => {
      const response = await own.get(
        path,
        accept === undefined ? {} : { 'Accept-Language': accept },
      )
      expect(response.headers.get('vary')).toBe('Accept-Language, Cookie')
      return /<html\s+lang="([^"]*)"/.exec(await response.text())?.[1]
    }
    expect(await langOf('/sign-in')).toBe('en')
    expect(await langOf('/sign-in', 'de')).toBe('de')
    expect(await langOf('/sign-in', 'xx, *;q=0.1')).toBe('en')
    expect(await langOf('/status/shop?lang=de', 'en')).toBe('de')
    const chosen = await own.post('/language', { language: 'de', return: '/status/shop?lang=en' })
    expect(chosen.headers.get('location')).toBe('/status/shop')
    expect(await langOf('/status/shop', 'en')).toBe('de')
    expect((await own.post('/language', { language: 'fr' })).status).toBe(400)
    // Resolved against the page, each of these begins with two slashes: the address of another host.
    for (const away of [
      '/.//evil.test/',
      '/status/..//evil.test/',
      '//evil.test/',
      '/\\evil.test/',
    ]) {
      const response = await own.post('/language', { language: 'de', return: away })
      expect(response.headers.get('location'), away).toBe('/')
    }
  })

  it('is one of feeds and badges by their address alone', async () => {
    const response = await visitor.get('/status/made/status.json', { 'Accept-Language': 'de' })
    expect(await response.text()).toContain('There is no data yet')
    expect(await visitor.text('/status/made/badge.svg?lang=de')).toContain('noch keine Daten')
  })

  it('may be one of the host, from right to left; words that it lacks are English', async () => {
    const text = await visitor.text('/?lang=ar')
    expect(text).toMatch(/<html\s+lang="ar"\s+dir="rtl"/)
    expect(text).toContain('1/2 معطل')
    // A figure is isolated: else its number would stand behind its unit.
    expect(text).toMatch(/\u2068[^\s\u2069]+ %\u2069/)
    expect(text).toContain('last check')
  })

  it('is not to choose where there is one only, and wrong ones are refused at once', async () => {
    const { engine } = made
    const response = await createPage(engine).fetch(new Request('http://watch.test/sign-in'))
    expect(await response.text()).not.toContain('/language"')
    for (const languages of [[], ['fr'], ['de', 'de'], [{ ...MIRRORED, tag: 'no tag' }], 'de'])
      expect(
        () => createPage(engine, { languages: languages as never }),
        JSON.stringify(languages),
      ).toThrow(/languages/)
  })
})
