/**
 * The metrics of an engine through `@opentelemetry/api`, for whatever exporter the host has registered. They are those
 * of `watchpost/metrics` with dots in their names: a translation to Prometheus gives the same names and labels.
 *
 * @module
 */

import type * as Api from '@opentelemetry/api'
import type { BatchObservableResult, Meter, ObservableGauge } from '@opentelemetry/api'
import { systemClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/api/engine.ts'
import { isMissingPackage } from '../errors.ts'
import { loggerOf } from '../logger.ts'
import type { Logger } from '../logger.ts'
import { countEvents, createMeters } from '../metrics/counting.ts'
import type { Instruments } from '../metrics/instruments.ts'
import { MONITOR_GAUGES, monitorLabels, readMonitors } from '../metrics/monitors.ts'
import { ENGINE_GAUGES, healthOf, LOOP_DELAY, measureLoopDelay } from '../metrics/state.ts'
import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'
import { VERSION } from '../version.ts'

export interface OpenTelemetryMetricsOptions {
  /** `false` omits the series of single monitors: SDKs keep 2,000 per instrument by default. Default `true`. */
  readonly monitors?: boolean | undefined
  readonly clock?: Clock | undefined
  /** Default: errors are one line each on stderr. `false`: nothing. */
  readonly logger?: Logger | false | undefined
}

export interface OpenTelemetryMetrics {
  /** Stops counting. Called when the engine stops, but for what is counted until then. */
  close(this: void): void
}

const OPTIONS: OptionTable<OpenTelemetryMetricsOptions> = {
  monitors: option.flag,
  clock: option.clock,
  logger: option.logger,
}

/**
 * Counts from the call on: call it before `engine.start()`, and after the SDK is registered, since the API hands no
 * meter on to an SDK that comes later. `undefined` if `@opentelemetry/api` is not installed.
 */
export async function openTelemetryMetrics(
  engine: Engine,
  options: OpenTelemetryMetricsOptions = {},
): Promise<OpenTelemetryMetrics | undefined> {
  checkOptions('openTelemetryMetrics', options, OPTIONS)
  try {
    return measureWith(await import('@opentelemetry/api'), engine, options)
  } catch (error) {
    if (isMissingPackage(error, '@opentelemetry/api')) return undefined
    throw error
  }
}

function measureWith(
  { metrics }: typeof Api,
  engine: Engine,
  { monitors = true, clock = systemClock, logger }: OpenTelemetryMetricsOptions,
): OpenTelemetryMetrics {
  const meter = metrics.getMeter('watchpost', VERSION)
  const log = loggerOf(logger)
  const instruments = instrumentsOf(meter)
  const stopCounting = countEvents(engine, createMeters(instruments))
  const loop = measureLoopDelay(clock, instruments.histogram(LOOP_DELAY))
  const ofEngine = ENGINE_GAUGES.map((gauge) => ({ ...gauge, observed: gaugeOf(meter, gauge) }))
  const ofMonitors = (monitors ? MONITOR_GAUGES : []).map((gauge) => ({
    ...gauge,
    observed: gaugeOf(meter, gauge),
  }))

  async function observe(result: BatchObservableResult): Promise<void> {
    const all = await readMonitors(engine, clock)
    const health = await healthOf(engine, log)
    for (const { observed, samples } of ofEngine) {
      for (const [labels, value] of samples({ monitors: all, health }))
        result.observe(observed, value, labels)
    }
    for (const monitor of ofMonitors.length === 0 ? [] : all) {
      const labels = monitorLabels(monitor)
      for (const { observed, samples } of ofMonitors) {
        for (const { value, label } of samples(monitor))
          result.observe(observed, value, label === undefined ? labels : withLabel(labels, label))
      }
    }
  }

  const gauges = [...ofEngine, ...ofMonitors].map(({ observed }) => observed)
  meter.addBatchObservableCallback(observe, gauges)
  const stopObserving = (): void => {
    loop.close()
    meter.removeBatchObservableCallback(observe, gauges)
  }
  // The last rounds of an engine that stops are counted as well.
  const removeListener = engine.on('stop', stopObserving)
  return {
    close() {
      removeListener()
      stopObserving()
      stopCounting()
    },
  }
}

function withLabel(
  labels: Readonly<Record<string, string>>,
  [name, value]: readonly [string, string],
): Record<string, string> {
  return { ...labels, [name]: value }
}

function instrumentsOf(meter: Meter): Instruments {
  return {
    counter({ name, help, plain }) {
      const counter = meter.createCounter(...named(name, help))
      // A rate needs an initial zero.
      if (plain === true) counter.add(0)
      return { add: (labels, by = 1) => counter.add(by, labels) }
    },
    histogram({ name, help, buckets }) {
      const [own, options] = named(name, help)
      const advice = { explicitBucketBoundaries: [...buckets] }
      const histogram = meter.createHistogram(own, { ...options, advice })
      return { observe: (labels, value) => histogram.record(value, labels) }
    },
  }
}

function gaugeOf(
  meter: Meter,
  { name, help }: { readonly name: string; readonly help: string },
): ObservableGauge {
  return meter.createObservableGauge(...named(name, help))
}

/** `watchpost_checks_total` is `watchpost.checks`; seconds are the unit instead of a suffix. */
function named(name: string, description: string): [string, { description: string; unit: string }] {
  const unit = name.endsWith('_seconds') ? 's' : ''
  return [name.replace(/_(?:total|seconds)$/, '').replaceAll('_', '.'), { description, unit }]
}
