/**
 * The text format of Prometheus, version 0.0.4:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * @module
 */

export type Labels = Readonly<Record<string, string>>
export type MetricKind = 'counter' | 'gauge' | 'histogram'

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** `# HELP` and `# TYPE`, which precede the samples of a metric. */
export function head(name: string, kind: MetricKind, help: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${kind}\n`
}

export function sample(name: string, labels: Labels, value: number): string {
  return line(name, labelPairs(labels), value)
}

/** A sample whose labels are already encoded. */
export function line(name: string, pairs: string, value: number): string {
  return `${name}${pairs === '' ? '' : `{${pairs}}`} ${numberText(value)}\n`
}

export function labelPairs(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')
}

const SPECIAL = /[\\"\n]/g

function escaped(value: string): string {
  return value.replace(SPECIAL, (one) => (one === '\n' ? '\\n' : `\\${one}`))
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
