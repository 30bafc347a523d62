/**
 * `watchpost/metrics`: metrics of an engine in the text format of Prometheus.
 *
 * @module watchpost/metrics
 */

export { createMetrics } from './metrics.ts'
export type { MetricsRate } from './limits.ts'
export type { MetricsScope } from './access.ts'
export type { Metrics, MetricsOptions } from './metrics.ts'
