import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { CheckerInput } from '../../src/checkers/checker.ts'
import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import { resources } from '../../src/checkers/resources/index.ts'
import { ValidationError } from '../../src/errors.ts'
import { resourcesAgent } from '../../src/resources-agent/index.ts'
import { certificates } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import type { CheckOptions } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { hostileTo } from '../support/hostile/farm.ts'
import type { HostileServer } from '../support/hostile/farm.ts'
import { serve } from '../support/http-exchange.ts'
import { trySuite } from '../support/try-suite.ts'

type ResourcesInput = Omit<CheckerInput<ReturnType<typeof resources>>, 'type'>

const SECRET = 'correct-horse-battery'

/** One check of a server that answers with `listener`. */
async function ask(
  listener: RequestListener,
  input: Omit<ResourcesInput, 'url'> = {},
  options?: CheckOptions,
) {
  await using server = await serve(listener)
  return await check(resources(), { url: `${server.origin}/metrics`, ...input }, options)
}

const answering =
  (body: unknown, status = 200): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

describe('the settings of resources', () => {
  it.each([
    [{ url: 'ftp://a.example/' }, ['url']],
    [{ url: 'http://u:p@a.example/' }, ['url']],
    [{ cpu_max: -1 }, ['cpu_max']],
    [{ ram_max: 100.1 }, ['ram_max']],
    [{ disk_max: '90' }, ['disk_max']],
    [{ load_max: -1 }, ['load_max']],
    [{ secret: 'a b' }, ['secret']],
    [{ secret: 'pässwort' }, ['secret']],
    [{ secret: 'a\nb' }, ['secret']],
    [{ token: 'x' }, ['token']],
  ])('refuse %j', async (input, fields) => {
    const error: unknown = await check(resources(), {
      url: 'http://127.0.0.1:9/',
      ...input,
    } as never).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ValidationError)
    expect(Object.keys((error as ValidationError).fields)).toEqual(fields)
  })
})

describe('the resources checker', () => {
  it('sends the secret, and shows it nowhere', async () => {
    let sent: unknown
    const outcome = await ask(
      (request, response) => {
        sent = request.headers.authorization
        answering({ cpu: 1, disk: [{ mount: `/${SECRET}`, used_pct: 99 }] })(request, response)
      },
      { secret: SECRET, disk_max: 50 },
    )
    expect(sent).toBe(`Bearer ${SECRET}`)
    expect(outcome.cause_code).toBe('disk_high')
    expect(JSON.stringify(outcome)).not.toContain(SECRET)
  })

  it('does not carry the secret to another host', async () => {
    const seen: unknown[] = []
    await using other = await serve((request, response) => {
      seen.push(request.headers.authorization)
      answering({ cpu: 1 })(request, response)
    })
    const outcome = await ask(
      (_, response) => response.writeHead(302, { Location: `${other.origin}/x` }).end(),
      { secret: SECRET },
    )
    expect(seen).toEqual([undefined])
    expect(outcome.verdict).toBe('ok')
  })

  it('measures what the agent reports, and nothing that is not described', async () => {
    const at = new Date().toISOString()
    const { details, verdict } = await ask(
      answering({ cpu: 10, ram: 20, disk: 30, load: 0.5, cores: 2, at }),
    )
    expect(verdict).toBe('ok')
    expect(details).toEqual({
      status: 200,
      http_version: '1.1',
      form: 'simple',
      cpu_pct: 10,
      ram_pct: 20,
      disk_pct: 30,
      disks: [{ name: null, used_pct: 30 }],
      load: 0.5,
      cores: 2,
      at,
    })
    const capture = await ask(
      answering(
        { data: { cpu: { usage_percent: 0.99 } }, capture: {}, errors: [{ err: 'x' }] },
        207,
      ),
      { cpu_max: 90 },
    )
    expect(capture.cause_code).toBe('cpu_high')
    const described = Object.keys(resources().measurements)
    expect(described).toEqual(
      expect.arrayContaining(Object.keys({ ...details, ...capture.details })),
    )
  })

  it.each<[string, RequestListener, Omit<ResourcesInput, 'url'>, string | null, string]>([
    [
      '401 without a secret',
      answering({}, 401),
      {},
      'resource_auth',
      'asks for a secret, and none is set',
    ],
    [
      '401',
      answering({}, 401),
      { secret: SECRET },
      'resource_auth',
      'refuses the secret (status 401)',
    ],
    [
      '403',
      answering({}, 403),
      { secret: SECRET },
      'resource_auth',
      'refuses the secret (status 403)',
    ],
    ['500', answering({ cpu: 1 }, 500), {}, 'http_status', 'Got status 500'],
    ['204', (_, response) => response.writeHead(204).end(), {}, 'http_status', 'Got status 204'],
    ['a page', answering('<html>'), {}, 'resource_bad_format', 'is not JSON'],
    ['an empty body', answering(''), {}, 'resource_bad_format', 'is not JSON'],
    ['another JSON', answering({ status: 'UP' }), {}, 'resource_bad_format', 'neither cpu'],
    [
      'a long body',
      answering('x'.repeat(70_000)),
      {},
      'http_body_limit',
      '65536 bytes that are read',
    ],
    ['a missing part', answering({ cpu: 1 }), { ram_max: 9 }, 'resource_missing_metric', 'ram'],
    ['NaN', answering('{"cpu": NaN}'), { cpu_max: 9 }, 'resource_missing_metric', 'cpu'],
    ['cpu_max', answering({ cpu: 51 }), { cpu_max: 50 }, 'cpu_high', 'CPU 51 %, allowed 50 %'],
    ['ram_max', answering({ ram: 51 }), { ram_max: 50 }, 'ram_high', 'RAM 51 %, allowed 50 %'],
    ['disk_max', answering({ disk: 51 }), { disk_max: 50 }, 'disk_high', 'allowed 50 %'],
    ['load_max', answering({ load: 4.5 }), { load_max: 4 }, 'load_high', 'Load 4.5, allowed 4'],
    [
      'old figures',
      answering({ cpu: 1, at: '2020-01-01T00:00:00Z' }),
      {},
      'resource_stale',
      's old',
    ],
    [
      'a redirect to itself',
      (_, response) => response.writeHead(302, { Location: '/metrics' }).end(),
      {},
      'http_redirect_loop',
      'lead back',
    ],
  ])('%s', async (_, listener, input, cause_code, text) => {
    const outcome = await ask(listener, input)
    expect(outcome.cause_code).toBe(cause_code)
    expect(outcome.cause_text).toContain(text)
    const unknown = ['resource_missing_metric', 'http_body_limit'].includes(String(cause_code))
    expect(outcome.verdict).toBe(unknown ? 'unknown' : 'fail')
  })

  it('judges the age by the interval of the monitor', async () => {
    const at = new Date(Date.now() - 600_000).toISOString()
    expect(await ask(answering({ cpu: 1, at }))).toMatchObject({ cause_code: 'resource_stale' })
  })

  it('wants a good certificate, unless told otherwise', async () => {
    const { expired } = certificates()
    await using server = await serve(answering({ cpu: 1 }), expired)
    const url = server.origin
    expect(await check(resources(), { url })).toMatchObject({ cause_code: 'tls_expired' })
    expect(await check(resources(), { url, ignore_tls_errors: true })).toMatchObject({
      verdict: 'ok',
    })
  })

  it('holds to the suite of all checkers', async () => {
    await using silent = await serve(() => undefined)
    const settings = { url: `${silent.origin}/?token=${SECRET}`, secret: SECRET }
    for (const { name, run } of trySuite(resources(), { settings, silent: settings })) {
      await expect(run(), name).resolves.toBeUndefined()
    }
  })
})

describe('the agent of watchpost, asked by the checker', () => {
  const agent = resourcesAgent({ secret: SECRET })

  it('is understood', async () => {
    const outcome = await ask(agent, {
      secret: SECRET,
      cpu_max: 100,
      ram_max: 100,
      disk_max: 100,
      load_max: 10_000,
    })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { form: 'simple', status: 200 } })
    const { cpu_pct, ram_pct, disk_pct, load, cores } = outcome.details as Record<string, number>
    for (const share of [cpu_pct, ram_pct, disk_pct]) {
      expect(share).toBeGreaterThanOrEqual(0)
      expect(share).toBeLessThanOrEqual(100)
    }
    expect(ram_pct).toBeGreaterThan(0)
    expect(load).toBeGreaterThanOrEqual(0)
    expect(cores).toBeGreaterThan(0)
  })

  it.each([
    [{ secret: SECRET, ram_max: 0 }, 'ram_high'],
    [{ secret: SECRET, disk_max: 0 }, 'disk_high'],
    [{}, 'resource_auth'],
    [{ secret: `${SECRET}x` }, 'resource_auth'],
  ])('%j: %s', async (input, cause_code) => {
    expect(await ask(agent, input)).toMatchObject({ verdict: 'fail', cause_code })
  })
})

describe('resources meets a server that', () => {
  const declared = { ...SHARED_CAUSES, ...resources().causes }

  /** What HTTP has names of its own for. */
  const SAME: Readonly<Record<string, string>> = {
    http_protocol_error: 'protocol_error',
    http_truncated: 'closed_early',
  }

  const meets = (server: HostileServer): Promise<void> =>
    withDeadline(1000, (timeout_ms) => tryOnce(server, timeout_ms))

  const tryOnce = async (
    { start, secure, expect: causes }: HostileServer,
    timeout_ms: number,
  ): Promise<void> => {
    const server = await start()
    try {
      const url = `${secure === true ? 'https' : 'http'}://127.0.0.1:${server.port}/`
      const input = { url, secret: SECRET, cpu_max: 50, ignore_tls_errors: true }
      const outcome = await check(resources(), input, { timeout_ms })
      expect(outcome.verdict).not.toBe('ok')
      expect(Object.keys(declared)).toContain(outcome.cause_code)
      expect(outcome.cause_code).not.toBe('internal_error')
      const shared = SAME[outcome.cause_code ?? ''] ?? outcome.cause_code
      if (causes !== undefined) expect(causes).toContain(shared)
      expect(outcome.duration_ms).toBeLessThan(timeout_ms + 4000)
      expect(server.faults()).toEqual([])
    } finally {
      await server.close()
    }
  }

  it.each(hostileTo('any', 'http'))('$name', meets)
})
