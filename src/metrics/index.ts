/**
 * `watchpost/metrics`: an engine's figures for Prometheus and whatever reads its text format.
 *
 * @module watchpost/metrics
 */

export { createMetrics } from './metrics.ts'
export type { MetricsRate } from './limits.ts'
export type { MetricsScope } from './access.ts'
export type { Metrics, MetricsOptions } from './metrics.ts'
