import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { parseSettings, runCheck } from '../../src/engine/checks/run-check.ts'
import { ValidationError } from '../../src/errors.ts'
import type { Json, JsonObject, Outcome } from '../../src/model.ts'
import { certificates } from '../support/certificates.ts'
import { serve } from '../support/http-exchange.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

/** Five times what is promised of a machine of one's own: a core that is shared is no fault of ours. */
const TURN_MS = 5 * 50

type Assertions = readonly JsonObject[]

async function check(
  body: string | Buffer,
  settings: JsonObject,
  headers: Record<string, string | string[]> = {},
): Promise<Outcome> {
  await using server = await serve((_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.end(body)
  })
  return await runCheck(http(), { url: server.origin, ...settings })
}

async function verdict(body: Json | string, json: Assertions): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return said(await check(text, { json }))
}

function said({ verdict, cause_code, cause_text }: Outcome): string {
  return verdict === 'ok' ? 'ok' : `${verdict} ${cause_code}: ${cause_text}`
}

function problemOf(settings: JsonObject): Json | undefined {
  try {
    parseSettings(http(), { url: 'http://a.example/', ...settings })
    return 'accepted'
  } catch (error) {
    if (error instanceof ValidationError) return error.fields
    throw error
  }
}

/** Whoever keeps the whole way to each value keeps two hundred times as much. */
function manyDeepDown(): string {
  return `${'['.repeat(198)}[${Array(49_000).fill('1').join(',')}]${']'.repeat(198)}`
}

const HEALTH = {
  status: 'degraded',
  queue: 120,
  version: '4.2.1',
  maintenance: false,
  owner: null,
  tags: ['eu', 'blue'],
  nodes: [
    { name: 'a', state: 'up', load: 0.4 },
    { name: 'b', state: 'up', load: 0.9 },
    { name: "c's", state: 'down', load: 3 },
  ],
}

describe('the values of a JSON body', () => {
  it.each<[JsonObject, string]>([
    [{ path: '$.status', op: 'equals', value: 'degraded' }, 'ok'],
    [{ path: '$.status', op: 'equals', value: 'ok' }, '$.status is "degraded", expected "ok"'],
    [{ path: '$.queue', op: 'equals', value: 120 }, 'ok'],
    [{ path: '$.queue', op: 'equals', value: '120' }, '$.queue is 120, expected "120"'],
    [{ path: '$.maintenance', op: 'equals', value: false }, 'ok'],
    [{ path: '$.owner', op: 'equals', value: null }, 'ok'],
    [{ path: '$.owner', op: 'not', value: null }, '$.owner is null, expected anything but null'],
    [{ path: '$.status', op: 'not', value: 'ok' }, 'ok'],
    [
      { path: '$.none', op: 'not', value: 'ok' },
      '$.none is not in the body, expected anything but "ok"',
    ],
    [{ path: '$.status', op: 'contains', value: 'grad' }, 'ok'],
    [{ path: '$.tags', op: 'contains', value: 'blue' }, 'ok'],
    [
      { path: '$.tags', op: 'contains', value: 'red' },
      '$.tags is a list of 2, expected it to contain "red"',
    ],
    [{ path: '$.version', op: 'matches', value: '^4\\.' }, 'ok'],
    [
      { path: '$.version', op: 'matches', value: '/^5/' },
      '$.version is "4.2.1", expected a match of "/^5/"',
    ],
    [{ path: '$.queue', op: 'matches', value: '^12' }, 'ok'],
    [
      { path: '$.tags', op: 'matches', value: 'eu' },
      '$.tags is a list of 2, expected a match of "eu"',
    ],
    [{ path: '$.queue', op: 'greater', value: 119 }, 'ok'],
    [{ path: '$.queue', op: 'greater', value: 120 }, '$.queue is 120, expected more than 120'],
    [{ path: '$.queue', op: 'less', value: 121 }, 'ok'],
    [{ path: '$.queue', op: 'less', value: 120 }, '$.queue is 120, expected less than 120'],
    [{ path: '$.version', op: 'greater', value: 1 }, '$.version is "4.2.1", expected more than 1'],
    [{ path: '$.owner', op: 'exists' }, 'ok'],
    [{ path: '$.none', op: 'exists' }, '$.none is not in the body, expected it to exist'],
    [{ path: '$.none', op: 'absent' }, 'ok'],
    [{ path: '$.queue', op: 'absent' }, '$.queue is 120, expected it to be absent'],
    [{ path: '$.nodes[*]', op: 'count', value: 3 }, 'ok'],
    [
      { path: '$.nodes[*]', op: 'count', value: 2 },
      '$.nodes[*] finds 3 of them, expected 2 of them',
    ],
    [{ path: '$.none[*]', op: 'count', value: 0 }, 'ok'],
    [{ path: '$.nodes[*].load', op: 'less', value: 5 }, 'ok'],
    [
      { path: '$.nodes[*].state', op: 'equals', value: 'up' },
      '$.nodes[*].state is "down" at $[\'nodes\'][2][\'state\'], expected "up"',
    ],
    [{ path: "$.nodes[?@.name == 'a'].state", op: 'equals', value: 'up' }, 'ok'],
    [{ path: '$..load', op: 'less', value: 4 }, 'ok'],
    [{ path: '$.nodes[-1].name', op: 'equals', value: "c's" }, 'ok'],
  ])('%j: %s', async (assertion, text) => {
    const expected = text === 'ok' ? 'ok' : `fail json_mismatch: ${text}`
    expect(await verdict(HEALTH, [assertion])).toBe(expected)
  })

  it('are all held against their assertions, and those that do not hold are named', async () => {
    const json = [
      { path: '$.status', op: 'equals', value: 'ok' },
      { path: '$.queue', op: 'less', value: 100 },
      { path: '$.version', op: 'exists' },
    ]
    const outcome = await check(JSON.stringify(HEALTH), { json })
    expect(outcome.cause_text).toBe(
      '2 of 3 do not hold: $.status is "degraded", expected "ok"; $.queue is 120, expected less than 100',
    )
    expect(outcome.details['json']).toEqual([
      { path: '$.status', op: 'equals', value: 'ok', found: '"degraded"', holds: false },
      { path: '$.queue', op: 'less', value: 100, found: '120', holds: false },
      { path: '$.version', op: 'exists', found: '"4.2.1"', holds: true },
    ])
  })

  it('are spelled out for three assertions, and cut to 100 characters', async () => {
    const json = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
      path: `$.${name}`,
      op: 'equals',
      value: 1,
    }))
    const body = { a: 'x'.repeat(5000), b: 2, c: 2, d: 2, e: 2 }
    const text = await verdict(body, json)
    expect(text).toMatch(/^fail json_mismatch: 5 of 5 do not hold: .*; and 2 more$/)
    expect(text.length).toBeLessThan(300)
  })

  it('are not read from a page that is not JSON, is empty, or has the wrong status', async () => {
    const json = [{ path: '$.status', op: 'absent' }]
    expect(await verdict('<html>', json)).toBe('fail json_invalid: The body is not JSON')
    expect(await verdict('', json)).toBe('fail json_invalid: The body is empty')
    expect(await verdict('{"a":"\t"}', json)).toBe('fail json_invalid: The body is not JSON')
    expect(await verdict('\u{feff}{}', json)).toBe('ok')
    const other = await check('<html>', { json, expected_status: '404' })
    expect(other.cause_code).toBe('http_status')
  })

  it('are keys like any other where they are called __proto__ or constructor', async () => {
    const json = [
      { path: "$['__proto__'].admin", op: 'equals', value: true },
      { path: '$.constructor', op: 'equals', value: 1 },
      { path: '$.toString', op: 'absent' },
    ]
    expect(await verdict('{"__proto__": {"admin": true}, "constructor": 1}', json)).toBe('ok')
  })

  it('are unknown where the body is longer, or has more values, than is read', async () => {
    const json = [{ path: '$[0]', op: 'equals', value: 1 }]
    expect(await verdict(`[2,"${'x'.repeat(1024 * 1024)}"]`, json)).toBe(
      'unknown http_body_limit: A body of up to 1,048,576 characters is read as JSON, and this one is longer',
    )
    expect(await verdict(`[2${',2'.repeat(50_000)}]`, json)).toBe(
      'unknown http_body_limit: A body of up to 50,000 values is read as JSON, and this one has more',
    )
    const matches = [{ path: '$[*]', op: 'matches', value: 'x' }]
    expect(await verdict(JSON.stringify(Array(300).fill('x'.repeat(1000))), matches)).toBe(
      'unknown http_body_limit: The pattern searches up to 262,144 characters, and $[*] finds more',
    )
  })

  it('are unknown where a path finds a value again and again, until the memory is full', async () => {
    const path = `$..[${Array(48).fill('*').join(',')}]`
    expect(await verdict(manyDeepDown(), [{ path, op: 'exists' }])).toMatch(
      /^unknown http_body_limit: At most 50,000 values are compared, and .+ finds more$/,
    )
  })

  it.each([
    ['values', `[${Array(24_000).fill('{"a":1}').join(',')}]`],
    [
      'nesting',
      `[${Array(240)
        .fill(`${'['.repeat(180)}1${']'.repeat(180)}`)
        .join(',')}]`,
    ],
    ['many values, deep down', manyDeepDown()],
    ['brackets', '['.repeat(1_000_000)],
    ['text', JSON.stringify(Array(900).fill('x'.repeat(1000)))],
  ])('stall nothing, whatever they are: %s', async (_, body) => {
    const terms = Array.from({ length: 25 }, (_, n) => `@.a == ${n}`).join(' || ')
    const json = [
      { path: `$..[?${terms}]`, op: 'count', value: 0 },
      { path: '$..*', op: 'matches', value: '(x+x+)+y' },
      { path: '$..[0,1,2,3,4,5,6,7]', op: 'exists' },
    ]
    const { longest_ms } = await leastOf(3, () => measureTurns(() => verdict(body, json)), TURN_MS)
    expect(longest_ms).toBeLessThan(TURN_MS)
  })
})

describe('assertions on JSON as settings', () => {
  it.each<[Json, string]>([
    [{}, 'invalid: an array is expected'],
    [Array(21).fill({ path: '$', op: 'exists' }), 'out_of_range: 0..20 items'],
    ['no', 'invalid: an array is expected'],
    [[1], 'invalid: entry 1: an object is expected'],
    [[{ path: '$' }], 'required: entry 1, "op"'],
    [[{ op: 'exists' }], 'required: entry 1, "path"'],
    [[{ path: '$', op: 'exists', valeu: 1 }], 'unknown_field: entry 1, "valeu"'],
    [
      [{ path: '$', op: 'exists', value: 1 }],
      'invalid: entry 1, "value": exists is compared with nothing',
    ],
    [[{ path: '$', op: 'equals' }], 'required: entry 1, "value"'],
    [
      [{ path: '$', op: 'equals', value: [1] }],
      'invalid: entry 1, "value": text, a number, true, false or null is expected',
    ],
    [[{ path: '$', op: 'greater', value: '1' }], 'invalid: entry 1, "value": a number is expected'],
    [
      [{ path: '$', op: 'count', value: -1 }],
      'invalid: entry 1, "value": an integer of 0 or more is expected',
    ],
    [
      [{ path: '$', op: 'count', value: 1.5 }],
      'invalid: entry 1, "value": an integer of 0 or more is expected',
    ],
    [
      [{ path: '$', op: 'equals', value: 'x'.repeat(1001) }],
      'out_of_range: entry 1, "value": 0..1000 characters',
    ],
    [[{ path: '$..a..b', op: 'exists' }], 'invalid: entry 1, "path": it has more than one ..'],
    [
      [{ path: '$[0,1][2,3]', op: 'exists' }],
      'invalid: entry 1, "path": it has more than one segment with several selectors',
    ],
    [
      [{ path: '$[?@.a == @.b]', op: 'exists' }],
      'invalid: entry 1, "path": a filter compares a path with a constant',
    ],
    [
      [{ path: '$[?@..a]', op: 'exists' }],
      'invalid: entry 1, "path": a path in a filter may only be @ with names and indices',
    ],
    [
      [{ path: '$[?$.a == 1]', op: 'exists' }],
      'invalid: entry 1, "path": a path in a filter may only be @ with names and indices',
    ],
    [
      [{ path: `$${'.a'.repeat(51)}`, op: 'exists' }],
      'invalid: entry 1, "path": it has more than 50 selectors',
    ],
  ])('%j: %s', (json, problem) => {
    expect(problemOf({ json })).toEqual({ json: expect.stringContaining(problem) as string })
  })

  it.each(['a', '$.', '$[', "$[?match(@.a, 'x')]", `$.${'a'.repeat(500)}`, '', '$[?', '$.a b'])(
    'the path %j is refused with a reason',
    (path) => {
      expect(problemOf({ json: [{ path, op: 'exists' }] })).toEqual({
        json: expect.stringMatching(/^(invalid|out_of_range): entry 1, "path": /) as string,
      })
    },
  )

  it.each(['$', '$.a[0:2]', '$[?@.a && !@.b]', "$[?length(@.name) > 3]['x', 'y']", '$..*'])(
    'the path %j is accepted',
    (path) => {
      expect(problemOf({ json: [{ path, op: 'exists' }] })).toBe('accepted')
    },
  )

  it('a pattern must be one of the engine, and a HEAD request has no body', () => {
    const json = [{ path: '$', op: 'matches', value: '(?=a)' }]
    expect(problemOf({ json })).toEqual({
      json: expect.stringMatching(/^invalid: entry 1, "value": not a usable pattern/) as string,
    })
    expect(problemOf({ method: 'HEAD', json: [{ path: '$', op: 'exists' }] })).toEqual({
      json: 'invalid: the answer to a HEAD request has no body',
    })
  })
})

describe('the headers of the answer', () => {
  it.each<[JsonObject, string]>([
    [{ name: 'Cache-Control', op: 'contains', value: 'max-age' }, 'ok'],
    [{ name: 'x-version', op: 'equals', value: 42 }, 'ok'],
    [{ name: 'x-version', op: 'greater', value: 41 }, 'ok'],
    [{ name: 'x-version', op: 'less', value: 42 }, 'x-version is "42", expected less than 42'],
    [{ name: 'x-empty', op: 'less', value: 1 }, 'x-empty is "", expected less than 1'],
    [{ name: 'vary', op: 'equals', value: 'accept, origin' }, 'ok'],
    [{ name: 'server', op: 'absent' }, 'ok'],
    [{ name: 'x-version', op: 'absent' }, 'x-version is "42", expected it to be absent'],
    [{ name: 'x-version', op: 'not', value: 42 }, 'x-version is "42", expected anything but 42'],
    [{ name: 'x-version', op: 'matches', value: '^\\d+$' }, 'ok'],
    [
      { name: 'strict-transport-security', op: 'exists' },
      'strict-transport-security is not among the headers, expected it to exist',
    ],
  ])('%j: %s', async (assertion, text) => {
    const outcome = await check(
      '',
      { headers_expected: [assertion] },
      {
        'cache-control': 'public, max-age=60',
        'x-version': '42',
        'x-empty': '',
        vary: ['accept', 'origin'],
      },
    )
    expect(said(outcome)).toBe(text === 'ok' ? 'ok' : `fail header_mismatch: ${text}`)
  })

  it.each<[JsonObject, string]>([
    [{ name: 'a b', op: 'exists' }, 'invalid: entry 1, "name": the name of a header is expected'],
    [{ name: 'a', op: 'count', value: 1 }, 'invalid: entry 1, "op": one of '],
  ])('%j as a setting: %s', (assertion, problem) => {
    expect(problemOf({ headers_expected: [assertion] })).toEqual({
      headers_expected: expect.stringContaining(problem) as string,
    })
  })
})

describe('the days of the certificate', () => {
  const { ca, good } = certificates()

  it.each([
    [80, 'ok'],
    [100, 'tls_expiring'],
  ])('at least %d of 90: %s', async (certificate_days_min, code) => {
    await using server = await serve((_request, response) => void response.end(), good)
    const settings = { url: server.origin, certificate_days_min }
    const outcome = await runCheck(http(), settings, { ca })
    expect(outcome.cause_code ?? 'ok').toBe(code)
    if (code === 'ok') return
    expect(outcome.cause_text).toMatch(
      /^The certificate ends at \d{4}-.*Z, in (89|90) days, expected at least 100$/,
    )
    expect(outcome.phase).toBe('tls')
  })

  it('are missed by an answer in clear, also behind a redirect from TLS', async () => {
    await using plain = await serve((_request, response) => void response.end())
    const there = { location: plain.origin }
    await using secure = await serve(
      (_, response) => void response.writeHead(302, there).end(),
      good,
    )
    for (const { origin } of [plain, secure]) {
      const outcome = await runCheck(http(), { url: origin, certificate_days_min: 30 }, { ca })
      expect(outcome).toMatchObject({
        verdict: 'fail',
        cause_code: 'tls_expiring',
        cause_text: 'The final answer has no certificate, expected one for at least 30 days',
      })
    }
  })
})

describe('the example for gRPC-web in docs/checkers/http.md', () => {
  const page = readFileSync(new URL('../../docs/checkers/http.md', import.meta.url), 'utf8')
  const example = JSON.parse(
    /```json\n([^`]*grpc\.health[^`]*)```/.exec(page)?.[1] ?? '',
  ) as JsonObject
  const { type: _, name: _name, url: _url, ...settings } = example

  // As @connectrpc/connect-node 2 answers; the proxy of Envoy writes no blank after the colon.
  it.each([
    ['serves', '\0\0\0\0\x02\b\x01\x80\0\0\0\x10grpc-status: 0\r\n', 'ok'],
    ['serves, through Envoy', '\0\0\0\0\x02\b\x01\x80\0\0\0\x0fgrpc-status:0\r\n', 'ok'],
    ['does not serve', '\0\0\0\0\x02\b\x02\x80\0\0\0\x10grpc-status: 0\r\n', 'fail'],
    ['fails', '\x80\0\0\0\x28grpc-message: no%20db\r\ngrpc-status: 14\r\n', 'fail'],
    ['fails in the headers alone', '', 'fail'],
  ])('%s', async (_case, body, expected) => {
    const headers = { 'Content-Type': 'application/grpc-web+proto' }
    const { verdict } = await check(Buffer.from(body, 'latin1'), settings, headers)
    expect(verdict).toBe(expected)
  })
})

describe('the example for GraphQL in docs/checkers/http.md', () => {
  const page = readFileSync(new URL('../../docs/checkers/http.md', import.meta.url), 'utf8')
  const example = JSON.parse(
    /```json\n([^`]*\/graphql[^`]*)```/.exec(page)?.[1] ?? '',
  ) as JsonObject
  const { type: _, name: _name, url: _url, ...settings } = example

  // As graphql-http 1 answers, with graphql 16: always 200 where the query could be run.
  it.each([
    ['answers', '{"data":{"viewer":{"id":"7"}}}', 'ok'],
    ['fails', '{"errors":[{"message":"no db"}],"data":{"viewer":null}}', 'json_mismatch'],
    ['has nothing', '{"data":{"viewer":null}}', 'json_mismatch'],
  ])('%s', async (_case, body, expected) => {
    await using server = await serve((request, response) => {
      // What graphql-http insists on.
      const asks =
        request.method === 'POST' && request.headers['content-type'] === 'application/json'
      response.statusCode = asks ? 200 : 415
      response.end(body)
    })
    const { cause_code } = await runCheck(http(), { ...settings, url: server.origin })
    expect(cause_code ?? 'ok').toBe(expected)
  })
})
