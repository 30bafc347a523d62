/**
 * The text format of Prometheus, version 0.0.4:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * @module
 */

export type Labels = Readonly<Record<string, string>>
export type MetricKind = 'counter' | 'gauge' | 'histogram'

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** `# HELP` and `# TYPE`, which stand before the samples of a metric. */
export function head(name: string, kind: MetricKind, help: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${kind}\n`
}

export function sample(name: string, labels: Labels, value: number): string {
  return `${name}${labelText(labels)} ${numberText(value)}\n`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const SPECIAL = /[\\"\n]/g

function escaped(value: string): string {
  return value.replace(SPECIAL, (one) => (one === '\n' ? '\\n' : `\\${one}`))
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
