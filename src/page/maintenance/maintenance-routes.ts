/**
 * Planned work: what is open or planned, a form for more, and a button that ends it.
 *
 * @module
 */

import type { MaintenanceView } from '../../engine/api/maintenance.ts'
import { isWatchpostError } from '../../errors.ts'
import type { MaintenanceWindow } from '../../model.ts'
import { positive } from '../http/call.ts'
import type { Call, Route } from '../http/call.ts'
import type { AccountScope } from '../../engine/api/engine.ts'
import type { Frame } from '../layout/frame.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Said } from '../layout/markup.ts'
import { moment, relative, timeOfDay, ZONE } from '../layout/words.ts'
import { collectMonitors } from '../overview/monitors.ts'
import { tagsOfAll } from '../overview/offered-tags.ts'
import { action, page } from '../routes/signed-in.ts'
import type { PrivateSheet } from '../routes/signed-in.ts'
import { maintenanceForm, maintenanceInput } from './maintenance-form.ts'

const ROWS = 50
/** Monitors that the form offers; others are covered by a tag. */
const OFFERED = 200

interface Sent {
  readonly form?: URLSearchParams
  readonly problems?: Readonly<Record<string, string>>
  readonly status?: number
}

export const maintenanceRoutes: readonly Route[] = [
  page(/^\/maintenance$/, ({ call, scope, can_act }) => maintenanceSheet(call, { scope, can_act })),
  action(/^\/maintenance$/, async ({ call, scope, form }) => {
    try {
      await scope.maintenance.create(maintenanceInput(form, call.service.clock.now()) as never)
      return '/maintenance'
    } catch (error) {
      if (!isWatchpostError(error) || error.name !== 'ValidationError') throw error
      const { fields = {} } = error as { readonly fields?: Readonly<Record<string, string>> }
      return maintenanceSheet(
        call,
        { scope, can_act: true },
        { form, problems: fields, status: 422 },
      )
    }
  }),
  action(/^\/maintenance\/(\d{1,15})\/remove$/, async ({ call, scope }) => {
    await scope.maintenance.remove(Number(call.params[0]))
    return '/maintenance'
  }),
]

async function maintenanceSheet(
  { service, frame, url }: Call,
  { scope, can_act }: { readonly scope: AccountScope; readonly can_act: boolean },
  { form, problems = {}, status = 200 }: Sent = {},
): Promise<PrivateSheet> {
  const after = positive(url.searchParams, 'after')
  const found = await scope.maintenance.list({
    limit: ROWS,
    ...(after === undefined ? {} : { after }),
  })
  const { engine } = service
  const { entries: monitors } = await collectMonitors({ engine, account_id: scope.account_id })
  const tags = await tagsOfAll(monitors, service.clock)
  const sent = form ?? chosen(url)
  const action = `${service.base}/maintenance`
  const main: Content = ({ words: { maintenance: words, common } }) =>
    html`<h1>${words.title}</h1>
      ${
        found.items.length === 0
          ? html`<p class="empty">${words.none}</p>`
          : html`<ul class="list">
              ${found.items.map((window) => item(window, { frame, can_act }))}
            </ul>`
      }
      ${found.next !== null && html`<nav class="pages" aria-label="${common.pages}"><a href="${action}?after=${found.next}" rel="next">${common.older}</a></nav>`}
      ${
        can_act &&
        html`<section aria-labelledby="h-plan">
          <h2 id="h-plan">${words.plan}</h2>
          ${maintenanceForm({ action, sent, problems, monitors: monitors.slice(0, OFFERED), tags })}
        </section>`
      }`
  return { title: ({ words }) => words.maintenance.title, main, section: 'maintenance', status }
}

/** `?monitor=3`, from the page of a monitor. */
function chosen(url: URL): URLSearchParams {
  const monitor = positive(url.searchParams, 'monitor')
  return new URLSearchParams(monitor === undefined ? '' : `monitor_ids=${monitor}&covers=monitors`)
}

function item(
  view: MaintenanceView,
  { frame: { base, now }, can_act }: { readonly frame: Frame; readonly can_act: boolean },
): Content {
  const { id, name, window, active, starts_at, ends_at } = view
  const when: Content = ({ words: { maintenance: words } }) => {
    if (starts_at === null || ends_at === null) return words.over
    return active ? words.ends(relative(ends_at, now)) : words.begins(relative(starts_at, now))
  }
  return ({ words: { maintenance: words } }) =>
    html`<li>
      <div class="who">
        <h2>${foreign(name)}</h2>
        <p class="muted">${covers(view)}${window.skip_checks && words.noChecks}</p>
      </div>
      <p>
        <span class="what">${icon('tool', active ? 'warn' : 'quiet')}<span>${when}</span></span>
      </p>
      <p class="muted">${windowText(window)}</p>
      ${
        can_act &&
        html`<form method="post" action="${base}/maintenance/${id}/remove">
          <button aria-label="${words[active ? 'endNamed' : 'removeNamed'](name)}">
            ${words[active ? 'end' : 'remove']}
          </button>
        </form>`
      }
    </li>`
}

function covers({ all_monitors, tags, monitor_ids }: MaintenanceView): Content {
  const said: Said = ({ words: { maintenance: words, common } }) => {
    if (all_monitors) return words.allMonitors
    const parts = [
      tags.length > 0 && words.tagged(tags.join(', ')),
      monitor_ids.length > 0 && common.monitors(monitor_ids.length),
    ].filter((part) => part !== false)
    return parts.join(words.and)
  }
  return foreign(said)
}

function windowText(window: MaintenanceWindow): Content {
  if ('start' in window)
    return [moment(window.start), ' – ', timeOfDay(window.end, window.start), ' ', ZONE]
  return ({ words: { maintenance: words }, duration }) => {
    const lasts = duration(window.duration_min * 60)
    if ('cron' in window) return words.cron(window.cron, window.time_zone, lasts)
    const days = window.weekdays.map((day) => words.weekdays[day]).join(', ')
    return words.weekly(days || words.everyDay, `${window.at} ${window.time_zone}`, lasts)
  }
}
