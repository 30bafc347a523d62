import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ask, serve } from '../../support/http-exchange.ts'

const page = Buffer.from('The quick brown fox. '.repeat(500))
const MiB = 1024 * 1024

async function askFor(body: Buffer, headers: Record<string, string>, bodyLimit?: number) {
  await using server = await serve((_request, response) =>
    response.writeHead(200, headers).end(body),
  )
  return await ask({ url: server.origin, ...(bodyLimit === undefined ? {} : { bodyLimit }) })
}

describe('a packed body', () => {
  it.each([
    ['gzip', gzipSync(page)],
    ['x-gzip', gzipSync(page)],
    ['GZIP', gzipSync(page)],
    ['deflate', deflateSync(page)],
    ['deflate', deflateRawSync(page)],
    ['br', brotliCompressSync(page)],
    ['identity', page],
    ['gzip, br', brotliCompressSync(gzipSync(page))],
    ['br, gzip', gzipSync(brotliCompressSync(page))],
    ['deflate, gzip', gzipSync(deflateRawSync(page))],
    ['gzip, identity, deflate', deflateSync(gzipSync(page))],
  ])('%s is unpacked', async (coding, body) => {
    const { exchange } = await askFor(body, { 'Content-Encoding': coding })
    expect(exchange?.body.equals(page)).toBe(true)
    expect(exchange?.body_bytes).toBe(body.length)
  })

  it('is unpacked when it comes byte by byte', async () => {
    const packed = deflateRawSync(Buffer.from('slowly'))
    await using server = await serve((_request, response) => {
      response.setHeader('Content-Encoding', 'deflate')
      const drip = (at: number): void => {
        if (at === packed.length) return void response.end()
        response.write(packed.subarray(at, at + 1))
        setTimeout(drip, 2, at + 1)
      }
      drip(0)
    })
    expect((await ask(server.origin)).exchange?.text()).toBe('slowly')
  })

  it('of no bytes is an empty body', async () => {
    const { exchange } = await askFor(Buffer.alloc(0), { 'Content-Encoding': 'gzip' })
    expect(exchange?.body.length).toBe(0)
  })

  it.each([
    ['gzip', page],
    ['br', page],
    ['deflate', Buffer.from([0xff, 0xff, 0xff])],
    ['gzip', gzipSync(page).subarray(0, 60)],
    ['gzip, br', gzipSync(page)],
    ['zstd', page],
    ['something-else', page],
  ])('that is not %s is a cause', async (coding, body) => {
    expect(await askFor(body, { 'Content-Encoding': coding })).toMatchObject({
      exchange: null,
      cause_code: 'http_decode_error',
      phase: 'transfer',
    })
  })

  it('that unpacks to 200 MiB of nothing stops at the limit, and so does memory', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MiB))
    const before = process.memoryUsage.rss()
    const { exchange } = await askFor(bomb, { 'Content-Encoding': 'gzip' }, 4 * MiB)
    expect(exchange).toMatchObject({ body_cut: true, status: 200 })
    expect(exchange?.body.length).toBe(4 * MiB)
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MiB)
  })

  it('packed twice unpacks to no more than the limit either', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(200 * MiB)))
    const { exchange } = await askFor(bomb, { 'Content-Encoding': 'gzip, gzip' }, MiB)
    expect(exchange).toMatchObject({ body_cut: true })
    expect(exchange?.body.length).toBe(MiB)
  })

  it('packed three times over is left as it is: our limit, which says nothing of the body', async () => {
    const packed = gzipSync(gzipSync(gzipSync('page')))
    const answer = await askFor(packed, { 'Content-Encoding': 'gzip, gzip, gzip' })
    expect(answer).toMatchObject({
      cause_code: 'http_coding_limit',
      cause_text: 'The body is packed 3 times over; 2 are undone',
    })
  })

  it('has no layer that unpacks to more than the limit, whatever is in it', async () => {
    const layer = (members: number): Buffer => Buffer.alloc(members * 20, gzipSync(''))
    const coding = { 'Content-Encoding': 'gzip, gzip' }
    const fits = await askFor(gzipSync(layer(3_000)), coding, 1024)
    expect(fits.exchange?.body.length).toBe(0)
    const longer = await askFor(gzipSync(layer(4_000)), coding, 1024)
    expect(longer).toMatchObject({ cause_code: 'http_coding_limit' })
  })

  const windowed = (body: Buffer, bits: number): Buffer =>
    brotliCompressSync(body, {
      params: {
        [constants.BROTLI_PARAM_LGWIN]: bits,
        [constants.BROTLI_PARAM_QUALITY]: 5,
      },
    })

  it.each([10, 16, 17, 18, 22, 23, 24])(
    'by Brotli with a window of %i bits is unpacked',
    async (bits) => {
      const { exchange } = await askFor(windowed(page, bits), { 'Content-Encoding': 'br' })
      expect(exchange?.body.equals(page)).toBe(true)
    },
  )

  it.each([
    [22, null],
    [23, 'http_coding_limit'],
    [24, 'http_coding_limit'],
  ])('of 5 MiB by Brotli with a window of %i bits: %s', async (bits, cause_code) => {
    const packed = windowed(Buffer.alloc(5 * MiB), bits)
    const answer = await askFor(packed, { 'Content-Encoding': 'br' }, 8 * MiB)
    expect(answer.cause_code ?? null).toBe(cause_code)
  })

  it('by Brotli in a large window that does not end is not held', async () => {
    const packed = windowed(Buffer.alloc(32 * MiB), 24)
    await using server = await serve((_request, response) => {
      response.setHeader('Content-Encoding', 'br')
      response.write(packed.subarray(0, -4))
    })
    const asked = { url: server.origin, bodyLimit: 64 * MiB }
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(asked)))
    for (const answer of answers)
      expect(answer).toMatchObject({
        cause_code: 'http_coding_limit',
        cause_text: expect.stringContaining('4194304'),
      })
  })

  it('that unpacks to nothing without end is left: our limit, which says nothing of the body', async () => {
    const empty = gzipSync(Buffer.alloc(0))
    const endless = Buffer.concat(Array.from({ length: 20_000 }, () => empty))
    expect(await askFor(endless, { 'Content-Encoding': 'gzip' }, 1024)).toMatchObject({
      cause_code: 'http_coding_limit',
    })
  })
})

describe('the text of a body', () => {
  const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]) // "Привет" in windows-1251
  const japanese = Buffer.from([0x93, 0xfa, 0x96, 0x7b]) // "日本" in Shift_JIS
  const join = (...parts: (string | Buffer)[]) =>
    Buffer.concat(parts.map((part) => Buffer.from(part as string)))

  it.each([
    ['the header', 'text/html; charset=windows-1251', cyrillic, 'Привет'],
    ['a quoted header', 'text/html; charset="Windows-1251"; x=y', cyrillic, 'Привет'],
    ['Shift_JIS in the header', 'text/html; charset=Shift_JIS', japanese, '日本'],
    ['no word at all', 'text/html', Buffer.from('größe'), 'größe'],
    ['an unknown label', 'text/html; charset=klingon', Buffer.from('größe'), 'größe'],
    [
      'a byte order mark above the header',
      'text/html; charset=windows-1251',
      Buffer.from('\ufeffgröße'),
      'größe',
    ],
    ['a byte order mark of UTF-16', 'text/html', Buffer.from('\ufeffgröße', 'utf16le'), 'größe'],
    [
      'a meta element',
      'text/html',
      join('<meta charset=windows-1251>', cyrillic),
      '<meta charset=windows-1251>Привет',
    ],
    [
      'an old meta element',
      'text/html',
      join('<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">', japanese),
      '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">日本',
    ],
    [
      'the header above a meta element',
      'text/html; charset=utf-8',
      Buffer.from('<meta charset=windows-1251>é'),
      '<meta charset=windows-1251>é',
    ],
    [
      'a meta element that cannot be right',
      'text/html',
      Buffer.from('<meta charset=utf-16le>é'),
      '<meta charset=utf-16le>é',
    ],
    [
      'an XML declaration',
      'application/xml',
      join('<?xml version="1.0" encoding="windows-1251"?>', cyrillic),
      '<?xml version="1.0" encoding="windows-1251"?>Привет',
    ],
    [
      'a meta element too far down',
      'text/html',
      join(' '.repeat(1024), '<meta charset=windows-1251>é'),
      `${' '.repeat(1024)}<meta charset=windows-1251>é`,
    ],
  ])('is read by %s', async (_name, type, body, text) => {
    const { exchange } = await askFor(body, { 'Content-Type': type })
    expect(exchange?.text()).toBe(text)
  })
})
