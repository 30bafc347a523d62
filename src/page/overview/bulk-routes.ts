/**
 * Pausing, resuming and acknowledging several monitors at once: those that are marked, or all that the filter finds.
 *
 * @module
 */

import type { MonitorFilter } from '../../engine/api/engine.ts'
import type { BulkFilter } from '../../engine/api/bulk.ts'
import { isWatchpostError } from '../../errors.ts'
import { badRequest } from '../http/page-error.ts'
import { idsOf } from '../http/call.ts'
import type { Route } from '../http/call.ts'
import { html } from '../layout/markup.ts'
import type { Said } from '../layout/markup.ts'
import { action } from '../routes/signed-in.ts'
import type { Acting, PrivateSheet } from '../routes/signed-in.ts'
import { engineFilter, queryOf, wantedOf } from './filter.ts'
import type { Wanted } from './filter.ts'
import { collectMonitors } from './monitors.ts'
import type { Reading } from './monitors.ts'

/** More than a page shows. */
const MARKED = 200

export const bulkRoutes: readonly Route[] = [
  action(/^\/monitors\/several$/, async ({ call, scope, form, permitted }) => {
    const { service, url } = call
    const wanted = wantedOf(url.searchParams, service.engine.types.list())
    const chosen = chosenOf(form, wanted)
    const what = form.get('do')
    if (what === 'acknowledge')
      await acknowledgeAll({ scope, engine: service.engine, permitted }, chosen)
    else if (what === 'pause' || what === 'resume') {
      const failed = await changeAll({ scope, permitted }, what, chosen)
      if (failed.length > 0) return notAll(failed, service.base + `/${queryOf(wanted, 1)}`)
    } else throw badRequest(({ words }) => words.errors.noAction)
    return `/${queryOf(wanted, wanted.page)}`
  }),
]

interface Chosen {
  readonly bulk: BulkFilter
  readonly list: Omit<MonitorFilter, 'limit' | 'after'>
  /** Absent for all that the filter finds. */
  readonly ids: ReadonlySet<number> | undefined
}

/** @throws PageError if none is marked */
function chosenOf(form: URLSearchParams, wanted: Wanted): Chosen {
  const list = engineFilter(wanted)
  if (form.get('all') === 'on')
    return { bulk: list ?? { all: true }, list: list ?? {}, ids: undefined }
  const ids = idsOf(form.getAll('id'), MARKED)
  if (ids.length === 0) throw badRequest(({ words }) => words.overview.noneMarked)
  return { bulk: { ids }, list: {}, ids: new Set(ids) }
}

type Changing = Pick<Acting, 'scope' | 'permitted'>

async function changeAll(
  { scope, permitted }: Changing,
  what: 'pause' | 'resume',
  { bulk }: Chosen,
): Promise<readonly Said[]> {
  const failed: Said[] = []
  let after: number | undefined
  do {
    const from = after === undefined ? {} : { after }
    const done = await scope.monitors.bulk({ action: what, filter: bulk, ...from }, { permitted })
    failed.push(
      ...done.failures.map(({ monitor_id, message }): Said => {
        return ({ words }) => words.overview.failed(monitor_id, message)
      }),
    )
    after = done.next ?? undefined
  } while (after !== undefined)
  return failed
}

/** An incident that has ended meanwhile needs no acknowledgement, and is no error. */
async function acknowledgeAll(
  { scope, engine, permitted }: Changing & Pick<Reading, 'engine'>,
  { list, ids }: Chosen,
): Promise<void> {
  const { account_id } = scope
  const { entries } = await collectMonitors({ engine, account_id }, list)
  for (const { id, open_incident_id } of entries) {
    if (open_incident_id === null || ids?.has(id) === false) continue
    await permitted()
    await scope.incidents.acknowledge(open_incident_id).catch((error: unknown) => {
      if (!isWatchpostError(error) || !['ConflictError', 'NotFoundError'].includes(error.name))
        throw error
    })
  }
}

function notAll(failed: readonly Said[], back: string): PrivateSheet {
  const title: Said = ({ words }) => words.overview.notAll
  const main = html`<div class="first">
    <h1>${title}</h1>
    <p>${({ words }) => words.overview.stayed(failed.length)}</p>
    <ul>
      ${failed.map((text) => html`<li>${text}</li>`)}
    </ul>
    <p><a href="${back}">${({ words }) => words.overview.backToList}</a></p>
  </div>`
  return { title, main, section: 'monitors', status: 409 }
}
