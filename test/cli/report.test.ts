import { describe, expect, it } from 'vitest'
import { report } from '../../src/cli/check/report.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { createTally } from '../../src/cli/check/watch.ts'
import { isColoured, rendered } from '../../src/cli/terminal.ts'
import type { TimedOutcome } from '../../src/engine/api/views.ts'

const OK: TimedOutcome = {
  verdict: 'ok',
  cause_code: null,
  cause_text: null,
  phase: null,
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 100,
  response_ms: 100,
  phases: { resolve_ms: 10, connect_ms: 20, tls_ms: 30, first_byte_ms: 38 },
  remote_ip: '192.0.2.10',
  details: {},
}

const FAILED: TimedOutcome = {
  ...OK,
  verdict: 'fail',
  cause_code: 'http_response_timeout',
  cause_text: 'No answer\nin time',
  phase: 'first_byte',
}

type Highlights = AnyChecker['highlights']

const CAUSES = { http_status: { text: 'The status is wrong', phase: 'first_byte' } } as const

const linesOf = (outcome: TimedOutcome, highlights?: Highlights, options = {}): string[] =>
  report(outcome, 'http https://example.com/', { highlights, causes: CAUSES }, options).map(
    (line) => rendered(line, false),
  )

describe('the report of a check', () => {
  it('has the phases one after the other, to scale', () => {
    expect(linesOf(OK)).toEqual([
      'OK http https://example.com/ (100.0 ms, 192.0.2.10)',
      '',
      `  resolve     ${'████'.padEnd(40)}      10.0 ms`,
      `  connect     ${'    ████████'.padEnd(40)}      20.0 ms`,
      `  tls         ${' '.repeat(12)}${'█'.repeat(12)}${' '.repeat(16)}      30.0 ms`,
      `  first_byte  ${' '.repeat(24)}${'█'.repeat(15)}       38.0 ms`,
    ])
  })

  it('shows time that belongs to no phase, where it is worth a line', () => {
    const [, , , , , , other] = linesOf({ ...OK, duration_ms: 200 })
    expect(other).toMatch(/^ {2}\(other\) +░{20} +102\.0 ms$/)
  })

  it('says in words where it failed, and marks the phase', () => {
    const lines = linesOf(FAILED)
    expect(lines[0]).toBe(
      'FAIL http https://example.com/: No answer in time (http_response_timeout during first_byte; 100.0 ms, 192.0.2.10)',
    )
    expect(lines[2]).toBe(
      '  It failed while waiting for the answer. What worked: looking up the name,',
    )
    expect(lines[3]).toBe('  connecting and agreeing on TLS.')
    expect(lines.filter((line) => line.endsWith('← here'))).toEqual([
      expect.stringContaining('first_byte'),
    ])
  })

  it('says that an answer came where it is the answer that fails', () => {
    const details = { status: 500 }
    const wrong = { ...FAILED, cause_code: 'http_status', cause_text: 'The status is 500', details }
    expect(linesOf(wrong)[2]).toBe(
      '  The answer came; its status or a header is not what is expected.',
    )
    expect(linesOf({ ...wrong, phases: {} })[2]).toContain('It failed while waiting')
  })

  it('marks a phase that has no time of its own', () => {
    const lines = linesOf({ ...FAILED, phase: 'transfer' })
    expect(lines.at(-1)).toMatch(/^ {2}transfer +█ +0\.0 ms {2}← here$/)
  })

  it('says of unknown that nothing is said about the target', () => {
    const unknown = { ...FAILED, verdict: 'unknown', cause_code: 'probe_offline' } as const
    expect(linesOf(unknown)[2]).toContain('says nothing about the target')
  })

  it('has what is worth a look first, with its title, and everything else by its name', () => {
    const details = {
      tls: { not_after: '2026-03-01T12:00:00.000Z', issuer: 'R1' },
      loss: 12.345,
      flag: true,
      empty: [],
      list: ['a', 2],
      hops: [{ url: 'http://a/', status: 301 }, { url: 'http://b/' }],
      nothing: null,
    }
    const highlights = {
      'tls.not_after': { title: 'Certificate ends', format: 'end' },
      loss: { title: 'Packet loss', format: 'percent' },
      absent: { title: 'Not there' },
    } as const
    const whole = linesOf({ ...OK, phases: {}, details }, highlights, { verbose: true })
    expect(whole.slice(2)).toEqual([
      '  Certificate ends  2026-03-01 (in 59 days)',
      '  Packet loss       12.3 %',
      '',
      '  tls.issuer  R1',
      '  flag        yes',
      '  empty       none',
      '  list        a, 2',
      '  hops 1      url=http://a/  status=301',
      '  hops 2      url=http://b/',
    ])
    const short = linesOf({ ...OK, phases: {}, details }, highlights)
    expect(short.slice(2)).toEqual([
      '  Certificate ends  2026-03-01 (in 59 days)',
      '  Packet loss       12.3 %',
      '',
      '  6 more measurements with --verbose',
    ])
  })

  it('stays within 80 columns but for the first line, unless all is asked for', () => {
    const details = { banner: 'x'.repeat(200), list: ['y'.repeat(100)] }
    const highlights = { banner: { title: 'Greeting' } } as const
    const outcome = { ...FAILED, details }
    const [, ...lines] = linesOf(outcome, highlights)
    expect(Math.max(...lines.map(({ length }) => length))).toBe(80)
    const whole = linesOf(outcome, highlights, { verbose: true })
    expect(whole).toContainEqual(expect.stringContaining('x'.repeat(200)))
  })
})

describe('times', () => {
  it('are those of the target: the check may have taken longer', () => {
    const [headline] = linesOf({ ...OK, duration_ms: 4012.3, response_ms: 0.031 })
    expect(headline).toBe('OK http https://example.com/ (0.03 ms, 192.0.2.10)')
    const tally = createTally()
    tally.add({ ...OK, duration_ms: 4012.3, response_ms: 0.031 })
    expect(tally.summary('ping a', 0)[2]).toContain('min/avg/max/stddev 0.03/0.03/0.03/0.00 ms')
  })

  it.each([
    ['2025-12-31T23:46:00.000Z', '14 minutes ago'],
    ['2025-12-31T23:59:59.000Z', '1 second ago'],
    ['2025-12-31T22:30:00.000Z', '1 hour ago'],
    ['2025-12-30T01:00:00.000Z', '47 hours ago'],
    ['2025-12-29T23:00:00.000Z', '2 days ago'],
    ['2026-01-01T00:20:00.000Z', 'in 20 minutes'],
    ['2026-01-02T06:00:00.000Z', 'in 30 hours'],
    ['2026-01-08T00:00:00.000Z', 'in 7 days'],
  ])('%s is %s', (at, words) => {
    const highlights = { at: { title: 'Valid since', format: 'time' } } as const
    const lines = linesOf({ ...OK, phases: {}, details: { at } }, highlights)
    expect(lines.at(-1)).toBe(`  Valid since  ${at.slice(0, 10)} (${words})`)
  })
})

describe('a tally of checks', () => {
  it('has shares, times of the good ones, and causes by how often they came', () => {
    const tally = createTally()
    for (const response_ms of [10, 20, 60]) tally.add({ ...OK, response_ms })
    tally.add({ ...OK, response_ms: null })
    for (const cause_code of ['rare', 'often', 'often']) tally.add({ ...FAILED, cause_code })
    expect(tally.summary('tcp a:1', 5000)).toEqual([
      '--- tcp a:1',
      '7 checks in 5.0 s: 4 ok, 3 failing, 0 unknown, 57.1 % ok',
      'time of the good ones: min/avg/max/stddev 10.0/30.0/60.0/21.6 ms',
      '  often  2',
      '  rare   1',
    ])
  })

  it('never says 100 % with a failure among them', () => {
    const tally = createTally()
    for (let made = 0; made < 5000; made++) tally.add(OK)
    tally.add(FAILED)
    expect(tally.summary('', 0)[1]).toContain('99.9 % ok')
  })

  it('has no figures where nothing was checked', () => {
    expect(createTally().summary('a', 0)).toEqual([
      '--- a',
      '0 checks in 0.0 s: 0 ok, 0 failing, 0 unknown',
    ])
  })
})

describe('colour', () => {
  const line = [{ text: 'FAIL', tone: 'bad' }, ' \u001b[2Jx'] as const

  it('is added to what we say, and to nothing that a server says', () => {
    expect(rendered(line, true)).toBe('\u001b[31mFAIL\u001b[0m \ufffd[2Jx')
    expect(rendered(line, false)).toBe('FAIL \ufffd[2Jx')
  })

  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{ isTTY: false }, {}, false],
  ])('on %o with %o: %s', (stream, env, expected) => {
    expect(isColoured(stream, env)).toBe(expected)
  })
})
