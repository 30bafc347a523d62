import { metrics as api } from '@opentelemetry/api'
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { DataPoint, Histogram, MetricData } from '@opentelemetry/sdk-metrics'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { openTelemetryMetrics } from '../../src/otel/otel.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from '../engine/rig.ts'
import { valuesOf } from '../metrics/read.ts'

let exporter: InMemoryMetricExporter
let provider: MeterProvider

const closing: (() => unknown)[] = []
beforeEach(() => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  // Exported when a test asks.
  const exportIntervalMillis = 86_400_000
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis })
  provider = new MeterProvider({ readers: [reader] })
  api.disable()
  api.setGlobalMeterProvider(provider)
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await provider.shutdown()
})

const timed = defineChecker({
  type: 'timed',
  title: 'Timed',
  description: 'Takes its time',
  fields: { host: field.host({ description: 'Target' }).required() },
  causes: { broken: { text: 'It is broken' } },
  target: ({ host }) => host,
  async run(ctx, { host }) {
    await ctx.phase('connect', () => ctx.clock.sleep(20))
    return host === 'ill.test' ? down('broken', 'It is broken') : up()
  },
})

type Options = Parameters<typeof openTelemetryMetrics>[1]

async function measured(options: Options = {}) {
  const made = await rig({ checkers: [timed], locations: ['here', 'there'] })
  const { engine, clock } = made
  const text = createMetrics(engine)
  const metrics = await openTelemetryMetrics(engine, options)
  closing.push(() => engine.stop({ drainMs: 0 }), text.close, metrics!.close)
  await engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  for (const host of ['well.test', 'ill.test'])
    await engine.monitors.create({ type: 'timed', name: host, host, fail_threshold: 1 })
  await clock.advance(180_000)
  return { ...made, text, metrics: metrics! }
}

async function exported(): Promise<readonly MetricData[]> {
  exporter.reset()
  await provider.forceFlush()
  return exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .filter(({ scope }) => scope.name === 'watchpost')
    .flatMap(({ metrics }) => metrics)
    .filter(({ dataPoints }) => dataPoints.length > 0)
}

/** As a collector translates names for Prometheus: dots, the unit, and `_total` for counters. */
function translated({ descriptor, dataPointType }: MetricData): string {
  const counter = dataPointType === DataPointType.SUM ? '_total' : ''
  const unit = descriptor.unit === 's' ? '_seconds' : ''
  return `${descriptor.name.replaceAll('.', '_')}${unit}${counter}`
}

type Labels = Readonly<Record<string, string>>

/** Every sample that a data point stands for. */
function samplesOf(metric: MetricData): [name: string, labels: Labels, value: number][] {
  const name = translated(metric)
  if (metric.dataPointType !== DataPointType.HISTOGRAM) {
    const points = metric.dataPoints as readonly DataPoint<number>[]
    return points.map(({ attributes, value }) => [name, attributes as Labels, value])
  }
  return (metric.dataPoints as readonly DataPoint<Histogram>[]).flatMap(({ attributes, value }) => {
    const labels = attributes as Labels
    let total = 0
    return [
      ...value.buckets.counts.map((count, index): [string, Labels, number] => {
        const le = String(value.buckets.boundaries[index] ?? '+Inf')
        return [`${name}_bucket`, { ...labels, le }, (total += count)]
      }),
      [`${name}_sum`, labels, value.sum ?? NaN],
      [`${name}_count`, labels, value.count],
    ]
  })
}

describe('metrics over OpenTelemetry', () => {
  it('are those of Prometheus, name by name, label by label, value by value', async () => {
    const { text } = await measured()
    // What a timer of the process measures is another figure each time.
    const measures = (line: string): boolean => !line.includes('watchpost_event_loop_delay')
    const page = (await text.text()).split('\n').filter(measures).join('\n')
    const read = valuesOf(page)
    const found = (await exported()).flatMap(samplesOf).filter(([name]) => measures(name))
    const differing = found.filter(([name, labels, value]) => {
      const other = read(name, labels)
      return other === undefined || Math.abs(other - value) > 1e-9
    })
    expect(differing).toEqual([])
    const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(found).toHaveLength(lines.length)
    expect(found.length).toBeGreaterThan(100)
  })

  it('say what each is in, and what it means', async () => {
    await measured()
    const all = await exported()
    expect(all.filter(({ descriptor }) => descriptor.description === '')).toEqual([])
    const of = (name: string) => all.find(({ descriptor }) => descriptor.name === name)?.descriptor
    expect(of('watchpost.check.duration')).toMatchObject({ unit: 's' })
    expect(of('watchpost.checks')).toMatchObject({ unit: '' })
  })

  it('leave out single monitors where that is asked', async () => {
    await measured({ monitors: false })
    const names = (await exported()).map(({ descriptor }) => descriptor.name)
    expect(names.filter((name) => name.startsWith('watchpost.monitor.'))).toEqual([])
    expect(names).toContain('watchpost.monitors')
  })

  it('tell nothing more of an engine that has stopped, and leave no timer', async () => {
    const { engine, metrics } = await measured()
    const clock = simulatedClock()
    await openTelemetryMetrics(engine, { clock })
    await engine.stop({ drainMs: 0 })
    const names = (await exported()).map(({ descriptor }) => descriptor.name)
    expect(names).not.toContain('watchpost.engine.running')
    metrics.close()
    expect(clock.pending).toBe(0)
  })

  it('know their options', async () => {
    const { engine } = await rig()
    closing.push(() => engine.stop({ drainMs: 0 }))
    const wrong = openTelemetryMetrics(engine, { monitor: false } as Options)
    await expect(wrong).rejects.toThrow('monitors')
  })
})
