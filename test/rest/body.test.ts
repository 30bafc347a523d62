import { describe, expect, it } from 'vitest'
import { BODY_LIMITS, readBytes, JSON_LIMITS, readJson } from '../../src/rest/body.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

type Body = string | Uint8Array | ReadableStream<Uint8Array> | null

const JSON_TYPE = { 'content-type': 'application/json' }

function post(body: Body, headers: Record<string, string> = JSON_TYPE): Request {
  return new Request('http://localhost/', {
    method: 'POST',
    headers,
    body,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  })
}

/** The error code with which a body is refused. */
async function refusalOf(request: Request): Promise<unknown> {
  return readJson(request, simulatedClock()).then(
    (value) => ({ accepted: value }),
    (error: unknown) => (error as { code: string }).code,
  )
}

const nested = (levels: number): string =>
  '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)

describe('a JSON body', () => {
  it('is the object that was sent', async () => {
    const body = await readJson(post('{"type":"http","tags":["a"]}'), simulatedClock())
    expect(body).toEqual({ type: 'http', tags: ['a'] })
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;Charset="UTF-8"',
    'application/json; odata=verbose; charset=utf8',
    'Application/Merge-Patch+JSON',
  ])('may come as %s', async (type) => {
    expect(await refusalOf(post('{}', { 'content-type': type }))).toEqual({ accepted: {} })
  })

  it('may begin with a byte order mark', async () => {
    expect(await refusalOf(post('\ufeff{}'))).toEqual({ accepted: {} })
  })

  it('is an empty object where there is none, whatever the content type says', async () => {
    expect(await refusalOf(post(null, {}))).toEqual({ accepted: {} })
    expect(await refusalOf(post('', { 'content-type': 'text/plain' }))).toEqual({ accepted: {} })
  })

  it.each([
    ['no JSON', '{"a":'],
    ['a list', '[1]'],
    ['a text', '"a"'],
    ['null', 'null'],
    ['NaN', '{"a":NaN}'],
    ['an object with a name twice', '{"url":"a","name":"b","url":"c"}'],
    ['an inner object with a name twice, written in two ways', '{"a":[{"b":1,"\\u0062":2}]}'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['33 levels', nested(33)],
    ['100000 levels', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['30000 levels inside an object', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ])('is refused as bad_json when it is %s', async (_name, body) => {
    expect(await refusalOf(post(body))).toBe('bad_json')
  })

  it('may be 32 levels deep', async () => {
    expect(await refusalOf(post(nested(32)))).toHaveProperty('accepted')
  })

  it.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['something that only begins like JSON', { 'content-type': 'application/json-seq' }],
    ['Latin-1', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['UTF-16', { 'content-type': 'application/json;charset="utf-16"' }],
    ['two types', { 'content-type': 'application/json, text/plain' }],
    ['compressed', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('is refused as unsupported_media_type when it comes as %s', async (_name, headers) => {
    expect(await refusalOf(post('{}', headers))).toBe('unsupported_media_type')
  })

  it.each(['{"__proto__":{"a":1}}', '{"auth":{"constructor":1}}', '{"a":[{"prototype":1}]}'])(
    'may not hold the key of %s',
    async (body) => {
      expect(await refusalOf(post(body))).toBe('validation')
    },
  )

  it('may hold strings that look like names, and the same name in several objects', async () => {
    const tricky = { a: '"a":', b: ['c":', { a: '\\' }], 'd": "e': { a: { a: 1 } }, '': ':' }
    expect(await refusalOf(post(JSON.stringify(tricky, null, 2)))).toEqual({ accepted: tricky })
  })

  it('is answered in proportion: a hundred problems, each with the beginning of its name', async () => {
    const inner = Array.from({ length: 1000 }, () => '{"__proto__":1}').join()
    const reading = readJson(post(`{"${'x'.repeat(200_000)}":[${inner}]}`), simulatedClock())
    const { fields } = await reading.catch((error: unknown) => error as { fields: object })
    expect(JSON.stringify(fields).length).toBeLessThan(100 * (JSON_LIMITS.name_characters + 50))
  })

  it('names the field with a forbidden key in it, and where that stands', async () => {
    const reading = readJson(post('{"a":[{"__proto__":1}],"__proto__":1}'), simulatedClock())
    const { fields } = await reading.catch((error: unknown) => error as { fields: object })
    expect(Object.entries(fields as object)).toEqual([
      ['__proto__', 'unknown_field'],
      ['a', 'unknown_field: entry 1, "__proto__"'],
    ])
  })

  it('may hold lists of 1000 items and no more', async () => {
    const list = (length: number) => post(JSON.stringify({ tags: Array(length).fill(1) }))
    expect(await refusalOf(list(1000))).toHaveProperty('accepted')
    expect(await refusalOf(list(1001))).toBe('validation')
  })

  it('may be 256 KiB large and no more', async () => {
    const sized = (bytes: number) => post(`{"a":"${'x'.repeat(bytes - 8)}"}`)
    expect(await refusalOf(sized(262_144))).toHaveProperty('accepted')
    expect(await refusalOf(sized(262_145))).toBe('too_large')
  })

  it('is refused by its announced length before it is read', async () => {
    const request = post('{}', { ...JSON_TYPE, 'content-length': '262145' })
    expect(await refusalOf(request)).toBe('too_large')
    expect(request.bodyUsed).toBe(false)
  })

  it('without an end is read no further than the limit, and its source is told to stop', async () => {
    let pulled = 0
    let cancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(65_536).fill(0x20))
      },
      cancel() {
        cancelled = true
      },
    })
    expect(await refusalOf(post(endless))).toBe('too_large')
    expect({ pulled: pulled <= 8, cancelled }).toEqual({ pulled: true, cancelled: true })
  })

  it('may come byte by byte', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ a: 'x'.repeat(5000) }))
    let at = 0
    const slow = new ReadableStream<Uint8Array>({
      pull: (controller) =>
        at < bytes.length ? controller.enqueue(bytes.slice(at, ++at)) : controller.close(),
    })
    expect(await refusalOf(post(slow))).toEqual({ accepted: { a: 'x'.repeat(5000) } })
  })

  it('that stops arriving is given up after 30 seconds', async () => {
    const clock = simulatedClock()
    const stalled = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    })
    let code = 'none yet'
    const reading = readJson(post(stalled), clock).catch((error: unknown) => {
      code = (error as { code: string }).code
    })
    await clock.advance(BODY_LIMITS.read_ms - 1)
    expect(code).toBe('none yet')
    await clock.advance(1)
    await reading
    expect(code).toBe('request_timeout')
  })

  it('whose sender breaks off is bad_json', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('socket closed')),
    })
    expect(await refusalOf(post(broken))).toBe('bad_json')
  })

  it('leaves no timer behind', async () => {
    const clock = simulatedClock()
    await readJson(post('{}'), clock)
    expect(clock.pending).toBe(0)
  })
})

describe('a body of which the beginning is wanted', () => {
  it('is cut at the limit', async () => {
    const clock = simulatedClock()
    const bytes = await readBytes(post('abcdef'), { clock, max_bytes: 4, overflow: 'cut' })
    expect(Buffer.from(bytes).toString()).toBe('abcd')
  })
})
