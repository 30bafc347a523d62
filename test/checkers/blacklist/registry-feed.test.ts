import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { blacklist, registryFeed } from '../../../src/checkers/blacklist/index.ts'
import type { RegistryFeedOptions } from '../../../src/checkers/blacklist/index.ts'
import { createFeedIndex } from '../../../src/checkers/blacklist/feed-index.ts'
import { createFeedReader } from '../../../src/checkers/blacklist/feed-reader.ts'
import { iso, systemClock } from '../../../src/clock.ts'
import { ConfigurationError } from '../../../src/errors.ts'
import { check } from '../../support/check.ts'
import { runSteps } from '../content/run-steps.ts'
import { serve } from '../../support/http-exchange.ts'
import { leastOf, measureTurns } from '../../support/turns.ts'

const HOUR_MS = 3_600_000

/** Everything in one go, so that it lies in memory before it is read. */
async function served(bytes: Buffer): Promise<string> {
  let requests = 0
  const server = await serve((_, response) => {
    requests += 1
    response.writeHead(requests === 1 ? 200 : 500).end(bytes)
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return `${server.origin}/dump.csv`
}

function temporaryFile(text: string | Buffer): string {
  const dir = mkdtempSync(join(tmpdir(), 'watchpost-feed-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'feed')
  writeFileSync(path, text)
  return path
}

/** One checker over a feed, with a clock that the test moves. */
function watch(options: RegistryFeedOptions) {
  let ahead_ms = 0
  const clock = { ...systemClock, now: () => systemClock.now() + ahead_ms }
  const checker = blacklist({ lists: [], providers: { rkn: registryFeed(options) } })
  return {
    advance: (ms: number) => (ahead_ms += ms),
    ask: (target: string, hosts: Record<string, readonly string[]> = {}) =>
      check(checker, { target, rkn: true }, { clock, hosts, timeout_ms: 120_000 }),
  }
}

const verdictOf = async (feed: ReturnType<typeof watch>, target: string, hosts = {}) =>
  (await feed.ask(target, hosts)).cause_code ?? 'clean'

/** As the mirrors of the registry write it: windows-1251, semicolons. */
function dump(rows: readonly string[], at = systemClock.now()): Buffer {
  const stamp = iso(at).replace('T', ' ').replace(/\..*/, ' +0000')
  const text = [`Updated: ${stamp}`, ...rows].join('\n')
  return Buffer.from(Array.from(text, cp1251))
}

function cp1251(character: string): number {
  const code = character.charCodeAt(0)
  if (code < 128) return code
  if (code >= 0x410 && code <= 0x44f) return code - 0x410 + 0xc0
  throw new RangeError(character)
}

const ROWS = [
  '198.51.100.1 | 198.51.100.2;blocked.example;;Роскомнадзор;1;2024-01-01',
  '198.51.100.3;*.masked.example;;ФНС;2;2024-01-01',
  '198.51.100.4;pages.example;http://pages.example/bad?x=1 | https://pages.example/worse;МВД;3;2024-01-01',
  '198.51.100.5 | 198.51.100.64/27 | 2001:db8:5::/48;;;Генпрокуратура;4;2024-01-01',
  '198.51.100.6;пример.example;;ФНС;5;2024-01-01',
  '198.51.100.7;quoted.example;"http://quoted.example/a;b";ФНС;6;2024-01-01',
  '198.51.100.8;front.example;https://front.example/;ФНС;7;2024-01-01',
]

describe('a registry in the form of dump.csv', () => {
  it.each([
    ['blocked.example', 'list_rkn_listed'],
    ['BLOCKED.example.', 'list_rkn_listed'],
    ['http://blocked.example/any/page', 'list_rkn_listed'],
    ['www.blocked.example', 'clean'],
    ['masked.example', 'list_rkn_listed'],
    ['deep.below.masked.example', 'list_rkn_listed'],
    ['unmasked.example', 'clean'],
    ['pages.example', 'clean'],
    ['http://pages.example/bad?x=1', 'list_rkn_listed'],
    ['https://pages.example/bad?x=1', 'list_rkn_listed'],
    ['https://pages.example/worse', 'list_rkn_listed'],
    ['https://pages.example/good', 'clean'],
    ['https://quoted.example/a;b', 'list_rkn_listed'],
    ['front.example', 'list_rkn_listed'],
    ['пример.example', 'list_rkn_listed'],
    ['xn--e1afmkfd.example', 'list_rkn_listed'],
    ['198.51.100.5', 'list_rkn_listed'],
    ['198.51.100.70', 'list_rkn_listed'],
    ['198.51.100.96', 'clean'],
    ['2001:db8:5:6::7', 'list_rkn_listed'],
    ['2001:db8:6::7', 'clean'],
    // Addresses of a row with a domain say where it was, not what is blocked.
    ['198.51.100.1', 'clean'],
  ])('%s → %s', async (target, expected) => {
    const feed = watch({ file: temporaryFile(dump(ROWS)) })
    expect(await verdictOf(feed, target)).toBe(expected)
  })

  it('finds a host by any of its addresses, and names the entry', async () => {
    const feed = watch({ file: temporaryFile(dump(ROWS)) })
    const outcome = await feed.ask('host.example', {
      'host.example': ['192.0.2.1', '198.51.100.66'],
    })
    expect(outcome).toMatchObject({
      cause_code: 'list_rkn_listed',
      details: { lists: [{ id: 'rkn', reason: 'Entry 198.51.100.66 in a range of /27' }] },
    })
  })

  it('is unknown once its data is older than two days, however new the file is', async () => {
    const file = temporaryFile(dump(ROWS, systemClock.now() - 49 * HOUR_MS))
    const outcome = await watch({ file }).ask('blocked.example')
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_feed_stale' })
    expect(outcome.cause_text).toContain('49 h old')
    expect(await verdictOf(watch({ file, maxAgeMs: 50 * HOUR_MS }), 'blocked.example')).toBe(
      'list_rkn_listed',
    )
  })
})

it('a registry that is dated ahead is as old as its last arrival', async () => {
  const feed = watch({ url: await served(dump(ROWS, systemClock.now() + 10_000 * HOUR_MS)) })
  expect(await verdictOf(feed, 'free.example')).toBe('clean')
  feed.advance(49 * HOUR_MS)
  expect(await verdictOf(feed, 'free.example')).toBe('probe_feed_stale')
})

describe('a registry as a plain list', () => {
  const PLAIN = [
    '\ufeff# comment',
    'one.example   # another',
    '',
    '*.two.example',
    'http://three.example/page',
    '192.0.2.0/24',
    'пример.example',
    'not a name',
  ].join('\r\n')

  it.each([
    ['one.example', 'list_rkn_listed'],
    ['a.two.example', 'list_rkn_listed'],
    ['http://three.example/page#part', 'list_rkn_listed'],
    ['192.0.2.200', 'list_rkn_listed'],
    ['xn--e1afmkfd.example', 'list_rkn_listed'],
    ['comment', 'clean'],
  ])('%s → %s', async (target, expected) => {
    expect(await verdictOf(watch({ file: temporaryFile(PLAIN) }), target)).toBe(expected)
  })

  it('is read again when the file has changed, and kept when it has gone bad', async () => {
    const file = temporaryFile('one.example\n')
    const feed = watch({ file })
    expect(await verdictOf(feed, 'two.example')).toBe('clean')
    writeFileSync(file, 'one.example\ntwo.example\n')
    expect(await verdictOf(feed, 'two.example')).toBe('list_rkn_listed')
    writeFileSync(file, '<!doctype html><title>Sorry</title>')
    expect(await verdictOf(feed, 'two.example')).toBe('list_rkn_listed')
    rmSync(file)
    feed.advance(49 * HOUR_MS)
    const outcome = await feed.ask('two.example')
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_feed_stale' })
    expect(outcome.cause_text).toContain('ENOENT')
  })

  it('is as old as its file', async () => {
    const file = temporaryFile('one.example\n')
    const then = new Date(systemClock.now() - 72 * HOUR_MS)
    utimesSync(file, then, then)
    expect(await verdictOf(watch({ file }), 'one.example')).toBe('probe_feed_stale')
  })

  it.each([
    ['nothing', ''],
    ['a web page', '<html>gone</html>'],
    ['comments only', '# one\n# two\n'],
    ['more than is allowed', 'x.example\n'.repeat(1000)],
  ])('that is %s is none', async (_, text) => {
    const feed = watch({ file: temporaryFile(text), limitBytes: 5000 })
    expect(await verdictOf(feed, 'one.example')).toBe('probe_feed_stale')
  })
})

describe('a registry at a web address', () => {
  it('is asked for again with its ETag, and not read again while it is the same', async () => {
    const requests: IncomingMessage['headers'][] = []
    let body = 'one.example\n'
    const server = await serve((request, response) => {
      requests.push(request.headers)
      const etag = `"${body.length}"`
      const same = request.headers['if-none-match'] === etag
      response.writeHead(same ? 304 : 200, { ETag: etag }).end(same ? '' : body)
    })
    onTestFinished(() => server[Symbol.asyncDispose]())
    const feed = watch({ url: `${server.origin}/feed` })
    expect(await verdictOf(feed, '192.0.2.1')).toBe('clean')
    feed.advance(11 * HOUR_MS)
    expect(await verdictOf(feed, '192.0.2.1')).toBe('clean')
    expect(requests).toHaveLength(1)

    feed.advance(40 * HOUR_MS)
    expect(await verdictOf(feed, '192.0.2.1')).toBe('clean')
    expect(requests.map((headers) => headers['if-none-match'])).toEqual([undefined, '"12"'])

    body += '192.0.2.1\n'
    feed.advance(13 * HOUR_MS)
    expect(await verdictOf(feed, '192.0.2.1')).toBe('list_rkn_listed')
  })

  it('stays in use while the server fails, for two days, and is not asked at every check', async () => {
    let status = 200
    let requests = 0
    const server = await serve((_, response) => {
      requests += 1
      response.writeHead(status).end('192.0.2.1\n')
    })
    onTestFinished(() => server[Symbol.asyncDispose]())
    const feed = watch({ url: `${server.origin}/feed` })
    expect(await verdictOf(feed, '192.0.2.1')).toBe('list_rkn_listed')
    status = 503
    feed.advance(13 * HOUR_MS)
    expect(await verdictOf(feed, '192.0.2.1')).toBe('list_rkn_listed')
    expect(await verdictOf(feed, '192.0.2.1')).toBe('list_rkn_listed')
    expect(requests).toBe(2)
    feed.advance(36 * HOUR_MS)
    expect(await feed.ask('192.0.2.1')).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_feed_stale',
      cause_text: expect.stringContaining('status 503') as unknown,
    })
    status = 200
    feed.advance(6 * 60_000)
    expect(await verdictOf(feed, '192.0.2.1')).toBe('list_rkn_listed')
  })
})

describe('a registry of 200,000 lines', () => {
  const rows = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, i) => `198.51.100.1;${i % 3 === 0 ? '*.' : ''}site-${i}.example;;ФНС;${i};2024-01-01`,
    )

  it.each(['file', 'url'])(
    'is read from a %s while the event loop goes on, once for all checks that wait for it',
    async (source) => {
      const bytes = dump(rows(200_000))
      const feed = watch(
        source === 'file' ? { file: temporaryFile(bytes) } : { url: await served(bytes) },
      )
      let turns = 0
      const ticking = setInterval(() => (turns += 1), 1)
      const all = Promise.all(
        ['site-199999.example', 'a.site-199998.example', 'site-200000.example'].map((target) =>
          verdictOf(feed, target),
        ),
      )
      expect(await all).toEqual(['list_rkn_listed', 'list_rkn_listed', 'clean'])
      clearInterval(ticking)
      // Some 190 pieces of 64 KiB; read in one go there would be no turn for anybody else.
      expect(turns).toBeGreaterThan(30)
    },
  )

  it('takes the room of its bytes and little more', () => {
    const index = createFeedIndex()
    const before = process.memoryUsage()
    for (let i = 0; i < 200_000; i++) index.add(`site-${i}.example`)
    const after = process.memoryUsage()
    expect(index.size).toBe(200_000)
    // 20 bytes each, 4 MB in all, in a buffer of twice that at most, and a table of 2 MB.
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * 1024 * 1024)
    expect(index.has('site-0.example')).toBe(true)
    expect(index.has('site-199999.example')).toBe(true)
    expect(index.has('site-200000.example')).toBe(false)
    index.add('site-7.example')
    expect(index.size).toBe(200_000)
  })

  it('grows without a pause: no step is long, however many entries there are', async () => {
    const grow = async () => {
      const index = createFeedIndex()
      for (let n = 0; n < 800_768; n++) {
        index.add(`n${n}.example`)
        if (n % 1024 === 1023) await setImmediate()
      }
      return index
    }
    const { value: index, longest_ms } = await leastOf(2, () => measureTurns(grow), 50)
    expect(index.size).toBe(800_768)
    for (const n of [0, 1, 999, 367_002, 734_010, 799_999])
      expect(index.has(`n${n}.example`)).toBe(true)
    expect(index.has('n800768.example')).toBe(false)
    expect(longest_ms).toBeLessThan(50)
  })

  it('reads the same in pieces of any size', () => {
    const bytes = dump(ROWS)
    for (const size of [1, 7, 64, bytes.length]) {
      const reader = createFeedReader()
      // The first piece tells the format.
      runSteps(reader.push(bytes.subarray(0, 16)))
      for (let at = 16; at < bytes.length; at += size)
        runSteps(reader.push(bytes.subarray(at, at + size)))
      const { content, stated_at } = runSteps(reader.end())
      expect(content.size).toBe(10)
      expect(stated_at).not.toBeNull()
    }
  })
})

describe('options of a registry', () => {
  it.each<RegistryFeedOptions>([{}, { file: 'a', url: 'https://b.example/' }, { url: 'nowhere' }])(
    'are refused: %j',
    (options) => {
      expect(() => registryFeed(options)).toThrow(ConfigurationError)
    },
  )
})
