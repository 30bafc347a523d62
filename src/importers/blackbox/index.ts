/**
 * A configuration of blackbox_exporter
 * (https://github.com/prometheus/blackbox_exporter/blob/master/CONFIGURATION.md). It says how to probe and
 * not what: the targets stand in the scrape configuration of Prometheus, which is asked for besides
 * (https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config).
 *
 * @module
 */

import { BOUNDS, deadline, gather, within, withoutLogin, objectsIn } from '../imported.ts'
import type { Gathering, Imported } from '../imported.ts'
import { durationMs, take } from '../taking.ts'
import { probe } from './modules.ts'
import { isJsonObject } from '../../model/json.ts'
import type { Taking } from '../taking.ts'

interface BlackboxFiles {
  /** `modules: …`. */
  readonly blackbox: unknown
  /** `scrape_configs: …` of Prometheus. Without it there is nothing to watch. */
  readonly prometheus?: unknown
}

export function fromBlackbox({ blackbox, prometheus }: BlackboxFiles): Imported {
  const gathering = gather()
  const modules = isJsonObject(blackbox) ? blackbox['modules'] : undefined
  if (!isJsonObject(modules)) {
    gathering.note('the file', 'it has no modules: it is no configuration of blackbox_exporter')
    return gathering.done()
  }
  const jobs = scrapeJobs(prometheus, gathering.note)
  const used = new Set<string>()
  for (const job of jobs) {
    used.add(job.module)
    const module = modules[job.module]
    if (isJsonObject(module)) oneJob(gathering, job, take(module))
    else gathering.note(job.name, `not imported: there is no module ${job.module}`)
  }
  for (const name of Object.keys(modules).filter((each) => !used.has(each))) {
    gathering.note(
      name,
      'not imported: no target of it is known; they stand in the scrape configuration of Prometheus',
    )
  }
  return gathering.done()
}

function oneJob(gathering: Gathering, job: ScrapeJob, module: ReturnType<typeof take>): void {
  const note = (what: string): void => gathering.note(`${job.name} (${job.module})`, what)
  const interval_sec = within(
    { value: job.interval_ms / 1000, ...BOUNDS.interval_sec },
    (allowed) => note(`an interval of ${job.interval_ms / 1000} s became ${allowed} s`),
  )
  const timeout = deadline(interval_sec, durationMs(module.text('timeout')), note)
  const settingsOf = probe(module, note)
  for (const field of module.left()) note(`${field} has no counterpart`)
  if (settingsOf === undefined) return
  for (const { target, labels } of job.targets) {
    const settings = settingsOf(target)
    if (settings === undefined) {
      note(`not imported: ${withoutLogin(target)} has no port`)
      continue
    }
    const name = withoutLogin(target)
      .replace(/^https?:\/\//, '')
      .slice(0, 200)
    gathering.add(
      { name, interval_sec, ...timeout, tags: [job.name, ...labels], ...settings },
      `${job.name}/${name}`,
    )
  }
}

interface ScrapeJob {
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

function scrapeJobs(document: unknown, note: Note): readonly ScrapeJob[] {
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
  // Any other job scrapes metrics of its target, without the exporter.
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
