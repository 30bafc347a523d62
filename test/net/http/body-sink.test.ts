/** What is kept of a body, counted, and passed to a reader; and when its source has to wait. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createBodySink } from '../../../src/net/http/body.ts'
import type { BodyOptions, CollectedBody } from '../../../src/net/http/body.ts'
import type { Reading } from '../../../src/net/http/reading.ts'
import { failed } from './rules.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** A sink, how often its source has to wait, and its end. */
function sinking(options: Partial<BodyOptions> = {}) {
  const ends: (CollectedBody | Error)[] = []
  let holds = 0
  let told = (): void => undefined
  const ended = new Promise<void>((resolve) => (told = resolve))
  const end = (how: CollectedBody | Error): void => {
    ends.push(how)
    told()
  }
  const sink = createBodySink({
    ...{ codings: [], bodyLimit: 10, resolve: end, reject: end },
    hold() {
      holds += 1
      return () => void (holds -= 1)
    },
    ...options,
  })
  return {
    ...{ sink, ends, holds: () => holds },
    async collected() {
      await ended
      const [how] = ends
      if (how === undefined || how instanceof Error) throw how
      return { ...how, body: String(how.body) }
    },
    async failure() {
      await ended
      return failed(ends[0])
    },
  }
}

/** A reader that wants so many bytes; it is behind until the test says otherwise. */
function readingOf(wanted = Infinity) {
  const read: number[] = []
  const ended: unknown[] = []
  let behind: Promise<void> | undefined
  const reading: Reading = {
    wantsMore: () => read.reduce((sum, bytes) => sum + bytes, 0) < wanted,
    add: (chunk) => void read.push(chunk.length),
    behind: () => behind,
    end(how) {
      ended.push(how)
      return Promise.resolve()
    },
  }
  return { reading, read, ended, wait: (until?: Promise<void>) => void (behind = until) }
}

const turn = () => new Promise((resolve) => void setImmediate(resolve))

describe('a body that is not packed', () => {
  it('is collected up to its end', async () => {
    const { sink, collected, holds } = sinking()
    sink.take(Buffer.from('abc'))
    expect(sink.body_bytes()).toBe(3)
    sink.take(Buffer.from('defghij'))
    sink.end()
    expect(await collected()).toEqual({
      ...{ body: 'abcdefghij', decoded_bytes: 10, body_cut: false, body_bytes: 10 },
    })
    expect(holds()).toBe(0)
  })

  it('is cut at the limit, where it ends, and what comes after is only counted', async () => {
    const { sink, collected, holds, ends } = sinking()
    sink.take(Buffer.from('abcdefgh'))
    sink.take(Buffer.from('ijkl'))
    sink.take(Buffer.from('m'))
    sink.end()
    expect(await collected()).toEqual({
      ...{ body: 'abcdefghij', decoded_bytes: 10, body_cut: true, body_bytes: 12 },
    })
    expect([sink.body_bytes(), holds(), ends.length]).toEqual([13, 1, 1])
  })

  it('is counted where it is not kept', async () => {
    const { sink, collected } = sinking({ keepBody: false })
    sink.take(Buffer.from('abc'))
    sink.end()
    expect(await collected()).toEqual({
      ...{ body: '', decoded_bytes: 3, body_cut: false, body_bytes: 3 },
    })
  })

  it('is read beyond the limit while its reader wants more', async () => {
    const { reading, read, ended } = readingOf(15)
    const { sink, collected } = sinking({ reading })
    for (const text of ['abcdefgh', 'ijklmnop', 'qrstuvwx']) sink.take(Buffer.from(text))
    expect(await collected()).toEqual({
      ...{ body: 'abcdefghij', decoded_bytes: 16, body_cut: true, body_bytes: 24 },
    })
    expect([read, ended]).toEqual([[8, 8, 0], [{ bytes: 16, whole: false }]])
  })

  it('is read up to 64 MiB', async () => {
    const { reading, read, ended } = readingOf()
    const { sink, collected } = sinking({ reading, keepBody: false })
    sink.take(Buffer.alloc(64 * MIB))
    sink.take(Buffer.from('a'))
    expect(await collected()).toMatchObject({ decoded_bytes: 64 * MIB, body_cut: true })
    expect([read, ended]).toEqual([[64 * MIB, 0], [{ bytes: 64 * MIB, whole: false }]])
  })

  it('is told whole to its reader', async () => {
    const { reading, ended } = readingOf()
    const { sink, collected } = sinking({ reading })
    sink.take(Buffer.from('abc'))
    sink.end()
    expect(await collected()).toMatchObject({ body: 'abc', body_cut: false })
    expect(ended).toEqual([{ bytes: 3, whole: true }])
  })

  it('waits while its reader is behind, once', async () => {
    const { reading, wait } = readingOf()
    const { sink, holds } = sinking({ reading })
    let go = (): void => undefined
    wait(new Promise((resolve) => (go = resolve)))
    sink.take(Buffer.from('a'))
    sink.take(Buffer.from('b'))
    expect(holds()).toBe(1)
    go()
    await turn()
    expect(holds()).toBe(0)
    sink.take(Buffer.from('c'))
    expect(holds()).toBe(1)
    wait()
    await turn()
    sink.take(Buffer.from('d'))
    expect(holds()).toBe(0)
  })

  it.each<[unknown]>([[new Error('a defect')], ['a defect']])(
    'fails as its reader does: %s',
    async (defect) => {
      const { reading, wait } = readingOf()
      const { sink, failure, holds } = sinking({ reading })
      // A reader may throw anything.
      wait(
        Promise.resolve().then(() => {
          throw defect
        }),
      )
      sink.take(Buffer.from('a'))
      expect(await failure()).toEqual(new Error('a defect'))
      await turn()
      expect(holds()).toBe(0)
    },
  )

  it('fails as the end of its reader does', async () => {
    const { reading } = readingOf()
    const { sink, failure } = sinking({
      reading: { ...reading, end: () => Promise.reject(new Error('a defect')) },
    })
    sink.end()
    expect(await failure()).toEqual(new Error('a defect'))
  })

  it('fails as its source does', async () => {
    const { sink, failure } = sinking()
    sink.fail(new Error('gone'))
    expect(await failure()).toEqual(new Error('gone'))
  })
})

describe('a packed body', () => {
  const packed = (options: Partial<BodyOptions> = {}) => sinking({ codings: ['gzip'], ...options })

  it('is unpacked, and both sizes are told', async () => {
    const { sink, collected } = packed()
    const bytes = gzipSync('abcdefghij')
    sink.take(bytes.subarray(0, 5))
    sink.take(bytes.subarray(5))
    expect(sink.body_bytes()).toBe(bytes.length)
    sink.end()
    expect(await collected()).toEqual({
      ...{ body: 'abcdefghij', decoded_bytes: 10, body_cut: false, body_bytes: bytes.length },
    })
  })

  it('of no bytes is an empty one', async () => {
    const { sink, collected } = packed()
    sink.end()
    expect(await collected()).toEqual({
      ...{ body: '', decoded_bytes: 0, body_cut: false, body_bytes: 0 },
    })
    const { reading } = readingOf()
    const defect = { ...reading, end: () => Promise.reject(new Error('a defect')) }
    const failing = packed({ reading: defect })
    failing.sink.end()
    expect(await failing.failure()).toEqual(new Error('a defect'))
  })

  it('is cut at the limit, without the rest', async () => {
    const { sink, collected, ends } = packed()
    sink.take(gzipSync('x'.repeat(100)))
    expect(await collected()).toMatchObject({ body: 'x'.repeat(10), body_cut: true })
    await turn()
    sink.take(Buffer.from('more'))
    sink.end()
    await turn()
    expect(ends).toHaveLength(1)
  })

  it('that is broken is told', async () => {
    const { sink, failure } = packed()
    sink.take(Buffer.from('no gzip at all'))
    sink.end()
    expect(await failure()).toEqual({
      ...{ code: 'http_decode_error', phase: 'transfer' },
      message: 'The body does not unpack: incorrect header check',
    })
    const other = packed({ codings: ['zstd'] })
    other.sink.take(Buffer.from('a'))
    expect(await other.failure()).toMatchObject({
      message: 'The body has the content coding "zstd", which was not asked for',
    })
  })

  it('that breaks off has the failure of its source', async () => {
    const { sink, failure } = packed()
    sink.take(gzipSync('abc').subarray(0, 12))
    await turn()
    sink.fail(new Error('gone'))
    expect(await failure()).toEqual(new Error('gone'))
    const before = packed()
    before.sink.fail(new Error('gone'))
    expect(await before.failure()).toEqual(new Error('gone'))
    await turn()
  })

  /** Packed, it says nothing at all, for ever. */
  const nothing = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')))

  it.each<[string, Partial<BodyOptions>, number]>([
    ['its limit', {}, 10],
    ['64 MiB where it is read', { reading: readingOf().reading, bodyLimit: 10 }, 64 * MIB],
    [
      'its limit where that is more',
      { bodyLimit: 65 * MIB, reading: readingOf().reading },
      65 * MIB,
    ],
  ])('that unpacks to less is left at 64 KiB more than %s', async (_, options, limit) => {
    const { sink, failure, ends } = packed(options)
    const most = limit + 64 * KIB
    sink.take(Buffer.concat([nothing, Buffer.alloc(most - nothing.length)]))
    expect(ends).toEqual([])
    sink.take(Buffer.of(0))
    expect(await failure()).toEqual({
      ...{ code: 'http_coding_limit', phase: 'transfer' },
      message: `More than ${most} bytes of the packed body unpack to less`,
    })
  })

  it('has its source wait while much of it is not unpacked', async () => {
    const { sink, holds, collected } = packed({ bodyLimit: MIB })
    const bytes = gzipSync(Buffer.alloc(200 * KIB, 'abc'), { level: 0 })
    sink.take(bytes.subarray(0, 100 * KIB))
    sink.take(bytes.subarray(100 * KIB))
    expect(holds()).toBe(1)
    await expect.poll(holds).toBe(0)
    sink.end()
    expect(await collected()).toMatchObject({ decoded_bytes: 200 * KIB })
  })

  it('is unpacked no faster than its reader reads', async () => {
    const { reading, read, wait } = readingOf()
    const { sink, collected } = packed({ reading, bodyLimit: MIB, keepBody: false })
    let go = (): void => undefined
    wait(new Promise((resolve) => (go = resolve)))
    sink.take(gzipSync(Buffer.alloc(200 * KIB)))
    sink.end()
    await expect.poll(() => read.length).toBe(1)
    for (let n = 0; n < 20; n++) await turn()
    expect(read).toHaveLength(1)
    wait()
    go()
    expect(await collected()).toMatchObject({ decoded_bytes: 200 * KIB, body: '' })
  })
})
