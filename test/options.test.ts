import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../src/errors.ts'
import { assertWebhook } from '../src/webhook/verify.ts'
import { engine, TAKERS } from './support/option-takers.ts'

/** Also of what answers with a promise. */
async function made(name: string, options: object): Promise<unknown> {
  return TAKERS[name]?.[0]({ ...TAKERS[name][1], ...options } as never)
}

async function refusal(name: string, options: object): Promise<string> {
  const error: unknown = await made(name, options).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ConfigurationError)
  return (error as Error).message
}

describe.each(Object.keys(TAKERS))('%s', (name) => {
  it('refuses an option that there is none of, by name', async () => {
    expect(await refusal(name, { no_such_thing: 1 })).toContain('no_such_thing')
  })

  it('takes what it needs, and undefined for absent', async () => {
    await made(name, {})
    await made(name, { no_such_thing: undefined })
  })
})

it.each<[taker: string, options: object, name: string]>([
  ['createRest', { rateLimit: { requests: 0 } }, 'rateLimit.requests'],
  ['createRest', { rateLimit: { requests: '60' } }, 'rateLimit.requests'],
  ['createRest', { rateLimit: { windowSec: 0 } }, 'rateLimit.windowSec'],
  ['createRest', { rateLimit: { request: 60 } }, '"rateLimit.request"; did you mean "requests"?'],
  ['createRest', { rateLimit: true }, 'rateLimit'],
  ['createRest', { basePath: '/watch/' }, 'basePath'],
  ['createRest', { authenticate: {} }, 'authenticate'],
  ['createRest', { logger: 'info' }, 'logger'],
  ['createPage', { listeners: { perAccount: -1 } }, 'listeners.perAccount'],
  ['createPage', { listeners: { perPage: 1 } }, '"listeners.perPage"'],
  [
    'createPage',
    { public: [{ slug: 'a', title: 'A', monitors: [], show_target: true }] },
    '"public[0].show_target"; did you mean "show_targets"?',
  ],
  ['createPage', { secureCookies: 'yes' }, 'secureCookies'],
  ['createPage', { rateLimit: { view: 5 } }, '"rateLimit.view"; did you mean "views"?'],
  ['createMetrics', { rateLimit: { requests: 0 } }, 'rateLimit.requests'],
  ['toNodeHandler', { trustProxies: [] }, '"trustProxies"; did you mean'],
  ['createMetrics', { monitors: 'no' }, 'monitors'],
  ['createClient', { retries: -1 }, 'retries'],
  ['createClient', { timeoutMs: 2 ** 31 }, 'timeoutMs'],
  ['createClient', { timeoutMs: 0 }, 'timeoutMs'],
  ['createProbe', { perHost: 0 }, 'perHost'],
  ['createProbe', { location: {} }, 'location'],
  ['bullmqProbes', { plainText: 'yes' }, 'plainText'],
  ['sqliteStore', { driver: 'better' }, 'driver: "native" or "wasm" is expected'],
  ['sqliteStore', { file: '' }, 'file'],
  ['sqliteStore', { file: undefined }, 'file'],
  ['postgresStore', { pool: {} }, 'pool'],
  ['memoryStore', { clock: Date }, 'clock'],
  ['webhookContact', { deadlineMs: 14_001 }, 'deadlineMs'],
  ['webhookContact', { deadlineMs: 0 }, 'deadlineMs'],
  ['webhookContact', { answerBytes: -1 }, 'answerBytes'],
  ['webhookContact', { retryStatuses: [503] }, 'retryStatuses[0]'],
  ['webhookContact', { guard: { allowCidr: [] } }, 'allowCidr'],
  ['emailContact', { deadlineMs: 12_001 }, 'deadlineMs'],
  ['slackContact', { transport: {} }, 'transport'],
  ['blacklist', { providers: { rkm: {} } }, '"providers.rkm"; did you mean "rkn"?'],
  ['blacklist', { paceMs: -1 }, 'paceMs'],
  ['safeBrowsing', { api: 'v5' }, 'api'],
  ['registryFeed', { maxAgeMs: -1 }, 'maxAgeMs'],
  ['smtp', { verifyTls: 'no' }, 'verifyTls'],
  ['mysql', { driver: 'mysql2' }, 'driver'],
  ['simulatedClock', { settling: 'none' }, 'settling'],
  ['simulatedClock', { now: new Date(0) }, 'now'],
  ['runCheck', { timeout_ms: 0 }, 'timeout_ms'],
  ['runCheck', { timeout_ms: NaN }, 'timeout_ms'],
  ['runCheck', { timeout_ms: 2 ** 31 }, 'timeout_ms'],
  ['syncMonitors', { unlisted: 'delete' }, 'unlisted'],
  ['verifyWebhook', { tolerance: 5 }, '"tolerance"'],
  ['verifyWebhook', { tolleranceSec: 5 }, 'did you mean "toleranceSec"?'],
  ['createReplayGuard', { ttlSecs: 5 }, 'did you mean "ttlSec"?'],
  ['recordingTransport', { fallbacks: 500 }, 'did you mean "fallback"?'],
  ['engine.stop', { drain_ms: 5 }, 'did you mean "drainMs"?'],
  ['engine.stop', { drainMs: -1 }, 'drainMs'],
  ['toNodeHandler', { logger: 'info' }, 'logger'],
])('%s(%j) names %s', async (taker, options, name) => {
  expect(await refusal(taker, options)).toContain(name)
})

it.each<[taker: string, options: object]>([
  ['createRest', { rateLimit: false }],
  ['createRest', { rateLimit: { requests: 1, windowSec: 1 } }],
  ['createRest', { rateLimit: { requests: undefined } }],
  ['createRest', { logger: false, basePath: '/watch' }],
  ['createPage', { listeners: { perAccount: 0 } }],
  ['createClient', { timeoutMs: 2 ** 31 - 1, retries: 0 }],
  ['webhookContact', { deadlineMs: 14_000, answerMs: 0, answerBytes: 0, retryStatuses: [429] }],
  ['emailContact', { deadlineMs: 12_000 }],
  ['runCheck', { timeout_ms: 1 }],
])('%s takes %j', async (taker, options) => {
  await made(taker, options)
})

it('assertWebhook refuses a name that there is none of', () => {
  const options = { body: '{}', header: 'x', secret: 's', toleranceSecs: 5 }
  expect(() => assertWebhook(options)).toThrow('did you mean "toleranceSec"?')
})

it('keys.create refuses what it does not know, and a name that is none', async () => {
  const refused = async (options: object): Promise<unknown> =>
    engine.keys.create(options).then(
      () => 'made',
      (error: unknown) => (error as { fields?: unknown }).fields,
    )
  expect(await refused({ nmae: 'ci' })).toEqual({ nmae: 'unknown_field: did you mean "name"?' })
  expect(await refused({ name: 7 })).toHaveProperty('name')
  expect(await refused({ name: '' })).toHaveProperty('name')
  expect(await refused({ name: 'x'.repeat(201) })).toHaveProperty('name')
  expect(await refused({ key: 7 })).toHaveProperty('key')
  expect(await refused({ name: undefined })).toBe('made')
})
