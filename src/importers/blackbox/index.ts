/**
 * A configuration of blackbox_exporter
 * (https://github.com/prometheus/blackbox_exporter/blob/master/CONFIGURATION.md). It says how to probe and
 * not what: the targets stand in the scrape configuration of Prometheus, which is asked for besides.
 *
 * @module
 */

import { BOUNDS, deadline, gather, within } from '../imported.ts'
import type { Gathering, Imported } from '../imported.ts'
import { durationMs, take } from '../taking.ts'
import { probe } from './modules.ts'
import { scrapeJobs } from './scrape.ts'
import type { ScrapeJob } from './scrape.ts'
import { isJsonObject } from '../../model/json.ts'

export interface BlackboxFiles {
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
      note(`not imported: ${target} has no port`)
      continue
    }
    const name = target.replace(/^https?:\/\//, '').slice(0, 200)
    gathering.add(
      { name, interval_sec, ...timeout, tags: [job.name, ...labels], ...settings },
      `${job.name}/${name}`,
    )
  }
}
