/** How a body becomes text: codings undone, charset chosen, passed to a reader in pieces. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decoderOf, decodeText, textSteps } from '../../../src/net/http/charset.ts'
import { ACCEPT_ENCODING, codingLimit, codingsOf, decoded } from '../../../src/net/http/decode.ts'
import { createReading, gather } from '../../../src/net/http/reading.ts'
import { credentialsIn, redactHref, redactUrl } from '../../../src/net/http/redact-url.ts'
import type { TextReader } from '../../../src/net/net.ts'
import { failed } from './rules.ts'

const KIB = 1024

describe('the codings of a body', () => {
  it('are read in the order in which they were applied', () => {
    expect(codingsOf([' GZIP , identity,', 'br'])).toEqual(['gzip', 'br'])
    expect(codingsOf([])).toEqual([])
    expect(ACCEPT_ENCODING).toBe('gzip, deflate, br')
  })

  const text = Buffer.from('some text')
  /** As raw deflate, not packed: of the first byte the three lowest bits count. */
  const stored = (first: number, of: Buffer) =>
    Buffer.concat([
      Buffer.of(first, of.length, 0, 255 - of.length, 255),
      ...[of, Buffer.of(1, 0, 0, 255, 255)],
    ])
  const unpacked = async (body: Buffer, codings: readonly string[], limit = 1000) =>
    buffer(await decoded(Readable.from([body]), codings, limit))

  it.each<[string, Buffer]>([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateSync(text, { level: 9 })],
    ['deflate', deflateRawSync(text)],
    // Begins as zlib does, with another sum; and the other way round.
    ['deflate', stored(0x08, text)],
    ['deflate', stored(0x39, text)],
  ])('%s is undone', async (coding, body) => {
    expect(String(await unpacked(body, [coding]))).toBe(String(text))
  })

  it('are undone from the last to the first, where it comes byte by byte as well', async () => {
    const body = deflateSync(brotliCompressSync(text))
    expect(String(await unpacked(body, ['br', 'deflate']))).toBe(String(text))
    const bytes = Readable.from([...body].map((byte) => Buffer.of(byte)))
    expect(String(await buffer(await decoded(bytes, ['br', 'deflate'], 1000)))).toBe(String(text))
    expect(String(await unpacked(text, []))).toBe(String(text))
  })

  it('that ends within two bytes is no zlib', async () => {
    for (const body of [Buffer.of(0x78), Buffer.alloc(0)])
      await expect(
        buffer(await decoded(Readable.from(body.length === 0 ? [] : [body]), ['deflate'], 9)),
      ).rejects.toThrow('unexpected end of file')
  })

  it('are told by two bytes, without more of the body', async () => {
    const body = deflateSync(text)
    const source = new Readable({ read: () => undefined })
    source.push(body.subarray(0, 2))
    const stream = await decoded(source, ['deflate'], 9)
    source.push(body.subarray(2))
    source.push(null)
    expect(String(await buffer(stream))).toBe(String(text))
  })

  const refused = (codings: readonly string[]) =>
    unpacked(text, codings).then(() => undefined, failed)

  it('are two at most, of those that were asked for', async () => {
    expect(await refused(['br', 'br', 'br'])).toEqual({
      ...{ code: 'http_coding_limit', phase: 'transfer' },
      message: 'The body is packed 3 times over; 2 are undone',
    })
    const message = 'The body has the content coding "zstd", which was not asked for'
    expect(await refused(['zstd'])).toEqual({
      ...{ code: 'http_decode_error', phase: 'transfer', message },
    })
    const long = (length: number) => refused(['x'.repeat(length)])
    expect(await long(40)).toMatchObject({ message: message.replace('zstd', 'x'.repeat(40)) })
    expect(await long(41)).toMatchObject({ message: message.replace('zstd', `${'x'.repeat(40)}…`) })
    expect(failed(codingLimit('x'))).toEqual({
      ...{ code: 'http_coding_limit', message: 'x', phase: 'transfer' },
    })
  })

  it('do not unpack to more than the limit, but for the last', async () => {
    const zeros = gzipSync(gzipSync(Buffer.alloc(5000)))
    const inner = gzipSync(Buffer.alloc(5000)).length
    expect(await unpacked(zeros, ['gzip', 'gzip'], inner)).toHaveLength(5000)
    expect(await unpacked(zeros, ['gzip', 'gzip'], inner - 1).catch(failed)).toEqual({
      ...{ code: 'http_coding_limit', phase: 'transfer' },
      message: `A layer of the body unpacks to more than ${inner - 1} bytes`,
    })
  })

  it('unpack to at most 4 MiB from a window of Brotli that may be larger', async () => {
    const packed = (bytes: number, bits: number) =>
      brotliCompressSync(Buffer.alloc(bytes), { params: { [constants.BROTLI_PARAM_LGWIN]: bits } })
    const most = 4 * KIB * KIB
    const lengthOf = async (body: Buffer, coding: string) => (await unpacked(body, [coding])).length
    for (const bits of [23, 24]) {
      expect(await lengthOf(packed(most, bits), 'br')).toBe(most)
      expect(await lengthOf(packed(most + 1, bits), 'br').catch(failed)).toEqual({
        ...{ code: 'http_coding_limit', phase: 'transfer' },
        message: 'A layer of the body unpacks to more than 4194304 bytes',
      })
    }
    expect(await lengthOf(packed(most + 1, 22), 'br')).toBe(most + 1)
    expect(await lengthOf(gzipSync(Buffer.alloc(most + 1)), 'gzip')).toBe(most + 1)
  })

  it('that are broken are told, and the source is left', async () => {
    await expect(unpacked(Buffer.from('no gzip'), ['gzip'])).rejects.toThrow('incorrect header')
    const source = Readable.from([gzipSync(text)])
    const stream = await decoded(source, ['gzip', 'gzip'], 1000)
    stream.on('error', () => undefined).destroy()
    await new Promise((resolve) => stream.once('close', resolve))
    expect(source.destroyed).toBe(true)
    const broken = new Readable({ read: () => undefined })
    const waiting = decoded(broken, ['deflate'], 10)
    broken.destroy(new Error('the connection broke'))
    await expect(waiting.then(buffer)).rejects.toThrow('the connection broke')
  })
})

describe('the charset of a text', () => {
  const charset = (body: Buffer | string, type?: string) =>
    decoderOf(Buffer.from(body), type).encoding
  const meta = '<html><head><meta  http-equiv="x" content="text/html; charset=windows-1251">'
  const xml = '<?xml version="1.0" encoding="koi8-r"?>'

  it.each<[string, Buffer | string, string | undefined, string]>([
    ['none', 'a', undefined, 'utf-8'],
    ['of the header', 'a', 'text/html; Charset = "windows-1251"; x', 'windows-1251'],
    ['of the header alone', meta, "text/html;charset='koi8-r'", 'koi8-r'],
    ['that nobody knows', 'a', 'text/html; charset=klingon', 'utf-8'],
    ['of no parameter', 'a', 'text/charset=koi8-r', 'utf-8'],
    ['of a mark', Buffer.of(0xef, 0xbb, 0xbf), 'text/html; charset=koi8-r', 'utf-8'],
    ['of a mark for UTF-16BE', Buffer.of(0xfe, 0xff), undefined, 'utf-16be'],
    ['of a mark for UTF-16LE', Buffer.of(0xff, 0xfe), undefined, 'utf-16le'],
    ['of half a mark', Buffer.of(0xef, 0xbb, 0x41), 'x; charset=koi8-r', 'koi8-r'],
    ['of a mark amiss', Buffer.of(0xef, 0x41, 0xbf), 'x; charset=koi8-r', 'koi8-r'],
    ['of another mark', Buffer.of(0x41, 0xbb, 0xbf), 'x; charset=koi8-r', 'koi8-r'],
    ['of half of UTF-16BE', Buffer.of(0xfe, 0x41), undefined, 'utf-8'],
    ['of half of UTF-16LE', Buffer.of(0xff, 0x41), undefined, 'utf-8'],
    ['of the other half of UTF-16BE', Buffer.of(0x41, 0xff), undefined, 'utf-8'],
    ['of the other half of UTF-16LE', Buffer.of(0x41, 0xfe), undefined, 'utf-8'],
    ['of a meta element', meta, undefined, 'windows-1251'],
    ['of a short one', '<META charset = "koi8-r"/>', undefined, 'koi8-r'],
    ['of a bare one', '<meta charset=koi8-r>', undefined, 'koi8-r'],
    ['of another element', '<metal charset=koi8-r>', undefined, 'utf-8'],
    ['of XML', xml, undefined, 'koi8-r'],
    ['of XML after blanks', `\n ${xml.replaceAll('=', ' = ')}`, undefined, 'koi8-r'],
    ['of XML that comes later', `<a>${xml}`, undefined, 'utf-8'],
    ['of UTF-16 that is readable', '<meta charset=utf-16>', undefined, 'utf-8'],
    ['of UTF16 that is readable', '<meta charset="UTF16be">', undefined, 'utf-8'],
    ['of UTF-16 by another name', '<meta charset=unicode>', undefined, 'utf-8'],
    ['of UTF-16 in XML', xml.replace('koi8-r', ' utf-16be '), undefined, 'utf-8'],
    ['of UTF-16 in the header', 'a', 'text/html; charset=utf-16', 'utf-16le'],
    ['of something like UTF-16', '<meta charset="x-utf-16">', undefined, 'utf-8'],
    ['within the first kilobyte', meta.padStart(KIB, ' '), undefined, 'windows-1251'],
    ['behind it', `${' '.repeat(KIB)}${meta}`, undefined, 'utf-8'],
  ])('is the one %s', (_, body, type, wanted) => {
    expect(charset(body, type)).toBe(wanted)
  })

  it('is undone whole, and in steps of 64 KiB', () => {
    expect(decodeText(Buffer.of(0xc0), 'x; charset=koi8-r')).toBe('ю')
    expect(decodeText(Buffer.of(0xff), undefined)).toBe('\ufffd')
    const stepped = (length: number) => {
      // A character of two bytes lies on every border.
      const body = Buffer.from('a' + 'ü'.repeat((length - 1) / 2))
      const steps = textSteps(body, undefined)
      let count = 0
      let step = steps.next()
      for (; step.done !== true; step = steps.next()) count += 1
      return [count, step.value === String(body)]
    }
    expect(stepped(64 * KIB - 1)).toEqual([0, true])
    expect(stepped(64 * KIB + 1)).toEqual([2, true])
    expect(stepped(130 * KIB + 1)).toEqual([3, true])
    const exact = textSteps(Buffer.alloc(64 * KIB, 'a'), undefined)
    expect(exact.next()).toMatchObject({ done: true })
    expect([...textSteps(Buffer.alloc(128 * KIB, 'a'), undefined)]).toHaveLength(2)
    // The half of a character at the end is no text.
    const cut = [...textSteps(Buffer.from(`${'a'.repeat(64 * KIB)}ü`).subarray(0, -1), undefined)]
    expect(cut).toHaveLength(2)
  })
})

describe('what is gathered', () => {
  it('is kept up to the limit, and counted beyond', () => {
    const gathering = gather(5)
    expect(gathering.add(Buffer.from('abc'))).toBe(true)
    expect(gathering.add(Buffer.from('de'))).toBe(true)
    expect(gathering.result()).toEqual({ body: Buffer.from('abcde'), body_cut: false })
    expect(gathering.add(Buffer.from('fg'))).toBe(false)
    expect(gathering.add(Buffer.from('h'))).toBe(false)
    expect(gathering.size()).toBe(8)
    expect(gathering.result()).toEqual({ body: Buffer.from('abcde'), body_cut: true })
  })

  it('grows as it comes', () => {
    const gathering = gather(1000)
    const bytes = Buffer.from(Array.from({ length: 300 }, (_, n) => n % 256))
    for (const byte of bytes) gathering.add(Buffer.of(byte))
    expect(gathering.result().body).toEqual(bytes)
    // Room for what has come, then for twice as much, and for the limit in the end: too much for a pool of Node.
    const few = gather(300_000)
    const room = (bytes: number) => {
      few.add(Buffer.alloc(bytes))
      return few.result().body.buffer.byteLength
    }
    expect([60_000, 1, 59_999, 1, 120_000].map(room)).toEqual([
      60_000, 120_000, 120_000, 240_000, 300_000,
    ])
    expect([room(90_000), few.result().body.length]).toEqual([300_000, 300_000])
    expect(gather(3).result()).toEqual({ body: Buffer.alloc(0), body_cut: false })
  })
})

describe('a reader of a body', () => {
  /** Steps run when the test says so. */
  function reading({ most = Infinity, contentType }: { most?: number; contentType?: string } = {}) {
    const taken: string[] = []
    const ended: unknown[] = []
    let failure: Error | undefined
    const reader: TextReader = {
      wantsMore: () => taken.join('').length < most,
      *take(text) {
        if (failure !== undefined) throw failure
        taken.push(text)
        yield
      },
      *end(read) {
        ended.push(read)
        yield
      },
    }
    const jobs: (() => void)[] = []
    const inTurns = <T>(steps: Generator<void, T>): Promise<T> =>
      new Promise((resolve, reject) => {
        jobs.push(() => {
          try {
            let step = steps.next()
            while (step.done !== true) step = steps.next()
            resolve(step.value)
          } catch (error) {
            reject(error)
          }
        })
      })
    const run = async () => {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        job()
        await new Promise((resolve) => void setImmediate(resolve))
      }
    }
    const all = createReading({ reader, contentType, inTurns })
    return {
      ...{ all, taken, ended, run, jobs },
      fail: (error: Error) => void (failure = error),
      lengths: () => taken.map(({ length }) => length),
    }
  }
  const READ = { bytes: 5, whole: true }

  it('gets pieces of 64 KiB, and what is left at the end', async () => {
    const { all, run, lengths, ended, jobs } = reading()
    all.add(Buffer.alloc(64 * KIB - 1, 'a'))
    expect(jobs).toEqual([])
    all.add(Buffer.alloc(64 * KIB + 2, 'a'))
    await run()
    expect(lengths()).toEqual([64 * KIB, 64 * KIB])
    const end = all.end(READ)
    await run()
    await end
    expect([lengths(), ended]).toEqual([[64 * KIB, 64 * KIB, 1], [READ]])
  })

  it('gets a character whose bytes come in two pieces, and the end of a broken one', async () => {
    const { all, run, taken } = reading({ contentType: 'text/plain; charset=utf-8' })
    all.add(Buffer.from('a'.repeat(64 * KIB - 1) + 'ü').subarray(0, 64 * KIB + 1))
    all.add(Buffer.of(0xc3))
    const end = all.end(READ)
    await run()
    await end
    expect(taken.map((text) => text.slice(-1))).toEqual(['a', 'ü', '\ufffd'])
  })

  it('has the charset of the header, or of the first piece', async () => {
    const named = reading({ contentType: 'text/plain; charset=koi8-r' })
    named.all.add(Buffer.of(0xc0))
    const end = named.all.end(READ)
    await named.run()
    await end
    expect(named.taken).toEqual(['ю'])
    const declared = reading()
    declared.all.add(Buffer.concat([Buffer.from('<meta charset=koi8-r>'), Buffer.of(0xc0)]))
    const ended = declared.all.end(READ)
    await declared.run()
    await ended
    expect(declared.taken[0]?.slice(-1)).toBe('ю')
  })

  it('gets no more than it wants', async () => {
    const { all, run, lengths, ended } = reading({ most: 64 * KIB })
    expect(all.wantsMore()).toBe(true)
    all.add(Buffer.alloc(200 * KIB, 'a'))
    all.add(Buffer.of(0xc3))
    const end = all.end(READ)
    await run()
    await end
    expect([all.wantsMore(), lengths(), ended]).toEqual([false, [64 * KIB], [READ]])
  })

  it('of an empty body is told its end', async () => {
    const { all, run, taken, ended } = reading()
    const end = all.end(READ)
    await run()
    await end
    expect([taken, ended]).toEqual([[], [READ]])
  })

  it('is behind beyond 256 KiB, until it has read', async () => {
    const { all, run, lengths } = reading()
    all.add(Buffer.alloc(256 * KIB, 'a'))
    expect(all.behind()).toBeUndefined()
    all.add(Buffer.alloc(64 * KIB, 'a'))
    const behind = all.behind()
    expect(behind).toBeInstanceOf(Promise)
    await run()
    await behind
    expect([all.behind(), lengths().length]).toEqual([undefined, 5])
    all.add(Buffer.alloc(64 * KIB, 'a'))
    expect(all.behind()).toBeUndefined()
    await run()
  })

  it('reads what comes while it reads', async () => {
    const { all, run, lengths, jobs } = reading()
    all.add(Buffer.alloc(64 * KIB, 'a'))
    const [first] = jobs
    first?.()
    jobs.shift()
    // Before its end is noticed.
    all.add(Buffer.alloc(64 * KIB, 'a'))
    await new Promise((resolve) => void setImmediate(resolve))
    expect(jobs).toHaveLength(1)
    await run()
    expect(lengths()).toEqual([64 * KIB, 64 * KIB])
  })

  it('is not told the end before it has read', async () => {
    const { all, run, jobs } = reading()
    all.add(Buffer.alloc(64 * KIB, 'a'))
    const end = all.end(READ)
    await new Promise((resolve) => void setImmediate(resolve))
    expect(jobs).toHaveLength(1)
    await run()
    await end
  })

  it('that fails is told at the end, and by who waits for it', async () => {
    const { all, run, fail } = reading()
    fail(new Error('a defect'))
    all.add(Buffer.alloc(320 * KIB, 'a'))
    const behind = all.behind()
    const end = all.end(READ)
    await Promise.all([
      expect(behind).rejects.toThrow('a defect'),
      expect(end).rejects.toThrow('a defect'),
      run(),
    ])
  })
})

describe('an address that is shown', () => {
  it.each([
    ['https://a.example/?x=1', 'https://a.example/?x=1'],
    ['https://u@a.example/', 'https://a.example/'],
    ['https://:p@a.example/', 'https://a.example/'],
    [
      'https://a.example/?x[token]=1&x.sid=2&x%zz=3',
      'https://a.example/?x[token]=***&x.sid=***&x%zz=3',
    ],
    ['https://a.example/?tokens=1&xtoken=2', 'https://a.example/?tokens=1&xtoken=2'],
    ['https://a.example/?userKey=1&USERKEY=2', 'https://a.example/?userKey=***&USERKEY=2'],
    ['https://a.example/?=x', 'https://a.example/?=x'],
    ['https://a.example/?', 'https://a.example/?'],
    ['https://a.example/?keys', 'https://a.example/?keys'],
    ['https://a.example/?credential=x', 'https://a.example/?credential=***'],
  ])('%s is shown as %s', (address, shown) => {
    expect([redactUrl(address), redactHref(address)]).toEqual([shown, shown])
  })

  it('without query and login is returned as it is', () => {
    expect(redactHref('HTTPS://a.example')).toBe('HTTPS://a.example')
  })

  it('has these credentials', () => {
    expect(credentialsIn('https://a.example/?token=a%20b&x=1&api_key=c')).toEqual(['a b', 'c'])
    expect(credentialsIn('no address')).toEqual([])
  })
})
