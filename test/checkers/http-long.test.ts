import type { RequestListener, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createGzip, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import type { Outcome } from '../../src/model.ts'
import { withDeadline } from '../support/deadlines.ts'
import { serve, serveRaw } from '../support/http-exchange.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

/**
 * What our own limits keep from being looked at says nothing of the page: `fail` is only what was seen.
 */

type HttpInput = Omit<Parameters<typeof runCheck<ReturnType<typeof http>>>[1], 'url'>

const KIB = 1024
const MIB = 1024 * KIB
const PIECE = 64 * KIB

async function check(listener: RequestListener, input: HttpInput): Promise<Outcome> {
  await using server = await serve(listener)
  return await runCheck(http(), { url: server.origin, ...input }, { timeout_ms: 60_000 })
}

/** `size` bytes of filler as fast as they are taken, then `end`. */
function pour(into: NodeJS.WritableStream, size: number, end = '', filler = 'a'): void {
  const piece = Buffer.alloc(PIECE, filler)
  let left = size
  const more = (): void => {
    while (left > 0) {
      const next = left < PIECE ? piece.subarray(0, left) : piece
      left -= next.length
      if (!into.write(next) && left > 0) return void into.once('drain', more)
    }
    into.end(end)
  }
  more()
}

const long =
  (size: number, end = '', filler = 'a'): RequestListener =>
  (_request, response) => {
    response.on('error', () => undefined)
    pour(response, size, end, filler)
  }

/** Resolves once the other side has taken `size` bytes, but for what a socket holds. */
async function sent(into: ServerResponse, size: number): Promise<void> {
  const piece = Buffer.alloc(PIECE, 'a')
  for (let left = size; left > 0; left -= PIECE) {
    await new Promise<void>((resolve, reject) => {
      into.write(piece, (error) => (error ? reject(error) : resolve()))
    })
  }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes that full collections leave, buffers among them: the second one finds the buffers of the first freed. */
async function reachable(): Promise<number> {
  for (let times = 0; times < 2; times++) {
    await setImmediate()
    collect()
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const at = (text: string): RequestListener => {
  return (_request, response) => void response.end(text)
}

const unseen = { verdict: 'unknown', cause_code: 'http_body_limit' }

describe('a long page is no failure', () => {
  it('of 300 KB, where a pattern that must not be there is not in what was searched', async () => {
    const outcome = await check(at('a'.repeat(300_000)), { keyword_absent_regex: 'err(or)?s' })
    expect(outcome).toMatchObject(unseen)
    expect(outcome.cause_text).toMatch(
      /^The first \d{3},\d{3} characters of the body were searched, and no match of "err\(or\)\?s" is in them$/,
    )
  })

  it('with a number behind 256 Ki characters', async () => {
    const outcome = await check(at(`${'x'.repeat(300_000)} Queue: 12,345 jobs`), {
      number_regex: 'Queue: ([\\d,]+)',
      number_max: 20_000,
    })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { number: 12_345 } })
  })

  it('of 5 MiB without a plain text that must not be there', async () => {
    const outcome = await check(long(5 * MIB), { keyword_absent: 'error' })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { body_decoded_bytes: 5 * MIB } })
  })

  it('of 5 MiB with a plain text at its end that must be there', async () => {
    const outcome = await check(long(5 * MIB, 'the end'), { keyword_present: 'the end' })
    expect(outcome).toMatchObject({ verdict: 'ok' })
    expect(outcome.details).not.toHaveProperty('body_cut')
  })

  it('of more than 64 MiB, where what was searched does not tell', async () => {
    for (const [input, told] of [
      [{ keyword_absent: 'error' }, '"error" is not in them'],
      [{ keyword_present: 'zebra' }, '"zebra" is not in them'],
      [{ number_regex: 'Queue: (\\d+)' }, '"Queue: (\\\\d+)" finds no number in them'],
    ] as const) {
      const outcome = await check(long(64 * MIB + 1), input)
      expect(outcome).toMatchObject({
        ...unseen,
        cause_text: `The first 67,108,864 bytes of the body were searched, and ${told}`,
        details: { body_cut: true, body_decoded_bytes: 64 * MIB },
      })
    }
  })

  it('of exactly 64 MiB, which was searched to its end', async () => {
    const outcome = await check(long(64 * MIB - 3, 'end'), { keyword_present: 'end' })
    expect(outcome).toMatchObject({ verdict: 'ok' })
    expect(await check(long(64 * MIB), { keyword_present: 'end' })).toMatchObject({
      verdict: 'fail',
      cause_code: 'keyword_missing',
    })
  })
})

describe('what was seen in a long page counts', () => {
  it.each<[string, HttpInput, string | null]>([
    ['a text that must not be there', { keyword_absent: 'end' }, 'keyword_found'],
    ['the wrong status', { keyword_absent: 'zebra', expected_status: '404' }, 'http_status'],
    ['its size', { keyword_absent_regex: 'z+', size_max: 1000 }, 'size_above'],
    [
      'a text beside a pattern that may be further down',
      { keyword_present_regex: 'zebra', keyword_absent: 'end' },
      'keyword_found',
    ],
    ['a number out of bounds', { number_regex: 'end(\\d+)', number_max: 1 }, 'number_above'],
    ['that there is no number', { number_regex: 'Queue: (\\d+)' }, 'number_missing'],
  ])('%s', async (_name, input, cause_code) => {
    expect(await check(long(5 * MIB, 'end7'), input)).toMatchObject({ verdict: 'fail', cause_code })
  })

  it('a text that must be there, and the rest is not waited for', async () => {
    const seen = await check(
      (_request, response) => {
        response.on('error', () => undefined).write('begin ')
        pour(response, 80 * MIB)
      },
      { keyword_present: 'begin' },
    )
    expect(seen).toMatchObject({ verdict: 'ok', details: { body_cut: true } })
    expect(seen.details.body_decoded_bytes).toBeLessThan(8 * MIB)
  })
})

describe('wherever a text stands, it is found', () => {
  /** Every character of it in a chunk of its own, behind pages of several lengths. */
  it.each([0, PIECE - 3, PIECE, 2 * PIECE - 1, 300_001])('behind %i characters', async (before) => {
    const word = 'Grüße, 世界 😀 12,5'
    const outcome = await check(
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' })
        response.write('ü'.repeat(before))
        for (const byte of Buffer.from(word)) response.write(Buffer.of(byte))
        response.end('é'.repeat(1000))
      },
      {
        keyword_present: word,
        keyword_absent: '😀 13',
        number_regex: '😀 ([\\d,]+)',
        number_min: 12.5,
        number_max: 12.5,
      },
    )
    expect(outcome).toMatchObject({ verdict: 'ok', cause_text: null })
  })

  it('in a charset of two bytes, as the header says', async () => {
    const word = Buffer.from('日本', 'utf16le')
    const outcome = await check(
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-16le' })
        response.end(Buffer.concat([Buffer.alloc(2 * PIECE - 2, 'a\0'), word]))
      },
      { keyword_present: 'a日本', keyword_absent: '本日' },
    )
    expect(outcome).toMatchObject({ verdict: 'ok' })
  })

  it('in a long text that repeats itself', async () => {
    const word = `${'ab'.repeat(450)}c`
    const outcome = await check(long(2 * PIECE, `${'ab'.repeat(460)}c`, 'ab'), {
      keyword_present: word,
      keyword_absent: `${'ab'.repeat(450)}d`,
    })
    expect(outcome).toMatchObject({ verdict: 'ok' })
  })

  it('in a packed body', async () => {
    const outcome = await check(
      (_request, response) => {
        response.on('error', () => undefined).setHeader('Content-Encoding', 'gzip')
        const packing = createGzip({ level: 1 })
        packing.pipe(response)
        pour(packing, 20 * MIB, 'the end')
      },
      { keyword_present: 'the end', keyword_absent: 'error' },
    )
    expect(outcome).toMatchObject({
      verdict: 'ok',
      details: { body_decoded_bytes: 20 * MIB + 7 },
    })
  })
})

describe('a number in a long page', () => {
  const page = (before: number, text: string) => at('x'.repeat(before) + text + 'y'.repeat(50_000))

  it('is read whole across the pieces in which it is searched', async () => {
    // An edge of a piece falls on each of its digits once.
    for (let before = 262_130; before < 262_150; before++) {
      const { details } = await check(page(before, ' 1234567890 '), {
        number_regex: ' (\\d+)(?: |$)',
      })
      expect(details.number).toBe(1_234_567_890)
    }
  })

  it('is not found by an anchor where the text neither begins nor ends', async () => {
    for (const number_regex of ['^7(\\d)', '\\b7(\\d)', '(\\d)$', '(\\d)\\b']) {
      expect(await check(at('7'.repeat(600_000) + 'x'), { number_regex })).toMatchObject({
        details: number_regex.includes('7') ? { number: 7 } : {},
        verdict: number_regex.includes('7') ? 'ok' : 'fail',
      })
    }
  })

  it('that a far-reaching pattern does not find may be there', async () => {
    const input = { number_regex: '/Total.*?(\\d+)/s' }
    expect(await check(at(`Total${'x'.repeat(100_000)}7`), input)).toMatchObject({ verdict: 'ok' })
    expect(await check(at(`Total${'x'.repeat(400_000)}7`), input)).toMatchObject(unseen)
    expect(await check(at('x'.repeat(100_000)), input)).toMatchObject({
      cause_code: 'number_missing',
    })
  })

  it('that takes long to search for is given up, and nobody is blamed', async () => {
    const input = { number_regex: '(?:[xy]+[xz]+)+(\\d)(?:[ab][cd]){9}' }
    const outcome = await check(long(30 * MIB, 'x7acacacacacacacacac', 'x'), input)
    expect(outcome).toMatchObject(unseen)
    expect(outcome.cause_text).toMatch(
      /^The first [\d,]+ characters of the body were searched, and/,
    )
  })
})

describe('a body that is searched as it streams by', () => {
  it('keeps no more of a long one in memory than of a short one', async () => {
    const input = { keyword_absent: 'zebra', keyword_present: 'the end', number_regex: 'end(\\d)' }
    const kept: number[] = []
    const listener = async (_request: unknown, response: ServerResponse): Promise<void> => {
      for (const size of [4 * MIB, 56 * MIB]) {
        await sent(response, size)
        kept.push(await reachable())
      }
      response.end('the end7')
    }
    expect(await check((...exchange) => void listener(...exchange), input)).toMatchObject({
      verdict: 'ok',
      details: { body_decoded_bytes: 60 * MIB + 8 },
    })
    expect(kept[1]! - kept[0]!).toBeLessThan(16 * MIB)
  })

  it.each<[string, HttpInput]>([
    ['a text', { keyword_absent: 'zebra' }],
    ['a long text that nearly fits everywhere', { keyword_absent: `b${'a'.repeat(999)}` }],
    ['a number', { number_regex: '(?:a|b)+(\\d)' }],
    [
      'all at once',
      { keyword_absent: 'zebra', number_regex: '\\w+(\\d)', keyword_absent_regex: '(?:a|b)+c' },
    ],
  ])('leaves turns to others: %s', async (_name, input) => {
    const body = gzipSync(Buffer.alloc(20 * MIB, 'a'))
    const packed = (_request: unknown, response: ServerResponse): void => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(body)
    }
    await using server = await serve(packed)
    const run = () => runCheck(http(), { url: server.origin, ...input }, { timeout_ms: 60_000 })
    const { longest_ms } = await leastOf(3, () => measureTurns(run), 5 * 50)
    expect(longest_ms).toBeLessThan(5 * 50)
  })

  it('is bounded by the deadline all the same', async () => {
    const drip: RequestListener = (_request, response) => {
      response.write('a'.repeat(5 * MIB))
    }
    await using server = await serve(drip)
    await withDeadline(500, async (timeout_ms) => {
      const input = { url: server.origin, keyword_absent: 'zebra' }
      const outcome = await runCheck(http(), input, { timeout_ms })
      expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'http_body_timeout' })
    })
  })
})

// 64 KiB of them were read in one turn of 60 ms and more.
it('leaves after a hundred interim answers, however short, and reads no more of them in a turn', async () => {
  const flood = 'HTTP/1.1 102 \r\n\r\n'.repeat(50_000)
  const ask = async () => {
    await using server = await serveRaw((socket) => void socket.end(flood, 'latin1'))
    return await runCheck(http(), { url: server.origin }, { timeout_ms: 60_000 })
  }
  const { value, longest_ms } = await leastOf(3, () => measureTurns(ask), 25)
  expect(value).toMatchObject({
    ...{ verdict: 'unknown', cause_code: 'http_header_limit' },
    cause_text: 'No final answer within 100 interim answers',
  })
  expect(longest_ms).toBeLessThan(25)
})
