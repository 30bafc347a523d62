/**
 * The audit log of the account, newest first: who changed what.
 *
 * @module
 */

import type { AccountScope } from '../../engine/api/engine.ts'
import type { AuditEntryView, Page } from '../../engine/api/views.ts'
import { AUDITED_RESOURCES } from '../../model/audit.ts'
import type { AuditedResource, FieldChange } from '../../model/audit.ts'
import type { Json } from '../../model.ts'
import { badRequest } from '../http/http-error.ts'
import { oneOf, positive } from '../http/call.ts'
import type { Route } from '../http/call.ts'
import type { Frame } from '../layout/frame.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import { clockTime } from '../layout/words.ts'
import { page } from '../routes/signed-in.ts'

const ROWS = 50
const ACTOR_CHARS = 200
/** Of one value; the title has more of it. */
const VALUE_CHARS = 80

export const auditRoutes: readonly Route[] = [
  page(/^\/audit-log$/, async ({ call, scope }) => {
    const ask = askOf(call.url.searchParams)
    const main = auditPage(await found(scope, ask), ask, call.frame)
    return { title: 'Audit log', main, section: 'audit' }
  }),
]

interface AuditAsk {
  readonly resource: AuditedResource | undefined
  /** Of this one of the resource. */
  readonly id: number | undefined
  readonly actor: string
  readonly after: number | undefined
}

/** @throws HttpError for a filter that cannot be */
function askOf(query: URLSearchParams): AuditAsk {
  const actor = (query.get('actor') ?? '').trim()
  if (actor.length > ACTOR_CHARS)
    throw badRequest(() => `The actor to filter by has more than ${ACTOR_CHARS} characters.`)
  return {
    resource: oneOf(query, 'resource', AUDITED_RESOURCES),
    id: positive(query, 'id'),
    actor,
    after: positive(query, 'after'),
  }
}

function found(
  scope: AccountScope,
  { resource, id, actor, after }: AuditAsk,
): Promise<Page<AuditEntryView>> {
  return scope.auditLog.list({
    limit: ROWS,
    ...(resource === undefined ? {} : { resource }),
    ...(id === undefined ? {} : { resource_id: id }),
    ...(actor === '' ? {} : { actor }),
    ...(after === undefined ? {} : { after }),
  })
}

const RESOURCES: Readonly<Record<AuditedResource, string>> = {
  monitor: 'Monitor',
  contact: 'Contact',
  maintenance: 'Planned work',
  public_page: 'Public page',
  status_report: 'Status report',
  key: 'Key',
  account: 'Account',
}

function auditPage({ items, next }: Page<AuditEntryView>, ask: AuditAsk, frame: Frame): Markup {
  const { base } = frame
  return html`<h1>Audit log</h1>
    ${filterForm(ask, base)}
    ${items.length === 0 ? html`<p class="empty">No change is on record.</p>` : entryTable(items, ask, frame)}
    <nav class="pages" aria-label="Pages">
      ${ask.after !== undefined && html`<a href="${hrefOf({ ...ask, after: undefined }, base)}">Newest</a>`}${next !== null && html`<a href="${hrefOf({ ...ask, after: next }, base)}" rel="next">Older</a>`}
    </nav>`
}

function filterForm({ resource, id, actor }: AuditAsk, base: string): Markup {
  const option = (value: string, label: string): Markup =>
    html`<option value="${value}" ${value === (resource ?? '') && html` selected`}>
      ${label}
    </option>`
  return html`<form class="filter" role="search" action="${base}/audit-log" method="get">
    <label class="grow"
      ><span class="hidden">Who</span
      ><input
        type="search"
        name="actor"
        value="${actor}"
        maxlength="${ACTOR_CHARS}"
        placeholder="Who, such as key:1"
    /></label>
    <label
      >Of
      <select name="resource">
        ${option('', 'All')}${AUDITED_RESOURCES.map((each) => option(each, RESOURCES[each]))}
      </select></label
    >
    ${id !== undefined && html`<input type="hidden" name="id" value="${id}" />`}
    <button>Filter</button>
  </form>`
}

function entryTable(items: readonly AuditEntryView[], ask: AuditAsk, frame: Frame): Markup {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Audit log">
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Changes</th>
        </tr>
      </thead>
      <tbody>
        ${items.map((entry) => entryRow(entry, ask, frame))}
      </tbody>
    </table>
  </div>`
}

function entryRow(entry: AuditEntryView, ask: AuditAsk, { base, now }: Frame): Markup {
  const { at, actor, action, resource, resource_id, resource_name, changes } = entry
  const only = (change: Partial<AuditAsk>): string =>
    hrefOf({ ...ask, after: undefined, ...change }, base)
  const name = resource_name === null ? `${resource_id}` : foreign(resource_name)
  return html`<tr>
    <td>${clockTime(at, now)}</td>
    <td>
      ${actor === null ? html`<span class="muted">nobody named</span>` : html`<a href="${only({ actor })}">${foreign(actor)}</a>`}
    </td>
    <td>
      ${RESOURCES[resource]} <a href="${only({ resource, id: resource_id })}">${name}</a> ${action}
    </td>
    <td>${changes.map((change, index) => [index > 0 && html`<br />`, changeText(change)])}</td>
  </tr>`
}

/** Values are absent where they may be secret, or are too long. */
function changeText({ field, from, to }: FieldChange): Content {
  if (from === undefined || to === undefined) return html`<code>${field}</code>`
  return html`<code>${field}</code>: ${valueText(from)} → ${valueText(to)}`
}

function valueText(value: Json): Content {
  if (value === null) return html`<span class="muted">none</span>`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= VALUE_CHARS) return foreign(text)
  return html`<span title="${text}">${foreign(`${text.slice(0, VALUE_CHARS - 1)}…`)}</span>`
}

function hrefOf({ resource, id, actor, after }: AuditAsk, base: string): string {
  const query = new URLSearchParams()
  if (resource !== undefined) query.set('resource', resource)
  if (id !== undefined) query.set('id', String(id))
  if (actor !== '') query.set('actor', actor)
  if (after !== undefined) query.set('after', String(after))
  return `${base}/audit-log${query.size === 0 ? '' : `?${query.toString()}`}`
}
