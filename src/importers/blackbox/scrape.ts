/**
 * The jobs of a Prometheus configuration that probe through blackbox_exporter
 * (https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config).
 *
 * @module
 */

import { objectsIn } from '../imported.ts'
import { durationMs, take } from '../taking.ts'
import type { Taking } from '../taking.ts'
import { isJsonObject } from '../../model/json.ts'

export interface ScrapeJob {
  readonly name: string
  readonly module: string
  readonly interval_ms: number
  readonly targets: readonly {
    readonly target: string
    /** As tags. */
    readonly labels: readonly string[]
  }[]
}

type Note = (of: string, what: string) => void

const PROMETHEUS_INTERVAL_MS = 60_000

export function scrapeJobs(document: unknown, note: Note): readonly ScrapeJob[] {
  if (document === undefined) return []
  if (!isJsonObject(document)) {
    note('prometheus', 'it is no configuration of Prometheus')
    return []
  }
  const root = take(document)
  const fallback =
    durationMs(root.object('global').text('scrape_interval')) ?? PROMETHEUS_INTERVAL_MS
  const jobs = objectsIn(root.value('scrape_configs'), (what) => note('scrape_configs', what))
  return jobs.flatMap((job) => probeJobs(take(job), fallback, note))
}

function probeJobs(job: Taking, fallback_ms: number, note: Note): readonly ScrapeJob[] {
  const name = job.text('job_name') ?? 'job'
  const modules = job.object('params').texts('module')
  // Any other job scrapes figures of its own.
  if (job.text('metrics_path') !== '/probe' && modules.length === 0) return []
  const configs = objectsIn(job.value('static_configs'), (what) => note(name, what))
  const targets = configs.flatMap((config) => {
    const labels = labelsOf(config['labels'])
    return take(config)
      .texts('targets')
      .map((target) => ({ target, labels }))
  })
  const interval_ms = durationMs(job.text('scrape_interval')) ?? fallback_ms
  job.ignore(
    'relabel_configs',
    'metric_relabel_configs',
    'scrape_timeout',
    'scheme',
    'honor_labels',
  )
  for (const field of job.left()) note(name, `${field} has no counterpart`)
  if (modules.length === 0) note(name, 'not imported: params.module does not say how to probe')
  return modules.map((module) => ({ name, module, interval_ms, targets }))
}

function labelsOf(labels: unknown): readonly string[] {
  const entries = Object.entries(isJsonObject(labels) ? labels : {})
  return entries
    .filter(([name, value]) => !name.startsWith('__') && typeof value === 'string')
    .map(([name, value]) => `${name}: ${value as string}`.replaceAll(',', ' ').slice(0, 64))
}
