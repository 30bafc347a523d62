import { describe, expect, it } from 'vitest'
import { blacklist, CATALOGUE } from '../../../src/checkers/blacklist/index.ts'
import type { BlacklistOptions, BlacklistProvider } from '../../../src/checkers/blacklist/index.ts'
import { createSelector } from '../../../src/checkers/blacklist/selection.ts'
import { parseSettings } from '../../../src/engine/checks/run-check.ts'
import { ConfigurationError, ValidationError } from '../../../src/errors.ts'
import { check } from '../../support/check.ts'

const clean: BlacklistProvider = { lookUp: () => Promise.resolve({ state: 'clean' }) }

const parse = (input: Record<string, unknown>, options: BlacklistOptions = {}) =>
  parseSettings(blacklist(options), { target: 'example.com', ...input })

function problems(input: Record<string, unknown>, options: BlacklistOptions = {}): unknown {
  try {
    parse(input, options)
    return undefined
  } catch (error) {
    return error instanceof ValidationError ? error.fields : error
  }
}

describe('settings of blacklist', () => {
  it('need no more than a target', () => {
    expect(parse({})).toEqual({ target: 'example.com', rkn: false, gsb: false })
  })

  it.each([
    [' Mail.Bücher.Example. ', 'mail.xn--bcher-kva.example'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['HTTPS://Example.com/a?b#c', 'https://example.com/a?b'],
  ])('have their target in one spelling: %s', (target, stored) => {
    expect(parse({ target })).toMatchObject({ target: stored })
  })

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.169.254',
    '::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'ftp://example.com/',
    'no host',
  ])('refuse the target %s', (target) => {
    expect(problems({ target })).toEqual({ target: expect.stringMatching(/^invalid: /) as unknown })
  })

  it.each(['rkn', 'gsb'] as const)(
    'refuse %s as long as the host has no provider for it',
    (name) => {
      const missing = new RegExp(
        `^invalid: no provider for it is configured here \\(WATCHPOST_${name.toUpperCase()}_`,
      )
      expect(problems({ [name]: true })).toEqual({
        [name]: expect.stringMatching(missing) as unknown,
      })
      expect(problems({ [name]: true }, { providers: { [name]: clean } })).toBeUndefined()
    },
  )

  it('take lists as an array or as one string with commas', () => {
    expect(parse({ lists: 'spamcop, bl.example.org,!policy' })).toMatchObject({
      lists: ['spamcop', 'bl.example.org', '!policy'],
    })
  })

  it.each([
    [{ lists: 'spamcup' }, '"spamcup" is no list of the catalogue and no zone'],
    [{ lists: ['!bananas'] }, '"bananas" is no list of the catalogue and no zone'],
    [{ lists: 'spamcop, !spamcop' }, 'nothing is left to ask'],
  ])('refuse %j', (input, problem) => {
    expect(problems(input)).toEqual({ lists: `invalid: ${problem}` })
  })

  it('may leave out every list where a provider is asked', () => {
    const options = { lists: [], providers: { gsb: clean } }
    expect(problems({ gsb: true }, options)).toBeUndefined()
    expect(problems({}, options)).toEqual({ lists: 'invalid: nothing is left to ask' })
  })

  it('that named a provider which is gone since are unknown, not clean', async () => {
    const stored = parse(
      { rkn: true, target: '192.0.2.1' },
      { lists: [], providers: { rkn: clean } },
    )
    const checker = { ...blacklist({ lists: [] }) }
    delete checker.refine
    const outcome = await check(checker, stored as never)
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_provider_unconfigured' })
  })
})

describe('the lists that are asked', () => {
  const ids = (lists: BlacklistOptions['lists'], words?: readonly string[]): string[] => {
    const selected = createSelector(lists ?? 'free').select(words)
    if ('problem' in selected) throw new Error(selected.problem)
    return selected.lists.map(({ id }) => id)
  }

  it('are by default those that anybody may ask, and all of them only if the host says so', () => {
    expect(ids('free')).toEqual(CATALOGUE.filter(({ free }) => free).map(({ id }) => id))
    expect(ids('free')).not.toContain('spamhaus-zen')
    expect(ids('curated')).toEqual(expect.arrayContaining(['spamhaus-zen', 'surbl', 'spamcop']))
  })

  it('are each asked once, and not where another one has all its entries', () => {
    expect(ids('curated')).not.toContain('spamhaus-sbl')
    expect(ids('free', ['spamhaus-zen', 'zen.spamhaus.org', 'spamhaus-pbl'])).toEqual([
      'spamhaus-zen',
    ])
    expect(ids('free', ['spamhaus-pbl'])).toEqual(['spamhaus-pbl'])
  })

  it('are those of the default without the excluded, where only such are named', () => {
    expect(ids('free', ['!spamcop', '!psbl.surriel.com'])).toEqual(
      ids('free').filter((id) => id !== 'spamcop' && id !== 'psbl'),
    )
  })

  it('may be lists of the host, and zones that nobody has heard of', () => {
    const own = { id: 'own', zone: 'BL.Example.org.', kinds: ['ipv4'] } as const
    expect(ids([own, 'spamcop', 'x.example'])).toEqual(['own', 'spamcop', 'x.example'])
    expect(ids([own], ['own'])).toEqual(['own'])
  })
})

describe('the catalogue', () => {
  it('has every id and every zone once, with terms and a way off the list', () => {
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length)
    expect(new Set(CATALOGUE.map(({ zone }) => zone)).size).toBe(CATALOGUE.length)
    for (const { id, zone, terms, delist_url, includes = [] } of CATALOGUE) {
      expect(id).toMatch(/^[a-z0-9-]+$/)
      expect(zone).toMatch(/^[a-z0-9.-]+$/)
      expect(terms).not.toBe('')
      expect(delist_url).toMatch(/^https:\/\//)
      for (const part of includes) expect(CATALOGUE.map((list) => list.id)).toContain(part)
    }
  })
})

describe('options of blacklist', () => {
  it.each<[string, BlacklistOptions]>([
    ['a name server', { nameservers: ['ftp://192.0.2.1'] }],
    ['a list', { lists: ['spamcup'] }],
    ['a zone', { lists: [{ id: 'own', zone: 'a b' }] }],
    ['a number', { minWorking: 0 }],
  ])('say which is wrong: %s', (_, options) => {
    expect(() => blacklist(options)).toThrow(ConfigurationError)
  })
})
