import type { IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { blacklist, safeBrowsing } from '../../../src/checkers/blacklist/index.ts'
import type { SafeBrowsingOptions } from '../../../src/checkers/blacklist/index.ts'
import { ConfigurationError } from '../../../src/errors.ts'
import { certificates } from '../../support/certificates.ts'
import { check } from '../../support/check.ts'
import { serve } from '../../support/http-exchange.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { closedPort } from '../../support/scripted-server.ts'

const KEY = 'key-that-nobody-may-see'

interface Asked {
  readonly request: IncomingMessage
  readonly body: string
}

interface Answer {
  readonly status?: number
  readonly body?: string
}

/** Stands in for the service of Google; closed when the test ends. */
async function standIn(answer: (asked: Asked) => Answer) {
  const asked: Asked[] = []
  const server = await serve((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const each = { request, body }
      asked.push(each)
      const { status = 200, body: text = '{}' } = answer(each)
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(text)
    })
  }, certificates().good)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { endpoint: server.origin, asked }
}

const ask = (target: string, options: Omit<SafeBrowsingOptions, 'key'>, timeout_ms = 30_000) =>
  check(
    blacklist({ lists: [], providers: { gsb: safeBrowsing({ key: KEY, ...options }) } }),
    { target, gsb: true },
    { timeout_ms },
  )

describe('Safe Browsing', () => {
  it('is asked for the page, with the key in a header and nowhere else', async () => {
    const { endpoint, asked } = await standIn(() => ({}))
    const outcome = await ask('http://192.0.2.7/page?x=1', { endpoint })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { lists: [] } })
    const [{ request, body }] = asked as [Asked]
    expect(request).toMatchObject({ method: 'POST', url: '/v4/threatMatches:find' })
    expect(request.headers['x-goog-api-key']).toBe(KEY)
    expect(JSON.parse(body)).toMatchObject({
      client: { clientId: 'watchpost' },
      threatInfo: { threatEntries: [{ url: 'http://192.0.2.7/page?x=1' }] },
    })
  })

  it('flags a site: down, with the kinds of threat', async () => {
    const matches = ['SOCIAL_ENGINEERING', 'MALWARE', 'MALWARE'].map((threatType) => ({
      threatType,
    }))
    const { endpoint, asked } = await standIn(() => ({ body: JSON.stringify({ matches }) }))
    const outcome = await ask('192.0.2.7', { endpoint })
    expect(outcome).toMatchObject({
      verdict: 'fail',
      cause_code: 'list_gsb_flagged',
      details: {
        lists: [{ id: 'gsb', entry: '192.0.2.7', categories: ['malware', 'social_engineering'] }],
      },
    })
    expect(asked[0]?.body).toContain('"http://192.0.2.7/"')
  })

  it('has a commercial form, Web Risk', async () => {
    const { endpoint, asked } = await standIn(({ request }) =>
      request.url?.includes(encodeURIComponent('http://[2001:db8::7]/')) === true
        ? { body: '{"threat":{"threatTypes":["MALWARE"],"expireTime":"2030-01-01T00:00:00Z"}}' }
        : {},
    )
    const options = { endpoint, api: 'webrisk' } as const
    expect(await ask('2001:db8::7', options)).toMatchObject({ cause_code: 'list_gsb_flagged' })
    expect(await ask('192.0.2.7', options)).toMatchObject({ verdict: 'ok' })
    const url = new URL(asked[0]?.request.url ?? '', endpoint)
    expect(url.pathname).toBe('/v1/uris:search')
    expect(url.searchParams.getAll('threatTypes')).toContain('SOCIAL_ENGINEERING')
    expect(url.search).not.toContain(KEY)
  })

  it.each([
    ['probe_rate_limited', { status: 429 }],
    ['probe_provider_failed', { status: 500 }],
    ['probe_provider_failed', { status: 503 }],
    ['probe_provider_failed', { status: 403, body: `{"error":{"message":"${KEY}"}}` }],
    ['probe_provider_failed', { status: 302 }],
    ['probe_provider_failed', { body: '<html>' }],
    ['probe_provider_failed', { body: '[]' }],
    ['probe_provider_failed', { body: 'null' }],
    ['probe_provider_failed', { body: '{"matches":7}' }],
    ['probe_provider_failed', { body: `{"matches":"${'x'.repeat(100_000)}"}` }],
  ])(
    'that cannot say is unknown, never clean and never down: %s %j',
    async (cause_code, answer) => {
      const { endpoint } = await standIn(() => answer)
      const outcome = await ask('192.0.2.7', { endpoint })
      expect(outcome).toMatchObject({ verdict: 'unknown', cause_code })
      expect(JSON.stringify(outcome)).not.toContain(KEY)
    },
  )

  it('that is silent, gone, or somebody else is unknown too', async () => {
    const silent = await serve(() => undefined)
    onTestFinished(() => silent[Symbol.asyncDispose]())
    await withDeadline(700, async (timeout_ms) => {
      const late = await ask('192.0.2.7', { endpoint: silent.origin }, timeout_ms)
      expect(late).toMatchObject({ verdict: 'unknown', cause_code: 'probe_provider_failed' })
      expect(late.duration_ms).toBeLessThan(timeout_ms)
    })

    const gone = `http://127.0.0.1:${await closedPort()}`
    expect(await ask('192.0.2.7', { endpoint: gone })).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_provider_failed',
      cause_text: expect.stringContaining('refused the connection') as unknown,
    })

    const other = await serve((_, response) => void response.end('{}'), certificates().wrongHost)
    onTestFinished(() => other[Symbol.asyncDispose]())
    expect(await ask('192.0.2.7', { endpoint: other.origin })).toMatchObject({ verdict: 'unknown' })
  })

  it('that throws what holds its key does not give it away', async () => {
    const gsb = { lookUp: () => Promise.reject(new Error(`bad key ${KEY}`)) }
    const outcome = await check(blacklist({ lists: [], providers: { gsb } }), {
      target: '192.0.2.7',
      gsb: true,
    })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_provider_failed' })
    expect(JSON.stringify(outcome)).not.toContain(KEY)
  })

  it('needs a key and an address', () => {
    expect(() => safeBrowsing({ key: '' })).toThrow(ConfigurationError)
    expect(() => safeBrowsing({ key: KEY, endpoint: 'nowhere' })).toThrow(ConfigurationError)
  })
})
