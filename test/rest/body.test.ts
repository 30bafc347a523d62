import { describe, expect, it } from 'vitest'
import { BODY_LIMITS, readBytes, JSON_LIMITS, readJson } from '../../src/rest/body.ts'
import { createBodyTurns } from '../../src/rest/body-turns.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'

type Body = string | Uint8Array | ReadableStream<Uint8Array> | null

const READING = {
  clock: simulatedClock(),
  inTurn: <T>(parse: () => T) => createBodyTurns(simulatedClock())(1, parse),
}

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
  return readJson(request, READING).then(
    (value) => ({ accepted: value }),
    (error: unknown) => (error as { code: string }).code,
  )
}

/** The same with what the error says. */
async function textOf(request: Request): Promise<unknown> {
  return readJson(request, READING).then(
    () => 'accepted',
    (error: unknown) => {
      const { code, message } = error as { code: string; message: string }
      return `${code}: ${message}`
    },
  )
}

const nested = (levels: number): string =>
  '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)

describe('a JSON body', () => {
  it('is the object that was sent', async () => {
    const body = await readJson(post('{"type":"http","tags":["a"]}'), READING)
    expect(body).toEqual({ type: 'http', tags: ['a'] })
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;Charset="UTF-8"',
    'application/json; odata=verbose; charset=utf8',
    'Application/Merge-Patch+JSON',
    'application/json; xcharset=iso-8859-1',
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

  const OBJECT = 'The body must be a JSON object'
  const TWICE = 'A name stands twice in one object of the body'
  const DEEP = 'The body is nested deeper than 32 levels'

  it.each([
    ['no JSON', '{"a":', 'The body is not valid JSON'],
    ['a list', '[1]', OBJECT],
    ['a text', '"a"', OBJECT],
    ['a number', '1', OBJECT],
    ['null', 'null', OBJECT],
    ['NaN', '{"a":NaN}', 'The body is not valid JSON'],
    ['an object with a name twice', '{"url":"a","name":"b","url":"c"}', TWICE],
    ['an inner object with a name twice, in two ways', '{"a":[{"b":1,"\\u0062":2}]}', TWICE],
    ['bytes that are not UTF-8', Buffer.from('{"\xff":1}', 'latin1'), 'The body is not UTF-8'],
    ['33 levels', nested(33), DEEP],
    ['100000 levels', '['.repeat(100_000) + ']'.repeat(100_000), OBJECT],
    ['30000 levels inside an object', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, DEEP],
  ])('is refused as bad_json when it is %s', async (_name, body, text) => {
    expect(await textOf(post(body))).toBe(`bad_json: ${text}`)
  })

  it('may hold null', async () => {
    expect(await refusalOf(post('{"a":null,"b":[null]}'))).toEqual({
      accepted: { a: null, b: [null] },
    })
  })

  it('may be 32 levels deep', async () => {
    expect(await refusalOf(post(nested(32)))).toHaveProperty('accepted')
  })

  it.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['something that only begins like JSON', { 'content-type': 'application/json-seq' }],
    ['something that only ends like JSON', { 'content-type': 'x-application/json' }],
    ['nothing that is named', {}],
    ['a charset that ends like UTF-8', { 'content-type': 'application/json; charset=xutf-8' }],
    ['a charset that begins like UTF-8', { 'content-type': 'application/json; charset=utf-80' }],
    ['a charset that ends amiss', { 'content-type': 'application/json; charset="iso-8859-1"x' }],
    ['Latin-1', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['UTF-16', { 'content-type': 'application/json;charset="utf-16"' }],
    ['two types', { 'content-type': 'application/json, text/plain' }],
    ['compressed', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('is refused as unsupported_media_type when it comes as %s', async (_name, headers) => {
    expect(await textOf(post(Buffer.from('{}'), headers))).toBe(
      'unsupported_media_type: Send the body as "Content-Type: application/json" in UTF-8, not compressed',
    )
  })

  it.each(['{"__proto__":{"a":1}}', '{"auth":{"constructor":1}}', '{"a":[{"prototype":1}]}'])(
    'may not hold the key of %s',
    async (body) => {
      expect(await refusalOf(post(body))).toBe('validation')
    },
  )

  it('may hold strings that look like names, and the same name in several objects', async () => {
    const tricky = { a: '"a":', b: ['c":', ':', { a: '\\' }], 'd": "e': { a: { a: 1 } }, '': ':' }
    expect(await refusalOf(post(JSON.stringify(tricky, null, 2)))).toEqual({ accepted: tricky })
  })

  it('is answered in proportion: a hundred problems, each with the beginning of its name', async () => {
    const inner = Array.from({ length: 1000 }, () => '{"__proto__":1}').join()
    const reading = readJson(post(`{"${'x'.repeat(200_000)}":[${inner}]}`), READING)
    const { fields } = await reading.catch((error: unknown) => error as { fields: object })
    expect(JSON.stringify(fields).length).toBeLessThan(100 * (JSON_LIMITS.name_characters + 50))
  })

  it('has a hundred of its fields named at most', async () => {
    const fields = Array.from({ length: 101 }, (_, n) => [
      `a${n}`,
      JSON.parse('{"__proto__":1}') as object,
    ])
    const reading = readJson(post(JSON.stringify(Object.fromEntries(fields))), READING)
    const refused = await reading.catch((error: unknown) => error as { fields: object })
    expect(Object.keys(refused.fields as object)).toHaveLength(100)
  })

  it('names the field with a forbidden key in it, and where that stands', async () => {
    const reading = readJson(post('{"a":[{"__proto__":1}],"__proto__":1}'), READING)
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
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`a${n}`, 1]))
    const fieldsOf = (request: Request) =>
      readJson(request, READING).catch((error: unknown) => error as { fields: object })
    expect(await fieldsOf(list(1001))).toMatchObject({
      fields: { tags: 'out_of_range: 0..1000 entries' },
    })
    expect(await fieldsOf(post(JSON.stringify(many)))).toMatchObject({
      fields: { '': 'out_of_range: 0..1000 entries' },
    })
  })

  it('may be 256 KiB large and no more', async () => {
    const sized = (bytes: number) => post(`{"a":"${'x'.repeat(bytes - 8)}"}`)
    expect(await refusalOf(sized(262_144))).toHaveProperty('accepted')
    expect(await textOf(sized(262_145))).toBe('too_large: The body is larger than 262144 bytes')
  })

  it('is refused by its announced length before it is read', async () => {
    const request = post('{}', { ...JSON_TYPE, 'content-length': '262145' })
    expect(await refusalOf(request)).toBe('too_large')
    expect(request.bodyUsed).toBe(false)
    const exact = post('{}', { ...JSON_TYPE, 'content-length': '262144' })
    expect(await refusalOf(exact)).toEqual({ accepted: {} })
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
    let refused: unknown
    const reading = readJson(post(stalled), { ...READING, clock }).catch(
      (error: unknown) => (refused = error),
    )
    await clock.advance(BODY_LIMITS.read_ms - 1)
    expect(refused).toBeUndefined()
    await clock.advance(1)
    await reading
    expect(refused).toMatchObject({
      code: 'request_timeout',
      message: 'The body did not arrive within 30 seconds',
    })
  })

  it('whose sender breaks off is bad_json', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('socket closed')),
    })
    expect(await textOf(post(broken))).toBe('bad_json: The body ended early')
  })

  it('leaves no timer behind', async () => {
    const clock = simulatedClock()
    await readJson(post('{}'), { ...READING, clock })
    expect(clock.pending).toBe(0)
  })
})

describe('a body of which the beginning is wanted', () => {
  it('is cut at the limit', async () => {
    const clock = simulatedClock()
    const bytes = await readBytes(post('abcdef'), { clock, max_bytes: 4, overflow: 'cut' })
    expect(Buffer.from(bytes).toString()).toBe('abcd')
    const announced = post('abcdef', { 'content-length': '6' })
    const same = await readBytes(announced, { clock, max_bytes: 4, overflow: 'cut' })
    expect(Buffer.from(same).toString()).toBe('abcd')
  })
})

describe('a body in pieces', () => {
  const inPieces = (...texts: readonly string[]) =>
    post(
      new ReadableStream({
        start(controller) {
          for (const text of texts) controller.enqueue(Buffer.from(text))
          controller.close()
        },
      }),
      {},
    )

  it('is told of its first byte, once, and of none if it is empty', async () => {
    const told = async (...texts: readonly string[]) => {
      let count = 0
      const onFirstByte = () => void (count += 1)
      const clock = simulatedClock()
      await readBytes(inPieces(...texts), { clock, max_bytes: 9, overflow: 'cut', onFirstByte })
      return count
    }
    expect([await told('', 'a', 'b', ''), await told('', ''), await told()]).toEqual([1, 0, 0])
  })
})
