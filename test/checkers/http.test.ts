import { gzipSync } from 'node:zlib'
import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { http } from '../../src/checkers/http/index.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import type { RunCheckOptions } from '../../src/engine/checks/run-check.ts'
import { VERSION } from '../../src/version.ts'
import { certificates } from '../support/certificates.ts'
import type { CertificateKind } from '../support/certificates.ts'
import { withDeadline } from '../support/deadlines.ts'
import { serve, serveRaw } from '../support/http-exchange.ts'
import { closedPort } from '../support/scripted-server.ts'

type HttpInput = Omit<Parameters<typeof runCheck<ReturnType<typeof http>>>[1], 'url'>

/** One check of a server that answers with `listener`. */
async function check(listener: RequestListener, input: HttpInput = {}, path = '/') {
  await using server = await serve(listener)
  return await runCheck(http(), { url: server.origin + path, ...input })
}

const page: RequestListener = (_request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8')
  response.end('<h1>Shop</h1> 1.250,50 € in stock')
}

describe('the http checker', () => {
  it('finds a site up, and measures it', async () => {
    const outcome = await check(page, { number_regex: '</h1> ([\\d.,]+)' })
    expect(outcome).toMatchObject({
      verdict: 'ok',
      cause_code: null,
      remote_ip: '127.0.0.1',
      details: {
        status: 200,
        http_version: '1.1',
        body_bytes: 35,
        body_decoded_bytes: 35,
        content_type: 'text/html; charset=utf-8',
        tls: null,
        number: 1250.5,
      },
    })
    expect(Object.keys(outcome.phases)).toEqual(['connect_ms', 'first_byte_ms', 'transfer_ms'])
  })

  it('measures nothing that is not described', async () => {
    const { measurements } = http()
    const big: RequestListener = (_request, response) => response.end('7'.repeat(5_000_000))
    for (const listener of [page, big]) {
      const { details } = await check(listener, { number_regex: '(\\d)' })
      expect(Object.keys(measurements)).toEqual(expect.arrayContaining(Object.keys(details)))
    }
  })

  it('counts packed bytes and unpacked ones', async () => {
    const body = gzipSync('x'.repeat(1000))
    const { details } = await check(
      (_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(body),
      { size_min: 1000, size_max: 1000 },
    )
    expect(details).toMatchObject({ body_bytes: body.length, body_decoded_bytes: 1000 })
  })

  it('sums the phases over redirects and lists every hop', async () => {
    const { details, phases } = await check((request, response) => {
      if (request.url === '/end') return void response.end()
      return void response.writeHead(302, { Location: '/end' }).end()
    })
    const hops = details.hops as { status: number; connect_ms: number }[]
    expect(hops.map(({ status }) => status)).toEqual([302, 200])
    const sum = hops.reduce((total, { connect_ms }) => total + connect_ms, 0)
    expect(phases.connect_ms).toBeCloseTo(sum, 1)
  })

  it('hides tokens of the address wherever it shows', async () => {
    const outcome = await check(page, { expected_final_url: 'http://x.example/' }, '/?token=s3cr3t')
    expect(outcome.cause_code).toBe('http_final_url_mismatch')
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t')
    expect(outcome.details.final_url).toMatch(/\/\?token=\*\*\*$/)
  })
})

describe('a field of http has its effect', () => {
  /** What arrives at the server, as its answer. */
  const mirror: RequestListener = (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { method, url, headers } = request
      response.end(JSON.stringify({ method, url, body, ...headers }))
    })
  }
  const sends = (expected: string): HttpInput => ({ keyword_present: expected })

  it.each<[string, HttpInput, string]>([
    ['method', { method: 'OPTIONS' }, '"method":"OPTIONS"'],
    ['user_agent', { user_agent: 'Me/1' }, '"user-agent":"Me/1"'],
    [
      'user_agent, when absent,',
      {},
      `"user-agent":"Watchpost/${VERSION} (+https://www.npmjs.com/package/watchpost)"`,
    ],
    ['user_agent among the headers', { headers: { 'User-Agent': 'Mine' } }, '"user-agent":"Mine"'],
    ['referer', { referer: 'http://from.example/' }, '"referer":"http://from.example/"'],
    ['headers', { headers: { 'X-Many': ['1', '2'] } }, '"x-many":"1, 2"'],
    ['body', { method: 'POST', body: 'hello' }, '"body":"hello"'],
    [
      'a text body',
      { method: 'POST', body: 'hello' },
      '"content-type":"text/plain; charset=utf-8"',
    ],
    ['a JSON body', { method: 'PUT', body: '{"a":1}' }, '"content-type":"application/json"'],
    [
      'content_type',
      { method: 'POST', body: 'a=1', content_type: 'application/x-www-form-urlencoded' },
      '"content-type":"application/x-www-form-urlencoded"',
    ],
    ['auth', { auth: { user: 'u', pass: 'p' } }, '"authorization":"Basic dTpw"'],
    ['auth without password', { auth: { user: 'u' } }, '"authorization":"Basic dTo="'],
  ])('%s', async (_name, input, expected) => {
    expect(await check(mirror, { ...input, ...sends(expected) })).toMatchObject({ verdict: 'ok' })
  })

  it('url: credentials in it are sent', async () => {
    await using server = await serve(mirror)
    const url = server.origin.replace('//', '//u:p@')
    expect(await runCheck(http(), { url, ...sends('Basic dTpw') })).toMatchObject({ verdict: 'ok' })
  })

  it.each<[HttpInput, string | null]>([
    [{}, 'http_status'],
    [{ expected_status: '200-299,401' }, null],
    [{ expected_status: '4xx' }, null],
    [{ expected_status: 'Nope' }, 'throws'],
  ])('expected_status: %j on a 401', async (input, cause_code) => {
    const outcome = check((_request, response) => response.writeHead(401).end(), input)
    if (cause_code === 'throws') await expect(outcome).rejects.toThrow('expected_status')
    else expect(await outcome).toMatchObject({ cause_code })
  })

  it.each<[HttpInput, string | null]>([
    [{ keyword_present: 'Shop' }, null],
    [{ keyword_present: 'shop' }, 'keyword_missing'],
    [{ keyword_present_regex: '/sho+p/i' }, null],
    [{ keyword_absent_regex: 'Sho+p' }, 'keyword_found'],
    [{ keyword_absent: 'sold out' }, null],
    [{ keyword_absent: 'Shop' }, 'keyword_found'],
    [{ size_min: 35 }, null],
    [{ size_min: 36 }, 'size_below'],
    [{ size_max: 35 }, null],
    [{ size_max: 34 }, 'size_above'],
    [{ number_regex: 'no (\\d)' }, 'number_missing'],
    [{ number_regex: '> ([\\d.,]+)', number_min: 1250.5 }, null],
    [{ number_regex: '> ([\\d.,]+)', number_min: 1251 }, 'number_below'],
    [{ number_regex: '> ([\\d.,]+)', number_max: 1250 }, 'number_above'],
    [{ max_response_ms: 60_000 }, null],
  ])('%j', async (input, cause_code) => {
    expect((await check(page, input)).cause_code).toBe(cause_code)
  })

  it('max_response_ms', async () => {
    const slow: RequestListener = (_request, response) => {
      response.write('the first byte is quick')
      setTimeout(() => response.end(), 120)
    }
    expect(await check(slow, { max_response_ms: 100 })).toMatchObject({
      verdict: 'fail',
      cause_code: 'slow_response',
    })
  })

  it.each<[HttpInput, string | null]>([
    [{}, null],
    [{ follow_redirects: false }, 'http_status'],
    [{ follow_redirects: false, expected_status: '301' }, null],
    [{ expected_final_url: 'http://elsewhere.example/' }, 'http_final_url_mismatch'],
  ])('follow_redirects and expected_final_url: %j', async (input, cause_code) => {
    const outcome = await check((request, response) => {
      if (request.url === '/end') return void response.end()
      return void response.writeHead(301, { Location: '/end' }).end()
    }, input)
    expect(outcome.cause_code).toBe(cause_code)
  })

  it('expected_final_url, whole and as a beginning', async () => {
    await using server = await serve((request, response) => {
      if (request.url !== '/') return void response.end()
      return void response.writeHead(302, { Location: '/login?next=/' }).end()
    })
    const url = `${server.origin}/`
    for (const [rule, verdict] of [
      ['/login?next=/', 'ok'],
      ['/login*', 'ok'],
      ['/login', 'fail'],
      ['/home*', 'fail'],
    ] as const) {
      const expected_final_url = server.origin + rule
      expect((await runCheck(http(), { url, expected_final_url })).verdict).toBe(verdict)
    }
  })

  it('ip_family', async () => {
    const outcome = await check(page, { ip_family: 'ipv6' })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'dns_no_records' })
    expect((await check(page, { ip_family: 'ipv4' })).verdict).toBe('ok')
  })
})

describe('a keyword is a word', () => {
  const at = (text: string, input: HttpInput) =>
    check((_request, response) => void response.end(text), input)

  it('slashes around it are a part of it', async () => {
    const missing = { verdict: 'fail', cause_code: 'keyword_missing' }
    expect(await at('noimghere', { keyword_present: '/img/' })).toMatchObject(missing)
    expect(await at('src="/img/a.png"', { keyword_present: '/img/' })).toMatchObject({
      verdict: 'ok',
    })
    expect(await at('noimghere', { keyword_absent: '/img/' })).toMatchObject({ verdict: 'ok' })
    expect(await at('noimghere', { keyword_present_regex: '/IMG/i' })).toMatchObject({
      verdict: 'ok',
    })
  })
})

describe('over TLS', () => {
  async function checkTls(
    kind: CertificateKind,
    input: HttpInput = {},
    options: RunCheckOptions = {},
  ) {
    const all = certificates()
    const { chain, key } = all[kind]
    await using server = await serve(page, { chain, key })
    return await runCheck(http(), { url: server.origin, ...input }, { ca: all.ca, ...options })
  }

  it('a good certificate is measured', async () => {
    expect(await checkTls('good')).toMatchObject({
      verdict: 'ok',
      details: {
        tls: {
          protocol: 'TLSv1.3',
          authorized: true,
          cipher: expect.stringMatching(/^TLS_/) as string,
          not_after: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        },
      },
    })
  })

  it.each([
    ['expired', 'tls_expired'],
    ['notYetValid', 'tls_not_yet_valid'],
    ['wrongHost', 'tls_name_mismatch'],
    ['selfSigned', 'tls_self_signed'],
    ['incomplete', 'tls_chain_incomplete'],
  ] as const)('%s is %s, unless ignore_tls_errors', async (kind, cause_code) => {
    expect(await checkTls(kind)).toMatchObject({ verdict: 'fail', cause_code, phase: 'tls' })
    expect(await checkTls(kind, { ignore_tls_errors: true })).toMatchObject({
      verdict: 'ok',
      details: { tls: { authorized: false } },
    })
  })

  it('a server that speaks plain HTTP there is told apart', async () => {
    await using server = await serve(page)
    const url = server.origin.replace('http:', 'https:')
    expect(await runCheck(http(), { url })).toMatchObject({ cause_code: 'tls_not_tls' })
  })

  it('a plain request to a TLS port fails on the answer', async () => {
    const { chain, key } = certificates().good
    await using server = await serve(page, { chain, key })
    const { verdict } = await runCheck(http(), { url: server.origin.replace('https:', 'http:') })
    expect(verdict).toBe('fail')
  })
})

describe('a failing exchange is a cause of http', () => {
  it.each([
    ['http_protocol_error', 'SMTP ready\r\n'],
    ['http_truncated', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'],
    ['http_decode_error', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain'],
    ['http_redirect_invalid', 'HTTP/1.1 302 Found\r\nLocation: \r\n\r\n'],
    ['http_redirect_loop', 'HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n'],
    ['closed_early', ''],
  ])('%s', async (cause_code, answer) => {
    await using server = await serveRaw((socket) => void socket.end(answer))
    const outcome = await runCheck(http(), { url: server.origin })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code })
    expect(outcome.cause_text).not.toBe('')
  })

  it('http_redirect_limit', async () => {
    let count = 0
    const outcome = await check((_request, response) => {
      response.writeHead(302, { Location: `/${++count}` }).end()
    })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'http_redirect_limit' })
  })

  it('http_body_limit', async () => {
    const outcome = await check(
      (_request, response) => response.end(`${'x'.repeat(5 * 1024 * 1024)}end`),
      { keyword_present_regex: 'end' },
    )
    expect(outcome).toMatchObject({
      verdict: 'unknown',
      cause_code: 'http_body_limit',
      details: { body_cut: true, body_decoded_bytes: 4 * 1024 * 1024 },
    })
  })

  it('connect_refused', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/`
    expect((await runCheck(http(), { url })).cause_code).toBe('connect_refused')
  })

  it.each([
    ['http_response_timeout', 'HTTP/1.1 200 OK\r\n'],
    ['http_body_timeout', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'],
  ])('%s', async (cause_code, answer) => {
    await using server = await serveRaw((socket) => void socket.write(answer))
    await withDeadline(300, async (timeout_ms) => {
      const outcome = await runCheck(http(), { url: server.origin }, { timeout_ms })
      expect(outcome).toMatchObject({ verdict: 'fail', cause_code })
    })
    await expect.poll(() => server.open).toBe(0)
  })
})
