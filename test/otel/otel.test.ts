import { spawnSync } from 'node:child_process'
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { openTelemetry } from '../../src/otel/otel.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { rig } from '../engine/rig.ts'
import type { Rig } from '../engine/rig.ts'

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
provider.register()

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  exporter.reset()
})
afterAll(() => provider.shutdown())

/** Opens a span of its own, as an instrumented library does. */
const inner = defineChecker({
  type: 'inner',
  title: 'Inner',
  description: 'Calls something that is traced as well',
  fields: {
    host: field.host({ description: 'Target' }).required(),
    pass: field.secret({ description: 'A secret' }),
  },
  causes: { broken: { text: 'It is broken' } },
  target: ({ host }) => host,
  async run(ctx, { host }) {
    await ctx.phase('connect', () => ctx.clock.sleep(250))
    trace.getTracer('library').startSpan('GET').end()
    return host.startsWith('down') ? down('broken', 'It is broken') : up()
  },
})

async function traced(): Promise<Rig> {
  const tracing = await openTelemetry()
  const made = await rig({ checkers: [inner], tracing, locations: ['here', 'there'] })
  closing.push(() => made.engine.stop({ drainMs: 0 }))
  return made
}

const spans = (name: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name)

const idOf = (span: ReadableSpan | undefined): string | undefined => span?.spanContext().spanId

describe('an engine that is traced', () => {
  it('makes a span of every check, with what it measured and without secrets', async () => {
    const { engine, clock } = await traced()
    await engine.monitors.create({
      ...{ type: 'inner', name: 'Shop', host: 'shop.test', pass: 'very-secret-word' },
    })
    await clock.advance(2_000)
    const checks = spans('check inner')
    expect(
      checks.map(({ attributes }) => attributes['watchpost.location.name']).toSorted(),
    ).toEqual(['here', 'there'])
    expect(checks[0]?.attributes).toMatchObject({
      'watchpost.monitor.id': 1,
      'watchpost.monitor.type': 'inner',
      'watchpost.check.verdict': 'ok',
      'watchpost.check.phase.connect.duration': 0.25,
      'server.address': 'shop.test',
    })
    expect(checks[0]?.status.code).toBe(SpanStatusCode.UNSET)
    const told = exporter.getFinishedSpans().map(({ attributes, status }) => [attributes, status])
    expect(JSON.stringify(told)).not.toContain('very-secret-word')
  })

  it('has what a check calls below the check', async () => {
    const { engine, clock } = await traced()
    await engine.monitors.create({ type: 'inner', name: 'Shop', host: 'shop.test' })
    await clock.advance(2_000)
    const parents = spans('GET').map(({ parentSpanContext }) => parentSpanContext?.spanId)
    expect(parents.toSorted()).toEqual(spans('check inner').map(idOf).toSorted())
    expect(trace.getSpan(context.active())).toBeUndefined()
  })

  it('leads from a delivery to its commit, and from there to the checks that failed', async () => {
    const { engine, clock, answer } = await traced()
    answer('ops', 503)
    await engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    await engine.monitors.create({
      ...{ type: 'inner', name: 'Shop', host: 'down.test', fail_threshold: 1 },
    })
    await clock.advance(2_000)
    const failed = spans('check inner')
    expect(failed[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'It is broken' })
    expect(failed[0]?.attributes['error.type']).toBe('broken')
    const commit = spans('commit').find(({ links }) => links.length > 0)
    expect(commit?.links.map((link) => link.context.spanId).toSorted()).toEqual(
      failed.map(idOf).toSorted(),
    )
    const [first] = spans('deliver down')
    expect(first?.links.map((link) => link.context.spanId)).toEqual([idOf(commit)])
    expect(first?.attributes).toMatchObject({
      'watchpost.notification.event': 'down',
      'watchpost.delivery.attempt': 1,
      'watchpost.delivery.status': 'queued',
      'http.response.status_code': 503,
    })
    expect(first?.status.code).toBe(SpanStatusCode.ERROR)

    answer('ops', 204)
    await clock.advance(60_000)
    const second = spans('deliver down')[1]
    expect(second?.attributes['watchpost.delivery.status']).toBe('sent')
    expect(second?.status.code).toBe(SpanStatusCode.UNSET)
    expect(second?.links.map((link) => link.context.spanId)).toEqual([idOf(commit)])
  })

  it('tells of a commit that failed', async () => {
    const store = memoryStore()
    const broken = { ...store, commit: () => Promise.reject(new Error('disk full')) }
    const tracing = await openTelemetry()
    const made = await rig({ checkers: [inner], tracing }, { store: broken })
    closing.push(() => made.engine.stop({ drainMs: 0 }))
    await made.engine.monitors.create({ type: 'inner', name: 'Shop', host: 'shop.test' })
    await made.clock.advance(2_000)
    const [commit] = spans('commit')
    expect(commit?.status.code).toBe(SpanStatusCode.ERROR)
    expect(commit?.events[0]?.attributes?.['exception.message']).toBe('disk full')
  })
})

describe('without the package', () => {
  it('there is nothing, and nothing fails', () => {
    const absent = `export async function resolve(specifier, context, next) {
      if (specifier !== '@opentelemetry/api') return next(specifier, context)
      throw Object.assign(new Error(\`Cannot find package '\${specifier}'\`), { code: 'ERR_MODULE_NOT_FOUND' })
    }`
    const script = `
      import { register } from 'node:module'
      register(${JSON.stringify(new URL('../../scripts/docs/read-typescript.mjs', import.meta.url))})
      register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(absent)}`)})
      const { openTelemetry } = await import(${JSON.stringify(new URL('../../src/otel/otel.ts', import.meta.url))})
      process.stdout.write(String(await openTelemetry()))`
    const told = spawnSync(
      process.execPath,
      ['--no-deprecation', '--input-type=module', '-e', script],
      {
        encoding: 'utf8',
      },
    )
    expect([told.stderr, told.stdout]).toEqual(['', 'undefined'])
  })
})
