import { beforeAll, describe, expect, it } from 'vitest'
import { createPage } from '../../src/page/index.ts'
import type { PageWords } from '../../src/page/index.ts'
import { GERMAN_WORDS } from '../../src/page/words/de/index.ts'
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
]

const MIRRORED: PageWords = {
  tag: 'ar',
  name: 'العربية',
  dir: 'rtl',
  words: { overview: { down: (some, all) => `${some}/${all} معطل` } },
}

let made: Site
let visitor: Visitor

beforeAll(async () => {
  made = await site({
    languages: ['en', 'de', MIRRORED],
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
})

async function german(path: string): Promise<string> {
  return (await visitor.get(path, { 'Accept-Language': 'fr, de-AT;q=0.9, en;q=0.4' })).text()
}

/** Sentences of the English table that read otherwise in German. */
function sentences(english: object, other: object): readonly string[] {
  return Object.entries(english).flatMap(([name, word]: [string, unknown]) => {
    const own = (other as Readonly<Record<string, unknown>>)[name]
    if (typeof word === 'object' && word !== null) return sentences(word, own as object)
    if (typeof word !== 'string' || word === own) return []
    return word.split(' ').length > 2 ? [word] : []
  })
}

describe('a German page', () => {
  it.each(PAGES)('%s has no sentence of the English one', async (path) => {
    const text = await german(path)
    expect(text).toMatch(/<html\s+lang="de"\s+dir="ltr"/)
    const left = sentences(ENGLISH_WORDS, GERMAN_WORDS).filter((each) => text.includes(each))
    expect(left).toEqual([])
  })

  it('has plurals, numbers and times of its language', async () => {
    const text = await german('/')
    expect(text).toContain('1 von 2 Monitoren ausgefallen')
    expect(text).toMatch(/data-ago>vor \d+ s</)
    expect(await german('/status/shop')).toContain('Einige Dienste sind gestört')
    expect(await german('/monitors/1')).toMatch(/1\. Jan\.? 2026, 00:00/)
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
