import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { content } from '../../../src/checkers/content/index.ts'
import { systemClock } from '../../../src/clock.ts'
import { checkerSuite } from '../../../src/testing/checker-suite.ts'
import { parseSettings } from '../../../src/engine/checks/run-check.ts'
import type { Json, JsonObject } from '../../../src/model.ts'
import { VERSION } from '../../../src/version.ts'
import { check } from '../../support/check.ts'
import type { Checked } from '../../support/check.ts'
import { serve } from '../../support/http-exchange.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { trySuite } from '../../support/try-suite.ts'

type Input = Omit<Parameters<typeof check<ReturnType<typeof content>>>[1], 'url'>

const AT = Date.UTC(2026, 2, 1)

/** A page that can be rewritten, looked at again and again with the memo of the last look. */
async function watched(
  first: string | Buffer,
  input: Input = {},
  type = 'text/html; charset=utf-8',
) {
  let body = first
  let contentType = type
  let status = 200
  let now = AT
  let memo: Checked['memo']
  const listener: RequestListener = (_request, response) => {
    response.writeHead(status, contentType === '' ? {} : { 'Content-Type': contentType })
    response.end(body)
  }
  const server = await serve(listener)
  return {
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    get memo() {
      return memo
    },
    set memo(held) {
      memo = held
    },
    answers(next: { body?: string | Buffer; status?: number; type?: string }) {
      body = next.body ?? body
      status = next.status ?? status
      contentType = next.type ?? contentType
    },
    async look(): Promise<Checked> {
      now += 300_000
      const clock = { ...systemClock, now: () => now }
      const url = `${server.origin}/`
      const outcome = await check(
        content(),
        { url, ...input },
        { clock, ...(memo === undefined ? {} : { memo }) },
      )
      memo = outcome.memo ?? memo
      return outcome
    },
  }
}

const changeIn = ({ notices = [] }: Checked): JsonObject | undefined =>
  notices[0]?.data['change'] as JsonObject | undefined

describe('a page', () => {
  it('is up; the first look is the baseline, and every measurement is named', async () => {
    await using page = await watched('<h1>Hello</h1><p>world &amp; all')
    const outcome = await page.look()
    expect(outcome).toMatchObject({
      verdict: 'ok',
      cause_code: null,
      details: {
        status: 200,
        changed: false,
        text_bytes: 17,
        text_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        baseline_at: '2026-03-01T00:05:00.000Z',
      },
    })
    expect(outcome.notices ?? []).toEqual([])
    expect(Object.keys(content().measurements)).toEqual(
      expect.arrayContaining(Object.keys(outcome.details)),
    )
  })

  it('that stays the same for a reader has not changed', async () => {
    await using page = await watched('<p>Hello</p><p>world</p>')
    const first = await page.look()
    page.answers({
      body: '<!-- build 77 --><script>x=2</script>\n<div  class=new>Hello</div>\n\n<p>wor<b>ld</b>',
    })
    const second = await page.look()
    expect(second).toMatchObject({ verdict: 'ok', details: { changed: false } })
    expect(second.details['text_hash']).toBe(first.details['text_hash'])
    expect(second.details['baseline_at']).toBe(first.details['baseline_at'])
    expect(second.memo).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ...['hash', 'recent', 'lines', 'at', 'since', 'changes'].flatMap(
      (name): [string, unknown][] => [
        [name, null],
        [name, {}],
      ],
    ),
    ['hash', 1],
    ['lines', '1'],
    ['at', 1e300],
    ['kept', null],
    ['kept', { as: 'text', data: 5 }],
  ])('whose memo has a %s of %j is looked at as for the first time', async (name, value) => {
    await using page = await watched('<p>Hello')
    await page.look()
    page.memo = { ...(page.memo as JsonObject), [name]: value as Json }
    page.answers({ body: '<p>Goodbye' })
    expect(await page.look()).toMatchObject({ verdict: 'ok', details: { changed: false } })
    page.answers({ body: '<p>Hello again' })
    expect(await page.look()).toMatchObject({ verdict: 'ok', details: { changed: true } })
  })

  it('whose old text cannot be unpacked has changed, and nobody knows how', async () => {
    await using page = await watched('<p>Hello')
    await page.look()
    page.memo = { ...(page.memo as JsonObject), kept: { as: 'text', data: 'AAAA' } }
    page.answers({ body: '<p>Goodbye' })
    const details = { changed: true, changed_lines: null }
    expect(await page.look()).toMatchObject({ verdict: 'ok', details })
  })

  it('that says something else is news, not a failure', async () => {
    await using page = await watched('<p>Price: 10<p>Stock: 3<p>Call us')
    const first = await page.look()
    page.answers({ body: '<p>Price: 12<p>Stock: 3<p>Call us<p>or write' })
    const second = await page.look()
    expect(second).toMatchObject({
      verdict: 'ok',
      details: {
        changed: true,
        changed_lines: { added: 2, removed: 1 },
        change_ratio: 0.4286,
        excerpt: '- Price: 10\n+ Price: 12\n+ or write',
        baseline_at: '2026-03-01T00:10:00.000Z',
      },
    })
    const [old_hash, new_hash] = [first.details['text_hash'], second.details['text_hash']]
    expect(second.notices).toEqual([
      {
        event: 'content_changed',
        key: expect.stringContaining(`${old_hash as string}:${new_hash as string}:`),
        data: {
          change: {
            old_hash,
            new_hash,
            ratio: 0.4286,
            added: 2,
            removed: 1,
            excerpt: '- Price: 10\n+ Price: 12\n+ or write',
          },
        },
      },
    ])
    expect(Object.keys(content().measurements)).toEqual(
      expect.arrayContaining(Object.keys(second.details)),
    )
  })

  it('that goes there and back and there again is three pieces of news, each with its own key', async () => {
    await using page = await watched('A')
    await page.look()
    const keys = new Set<string>()
    for (const body of ['B', 'A', 'B']) {
      page.answers({ body })
      const { notices = [] } = await page.look()
      expect(notices).toHaveLength(1)
      keys.add(notices[0]!.key)
      expect((await page.look()).notices ?? []).toEqual([])
    }
    expect(keys.size).toBe(3)
  })

  it('is noisy after more than 5 changes in 10 checks, and quiet again later', async () => {
    await using page = await watched('0')
    await page.look()
    const noisy = []
    for (let n = 1; n <= 6; n++) {
      page.answers({ body: String(n) })
      noisy.push((await page.look()).details['noisy'])
    }
    expect(noisy).toEqual([...Array<undefined>(5).fill(undefined), true])
    for (let n = 0; n < 4; n++) expect((await page.look()).details['noisy']).toBe(true)
    expect((await page.look()).details['noisy']).toBeUndefined()
  })

  it.each([
    ['answers with an error', { status: 503, body: 'down for maintenance' }, 'http_status'],
    ['is gone', { status: 404, body: 'no such page' }, 'http_status'],
    ['has no body', { status: 204, body: '' }, 'content_empty'],
    ['has no text in what is read of it', { body: ' '.repeat(5 * 1024 * 1024) }, 'http_body_limit'],
    [
      'is made by a script',
      { body: '<title>App</title><div id=root></div><script>run()</script>' },
      'content_empty',
    ],
    ['became a picture', { type: 'image/png', body: 'PNG' }, 'content_type_unsupported'],
  ])('that %s is told, and the baseline stays', async (_, broken, cause_code) => {
    await using page = await watched('<p>steady')
    const first = await page.look()
    page.answers(broken)
    const failed = await page.look()
    const verdict = cause_code === 'http_body_limit' ? 'unknown' : 'fail'
    expect(failed).toMatchObject({ verdict, cause_code })
    expect(failed).not.toHaveProperty('notices')
    expect(failed).not.toHaveProperty('memo')
    page.answers({ status: 200, type: 'text/html', body: '<p>steady' })
    expect((await page.look()).details).toMatchObject({
      changed: false,
      baseline_at: first.details['baseline_at'],
    })
  })

  it('in another charset is read in it', async () => {
    const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
    await using page = await watched(cyrillic, {}, 'text/html; charset=windows-1251')
    const legacy = await page.look()
    page.answers({ body: 'Привет', type: 'text/html; charset=utf-8' })
    const modern = await page.look()
    expect(modern.details['text_hash']).toBe(legacy.details['text_hash'])
  })

  it('of JSON is compared by its data', async () => {
    await using page = await watched('{"b":1,"a":[1,2]}', {}, 'application/json')
    await page.look()
    page.answers({ body: '{ "a": [1, 2], "b": 1 }' })
    expect((await page.look()).details).toMatchObject({ changed: false })
    page.answers({ body: '{ "a": [1, 3], "b": 1 }' })
    expect((await page.look()).details).toMatchObject({ changed: true, excerpt: '- 2\n+ 3' })
  })

  it('of which lines only moved has changed, without a line added or removed', async () => {
    await using page = await watched('one\ntwo', {}, 'text/plain')
    await page.look()
    page.answers({ body: 'two\none' })
    expect(changeIn(await page.look())).toMatchObject({
      added: 0,
      removed: 0,
      ratio: 0,
      excerpt: '',
    })
  })
})

describe('ignore_regex', () => {
  it('cuts out what changes at every look', async () => {
    const rules = '# counters\n\\d+ views\n\n/^updated .*$/i\n/<<.*?>>/s'
    const body = (n: number) =>
      `<p>News<p>${n} views<p>Updated ${n} minutes ago<p>&lt;&lt;${n}<p>${n}&gt;&gt; end`
    await using page = await watched(body(1), { ignore_regex: rules })
    await page.look()
    page.answers({ body: body(22) })
    expect((await page.look()).details).toMatchObject({ changed: false })
    page.answers({ body: `${body(3)}<p>more` })
    expect(changeIn(await page.look())).toMatchObject({ added: 1, removed: 0, excerpt: '+ more' })
  })

  it('that leaves nothing is an empty page', async () => {
    await using page = await watched('<p>12 views', { ignore_regex: '/.*/' })
    expect(await page.look()).toMatchObject({
      cause_code: 'content_empty',
      cause_text: 'Nothing of the page is left once ignore_regex is cut out',
    })
  })

  it.each([
    ['fine\n\n(unclosed', /^invalid: line 3: not a usable pattern/],
    ['(?=ahead)', /^invalid: line 1: .*look-around/],
    ['a\n/b/x', /^invalid: line 2: the flag "x"/],
    [`# c\n${'x'.repeat(1001)}`, /^out_of_range: line 2: 1\.\.1000 characters$/],
    ['a\n'.repeat(21), /^out_of_range: 0\.\.20 patterns$/],
  ])('%.20j is refused with the number of its line', (ignore_regex, problem) => {
    const refused = (): unknown => parseSettings(content(), { url: 'http://a.test/', ignore_regex })
    expect(refused).toThrow(
      expect.objectContaining({ fields: { ignore_regex: expect.stringMatching(problem) } }),
    )
  })

  it('that would take for ever elsewhere does not stall the process', async () => {
    const body = `${'a'.repeat(100)}! `.repeat(500)
    await using page = await watched(body, { ignore_regex: '(a+)+$\n(a|aa)+b' }, 'text/plain')
    expect((await page.look()).verdict).toBe('ok')
  })

  it('holds for the beginning of a long text; what follows is compared as it is', async () => {
    const line = 'the same words in every line of it\n'
    const long = (end: string) => `7 views\n${line.repeat(8000)}${end}`
    await using page = await watched(long('7 views'), { ignore_regex: '\\d+ views' }, 'text/plain')
    await page.look()
    page.answers({ body: long('7 views').replace('7 views', '8 views') })
    expect((await page.look()).details).toMatchObject({ changed: false })
    page.answers({ body: long('8 views') })
    expect(changeIn(await page.look())).toMatchObject({ excerpt: '- 7 views\n+ 8 views' })
  })

  it('changed, begins anew', async () => {
    await using page = await watched('A')
    await page.look()
    const { memo } = page
    page.answers({ body: 'B' })
    await using other = await watched('B', { ignore_regex: 'x' })
    other.memo = memo
    expect((await other.look()).notices ?? []).toEqual([])
  })
})

describe('the memo', () => {
  /** Words that do not repeat, so that they do not pack well. */
  const words = (count: number, seed = 1): string =>
    Array.from({ length: count }, (_, n) =>
      (((n + seed) * 2654435761) % 4294967296).toString(36),
    ).join('\n')

  it.each([
    [
      'a small page is remembered by its words',
      500,
      { added: 1, removed: 1, excerpt: expect.stringMatching(/^- .*\n\+ changed$/) },
    ],
    ['a long one by its lines', 7000, { added: 1, removed: 1, excerpt: '+ changed' }],
    ['a huge one by its hash', 60_000, { added: null, removed: null, ratio: null, excerpt: '' }],
  ])('is small: %s', async (_, count, change) => {
    await using page = await watched(words(count), {}, 'text/plain')
    const { memo } = await page.look()
    expect(JSON.stringify(memo).length).toBeLessThan(48 * 1024)
    page.answers({ body: words(count).replace(/.*$/, 'changed') })
    const changed = await page.look()
    expect(changeIn(changed)).toMatchObject(change)
    expect(JSON.stringify(changed).length).toBeLessThan(60 * 1024)
  })

  it.each([null, 'x', 7, [], { version: 1 }, { version: 99, hash: 'x' }])(
    'that cannot be read (%j) is no baseline',
    async (memo) => {
      await using page = await watched('A')
      page.memo = memo
      const outcome = await page.look()
      expect(outcome).toMatchObject({ verdict: 'ok', details: { changed: false } })
      expect(outcome.memo).toMatchObject({ version: 1, changes: 0 })
    },
  )

  it('shows long lines where they differ', async () => {
    const long = (word: string) => `${'x'.repeat(500)} ${word} ${'y'.repeat(500)}`
    await using page = await watched(long('old'), {}, 'text/plain')
    await page.look()
    page.answers({ body: long('new') })
    const excerpt = changeIn(await page.look())?.['excerpt'] as string
    expect(excerpt).toMatch(/^- …x+ old y+…\n\+ …x+ new y+…$/)
    expect(excerpt.length).toBeLessThan(400)
  })

  it.each([
    ['begins inside it', (said: string, n: number) => `${'x'.repeat(150)} key ${said} ${n} calls`],
    [
      'ends inside it',
      (said: string, n: number) => `${n}${'x'.repeat(140)} ${said} ${'y'.repeat(99)}`,
    ],
    ['is inside it', (said: string, n: number) => `${'x'.repeat(150)}${said.repeat(40)}${n}`],
    ['would be without it', (said: string, n: number) => `${said} `.repeat(900) + String(n)],
  ])('shows nothing of a password that the page repeats where the excerpt %s', async (_, line) => {
    const pass = 'Kx81qZ77Lm55Vt29Rw03Yb64Nc48Pd16'
    const spelled = [pass, Buffer.from(`me:${pass}`).toString('base64').replace(/=+$/, '')]
    for (const said of spelled) {
      await using page = await watched(line(said, 1), { auth: { user: 'me', pass } }, 'text/plain')
      await page.look()
      page.answers({ body: line(said, 2) })
      const excerpt = changeIn(await page.look())?.['excerpt'] as string
      expect(excerpt).toMatch(/^- .*\n\+ .*$/)
      expect(excerpt).toMatch(/\*\*\*/)
      // A few of its characters may be left, as of any text that was cut.
      for (let at = 0; at + 6 <= said.length; at++)
        expect(excerpt).not.toContain(said.slice(at, at + 6))
    }
  })

  it('shows nothing of a token or of the secret of its client either', async () => {
    const excerptOf = async (said: string, input: Input): Promise<string> => {
      const line = (n: number): string => `${'x'.repeat(150)} key ${said} ${n} calls`
      await using page = await watched(line(1), input, 'text/plain')
      await page.look()
      page.answers({ body: line(2) })
      return changeIn(await page.look())?.['excerpt'] as string
    }
    const secret = 'Kx81qZ77Lm55Vt29Rw03Yb64Nc48Pd16'
    await using tokens = await serve((_request, response) => {
      response.end(JSON.stringify({ access_token: secret, token_type: 'Bearer', expires_in: 60 }))
    })
    const oauth = {
      token_url: `${tokens.origin}/`,
      client_id: 'x',
      client_secret: 'other-secret-of-it',
    }
    const hex = Buffer.from(secret).toString('hex')
    for (const said of [secret, hex, 'other-secret-of-it'])
      expect(await excerptOf(said, { oauth }), said).toMatch(
        /^- …?x* key \*\*\* 1 calls\n\+ …?x* key \*\*\* 2 calls$/,
      )
  })

  it('shows of many lines the first', async () => {
    await using page = await watched(words(100), {}, 'text/plain')
    await page.look()
    page.answers({ body: words(100, 1000) })
    const excerpt = changeIn(await page.look())?.['excerpt'] as string
    expect(excerpt.split('\n')).toHaveLength(11)
    expect(excerpt).toMatch(/… and 190 more lines$/)
  })
})

describe('the request', () => {
  it('follows redirects, says who asks, and carries the credentials', async () => {
    const asked: (readonly [string, string | undefined, string | undefined])[] = []
    await using server = await serve(({ url = '', headers }, response) => {
      asked.push([url, headers['user-agent'], headers.authorization])
      if (url === '/') return response.writeHead(302, { Location: '/page' }).end()
      return response.end('text')
    })
    const { details } = await check(content(), {
      url: `${server.origin}/`,
      auth: { user: 'u', pass: 'p' },
    })
    const basic = `Basic ${Buffer.from('u:p').toString('base64')}`
    const agent = `Watchpost/${VERSION} (+https://www.npmjs.com/package/watchpost)`
    expect(asked).toEqual([
      ['/', agent, basic],
      ['/page', agent, basic],
    ])
    expect(details['final_url']).toBe(`${server.origin}/page`)
    await check(content(), { url: `${server.origin}/page`, user_agent: 'mine' })
    expect(asked.at(-1)).toEqual(['/page', 'mine', undefined])
  })

  it('takes credentials out of the address', () => {
    const stored = parseSettings(content(), { url: 'https://u:s3cret@a.test/x' })
    expect(stored).toMatchObject({ url: 'https://a.test/x', auth: { user: 'u', pass: 's3cret' } })
    expect(content().target(stored as never)).toBe('https://a.test/x')
    const colon = (): unknown =>
      parseSettings(content(), { url: 'https://a.test/', auth: { user: 'a:b', pass: 'x' } })
    expect(colon).toThrow(
      expect.objectContaining({ fields: { 'auth.user': expect.stringMatching(/^invalid/) } }),
    )
  })
})

describe('what every checker must hold to', () => {
  const settings = { url: 'https://example.com/', auth: { user: 'u', pass: 'a-secret' } }
  it.each(checkerSuite(content(), { settings }))('$name', ({ run }) => run())

  it('also with a server that says nothing', async () => {
    const { port } = await scriptedServer(() => undefined)
    const silent = { url: `http://127.0.0.1:${port}/` }
    for (const { run } of trySuite(content(), { settings: silent, silent })) await run()
  })
})
