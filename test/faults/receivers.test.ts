/** F16: what receivers answer, what follows from it and when, over restarts; and that one that hangs holds up no other. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import type { EngineOptions } from '../../src/engine/options.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import type { ScriptedAnswer } from '../../src/testing/recording-transport.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import type { WebhookTransport } from '../../src/webhook/transport.ts'

const SECOND = 1000

function watched(bad: ReadonlySet<string>) {
  return defineChecker({
    type: 'scripted',
    title: 'Scripted',
    description: 'Good or bad as the test says',
    fields: { host: field.host({ description: 'Target' }).required() },
    causes: { broken: { text: 'It is broken' } },
    target: (s) => s.host,
    run: (_ctx, { host }) => Promise.resolve(bad.has(host) ? down('broken', 'It is') : up()),
  })
}

async function started(
  clock: SimulatedClock,
  transport: WebhookTransport,
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  const given: EngineOptions = {
    store: memoryStore(),
    checkers: [watched(new Set(['bad.test']))],
    contacts: [webhookContact({ transport, guard: { allowCidrs: ['127.0.0.0/24'] } })],
    clock,
    ...options,
  }
  const engine: Engine = createEngine(given)
  await engine.start()
  onTestFinished(() => ended(engine, clock))
  return engine
}

async function ended(engine: Engine, clock: SimulatedClock): Promise<void> {
  const stopped = engine.stop({ drainMs: 0 })
  await clock.advance(SECOND)
  await stopped
}

const contact = (engine: Engine, url: string) =>
  engine.contacts.create({ kind: 'webhook', name: url, url, all_monitors: true })

const outage = (engine: Engine) =>
  engine.monitors.create({ type: 'scripted', host: 'bad.test', fail_threshold: 1 })

describe('a receiver', () => {
  const once: readonly ScriptedAnswer[] = [200, 204, 299, 301, 308, 400, 404, 408, 410, 429, 600]
  const five: readonly ScriptedAnswer[] = [
    500,
    503,
    'timeout',
    'connect_refused',
    'dns_timeout',
    'tls_expired',
  ]

  it.each(once)('that answers %o is asked once', async (answer) => {
    const clock = simulatedClock()
    const transport = recordingTransport({ fallback: answer })
    const engine = await started(clock, transport)
    await contact(engine, 'http://127.0.0.1:9/')
    await outage(engine)
    await clock.advance(1200 * SECOND)
    expect(transport.requests).toHaveLength(1)
  })

  it.each(five)(
    'that ends with %o is asked five times, never early, at most a tenth and a second late, with a restart in every pause',
    async (answer) => {
      const folder = mkdtempSync(join(tmpdir(), 'watchpost-answers-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const clock = simulatedClock()
      const transport = recordingTransport({ fallback: answer })
      const store = () => sqliteStore({ file: join(folder, 'watchpost.db'), clock })
      let engine = await started(clock, transport, { store: store() })
      await contact(engine, 'http://127.0.0.1:9/')
      await outage(engine)
      for (let passed = 0, seen = 0; passed < 1200; passed += 10) {
        await clock.advance(10 * SECOND)
        if (transport.requests.length === seen) continue
        seen = transport.requests.length
        await ended(engine, clock)
        engine = await started(clock, transport, { store: store() })
      }
      const times = transport.requests.map(({ at }) => at)
      const pauses = times.slice(1).map((at, i) => at - times[i]!)
      expect(pauses).toHaveLength(4)
      for (const [i, pause_sec] of [30, 60, 120, 240].entries()) {
        expect(pauses[i]).toBeGreaterThanOrEqual(pause_sec * SECOND)
        expect(pauses[i]).toBeLessThanOrEqual(pause_sec * SECOND * 1.1 + SECOND)
      }
      const bodies = transport.requests.map(({ body }) => Buffer.from(body).toString('utf8'))
      expect(new Set(bodies).size).toBe(1)
    },
  )
})

/** Answers only where it is told to; how many hang at the same time, by host. */
function hangingTransport(healthy: (host: string) => boolean) {
  const under = new Map<string, number>()
  const most = new Map<string, number>()
  const reached: { readonly host: string; readonly at: number }[] = []
  const transport: WebhookTransport = {
    async send({ url }, { clock, signal }) {
      const host = new URL(url).hostname
      reached.push({ host, at: clock.monotonic() })
      under.set(host, (under.get(host) ?? 0) + 1)
      most.set(host, Math.max(most.get(host) ?? 0, under.get(host) ?? 0))
      if (!healthy(host)) await clock.sleep(10 * SECOND, signal).catch(() => undefined)
      under.set(host, (under.get(host) ?? 1) - 1)
      const good = healthy(host)
      return {
        http_status: good ? 200 : null,
        error: good ? null : 'timeout',
        retry_after: undefined,
        answer: null,
        duration_ms: 1,
        written: true,
      }
    },
  }
  return { transport, most, reached }
}

describe('receivers that hang', () => {
  it('a hundred of them on a hundred hosts, keep a healthy one waiting for less than half a second', async () => {
    const clock = simulatedClock()
    const { transport, reached } = hangingTransport((host) => host === '127.0.0.200')
    const engine = await started(clock, transport)
    for (let n = 1; n <= 100; n++) await contact(engine, `http://127.0.0.${n}:9/`)
    await contact(engine, 'http://127.0.0.200:9/')
    let told_at = NaN
    engine.on('down', () => void (told_at = clock.monotonic()))
    await outage(engine)
    await clock.advance(60 * SECOND)
    const healthy = reached.find(({ host }) => host === '127.0.0.200')
    expect(healthy!.at - told_at).toBeLessThan(500)
  })

  it('of one host take ten places and no more; another host has its own', async () => {
    const clock = simulatedClock()
    const { transport, most } = hangingTransport((host) => host === '127.0.0.2')
    const engine = await started(clock, transport)
    for (let n = 0; n < 30; n++) await contact(engine, `http://127.0.0.1:9/${n}`)
    await contact(engine, 'http://127.0.0.2:9/')
    await outage(engine)
    await clock.advance(120 * SECOND)
    expect(most.get('127.0.0.1')).toBe(10)
    expect(most.get('127.0.0.2')).toBe(1)
  })

  it('are limited per host as the operator says', async () => {
    const clock = simulatedClock()
    const { transport, most } = hangingTransport(() => false)
    const engine = await started(clock, transport, { limits: { deliveriesPerHost: 3 } })
    for (let n = 0; n < 12; n++) await contact(engine, `http://127.0.0.1:9/${n}`)
    await outage(engine)
    await clock.advance(300 * SECOND)
    expect(most.get('127.0.0.1')).toBe(3)
  })
})
