import { describe, expect, it } from 'vitest'
import { httpFields } from '../../src/checkers/http/fields.ts'
import { judge } from '../../src/checkers/http/judge.ts'
import { createSearch } from '../../src/checkers/http/search.ts'
import type { WorkLimits } from '../../src/checkers/work-limit.ts'
import { parse, decodeSettings } from '../../src/fields/parse.ts'
import { systemClock } from '../../src/clock.ts'
import type { JsonObject } from '../../src/model.ts'
import type { HttpExchange } from '../../src/net/net.ts'

const NOW = Date.UTC(2026, 10, 23)

function settingsOf(input: JsonObject) {
  const parsed = parse(httpFields, { url: 'http://a.example/', ...input })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.fields))
  return decodeSettings(httpFields, parsed.value)
}

function answer(text: string, more: Partial<HttpExchange> = {}): HttpExchange {
  return {
    status: 200,
    headers: {},
    http_version: '1.1',
    hops: [],
    final_url: 'http://a.example/',
    body: Buffer.alloc(0),
    decoded_bytes: Buffer.byteLength(text),
    body_cut: false,
    elapsed_ms: 12,
    body_bytes: text.length,
    tls: null,
    text: () => text,
    *textSteps() {
      yield
      return text
    },
    ...more,
  }
}

const ENDLESS: WorkLimits = { clock: systemClock, cpu_ms: Infinity, wall_ms: Infinity }

function judged(input: JsonObject, exchange: HttpExchange, response_ms = 5, limits = ENDLESS) {
  const settings = settingsOf(input)
  const search = createSearch(settings, limits)
  const { decoded_bytes: bytes, body_cut } = exchange
  for (const _ of search?.take(exchange.text()) ?? []);
  for (const _ of search?.end({ bytes, whole: !body_cut }) ?? []);
  const { verdict, cause_code, cause_text } = judge(
    { exchange, response_ms, now: NOW, search },
    settings,
  )
  if (cause_code === 'http_body_limit') expect(verdict).toBe('unknown')
  return verdict === 'ok' ? 'ok' : `${cause_code}: ${cause_text}`
}

it('assertions that take longer than their share are no failure of the target', () => {
  const body = answer(JSON.stringify(Array(5000).fill({ a: 1 })))
  const json = [
    { path: '$[*].a', op: 'equals', value: 1 },
    { path: '$..[?@.a > 1]', op: 'count', value: 0 },
  ]
  let now = 0
  const limits = { clock: { monotonic: () => (now += 100) }, cpu_ms: 1000, wall_ms: Infinity }
  expect(judged({ json }, body, 5, limits)).toBe(
    'http_body_limit: The assertions are compared for up to 1 s of CPU time, and these take longer',
  )
  expect(judged({ json }, body)).toBe('ok')
})

describe('an answer is judged', () => {
  const page = answer('Queue: 1,250 jobs. All fine.')

  it.each([
    [{}, 'ok'],
    [{ expected_status: '404' }, 'http_status: Got status 200, expected 404'],
    [{ keyword_present: 'All fine' }, 'ok'],
    [{ keyword_present: 'all fine' }, 'keyword_missing: "all fine" is not in the body'],
    [
      { keyword_present: '/ALL\\s+fine/i' },
      'keyword_missing: "/ALL\\\\s+fine/i" is not in the body',
    ],
    [{ keyword_present: 'A.l' }, 'keyword_missing: "A.l" is not in the body'],
    [{ keyword_present_regex: '/ALL\\s+fine/i' }, 'ok'],
    [{ keyword_present_regex: 'All +fine' }, 'ok'],
    [{ keyword_present_regex: 'no\\d' }, 'keyword_missing: No match of "no\\\\d" is in the body'],
    [
      { keyword_present: 'fine', keyword_present_regex: 'x+' },
      'keyword_missing: No match of "x+" is in the body',
    ],
    [{ keyword_absent: 'error' }, 'ok'],
    [{ keyword_absent: 'jobs' }, 'keyword_found: "jobs" is in the body'],
    [{ keyword_absent: '/j[a-z]+s/' }, 'ok'],
    [{ keyword_absent_regex: 'j[a-z]+s' }, 'keyword_found: A match of "j[a-z]+s" is in the body'],
    [{ keyword_absent_regex: 'j[A-Z]+s' }, 'ok'],
    [{ size_min: 28, size_max: 28 }, 'ok'],
    [{ size_min: 29 }, 'size_below: The body has 28 bytes, expected at least 29'],
    [{ size_max: 27 }, 'size_above: The body has 28 bytes, expected at most 27'],
    [{ number_regex: 'Queue: ([\\d.,]+)', number_max: 1250, number_min: 1250 }, 'ok'],
    [{ number_regex: 'Queue: [\\d.,]+', number_max: 1250 }, 'ok'],
    [
      { number_regex: 'Stack: (\\d+)' },
      'number_missing: "Stack: (\\\\d+)" finds no number in the body',
    ],
    [{ number_regex: 'Queue: (\\w*)x?' }, 'ok'],
    [{ number_regex: 'All (fine)' }, 'number_missing: "All (fine)" finds no number in the body'],
    [
      { number_regex: 'Queue: ([\\d.,]+)', number_max: 1249 },
      'number_above: The number is 1250, expected at most 1249',
    ],
    [
      { number_regex: 'Queue: ([\\d.,]+)', number_min: 1251 },
      'number_below: The number is 1250, expected at least 1251',
    ],
    [{ max_response_ms: 5 }, 'ok'],
    [{ max_response_ms: 4 }, 'slow_response: Took 5 ms, allowed are 4 ms'],
    [{ expected_final_url: 'http://a.example' }, 'ok'],
    [
      { expected_final_url: 'http://a.*' },
      'http_final_url_mismatch: Ended at http://a.example/, expected http://a./*',
    ],
    [
      { expected_final_url: 'http://a.example/in*' },
      'http_final_url_mismatch: Ended at http://a.example/, expected http://a.example/in*',
    ],
  ])('%j → %s', (input, result) => {
    expect(judged(input, page)).toBe(result)
  })

  it('by its status before anything in its body', () => {
    const input = { keyword_present: 'x', size_min: 1000, max_response_ms: 1 }
    expect(judged(input, answer('oops', { status: 500 }))).toMatch(/^http_status: Got status 500/)
  })

  it('by its text before its size, its number before its speed', () => {
    const input = {
      keyword_present: 'x',
      size_min: 1000,
      number_regex: 'n(\\d)',
      max_response_ms: 1,
    }
    expect(judged(input, page)).toMatch(/^keyword_missing/)
    expect(judged({ ...input, keyword_present: 'Queue' }, page)).toMatch(/^size_below/)
    expect(judged({ ...input, keyword_present: 'Queue', size_min: 1 }, page)).toMatch(
      /^number_missing/,
    )
  })

  it('as too long to tell where what was not found may stand in the unread part', () => {
    const cut = answer('beginning', { body_cut: true })
    expect(judged({ keyword_present: 'end' }, cut)).toMatch(/^http_body_limit/)
    expect(judged({ keyword_absent: 'end' }, cut)).toMatch(/^http_body_limit/)
    expect(judged({ number_regex: '(\\d)' }, cut)).toMatch(/^http_body_limit/)
    expect(judged({ keyword_present: 'begin' }, cut)).toBe('ok')
    expect(judged({ keyword_absent: 'begin' }, cut)).toMatch(/^keyword_found/)
    expect(judged({}, cut)).toBe('ok')
  })

  it('as too long to tell where a pattern could not search the whole text', () => {
    const long = answer(`${'x'.repeat(300_000)}end`)
    expect(judged({ keyword_present_regex: 'end' }, long)).toMatch(/^http_body_limit/)
    expect(judged({ keyword_present: 'end' }, long)).toBe('ok')
  })

  it('as too large where a cut body passed the largest size', () => {
    expect(judged({ size_max: 100 }, answer('cut', { body_cut: true }))).toMatch(/^size_above/)
  })
})
