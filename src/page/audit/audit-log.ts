/**
 * The audit log of the account, newest first: who changed what.
 *
 * @module
 */

import type { AccountScope } from '../../engine/api/engine.ts'
import type { AuditEntryView } from '../../engine/api/views.ts'
import type { Page } from '../../engine/api/filters.ts'
import { AUDITED_RESOURCES } from '../../model/audit.ts'
import type { AuditedResource, FieldChange } from '../../model/audit.ts'
import type { Json } from '../../model.ts'
import { badRequest } from '../http/page-error.ts'
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
    const query = queryOf(call.url.searchParams)
    const main = auditPage(await entriesFor(scope, query), query, call.frame)
    return { title: ({ words }) => words.audit.title, main, section: 'audit' }
  }),
]

interface AuditQuery {
  readonly resource: AuditedResource | undefined
  /** Of this one of the resource. */
  readonly id: number | undefined
  readonly actor: string
  readonly after: number | undefined
}

/** @throws PageError for a filter that cannot be */
function queryOf(params: URLSearchParams): AuditQuery {
  const actor = (params.get('actor') ?? '').trim()
  if (actor.length > ACTOR_CHARS)
    throw badRequest(({ words }) => words.audit.longActor(ACTOR_CHARS))
  return {
    resource: oneOf(params, 'resource', AUDITED_RESOURCES),
    id: positive(params, 'id'),
    actor,
    after: positive(params, 'after'),
  }
}

function entriesFor(
  scope: AccountScope,
  { resource, id, actor, after }: AuditQuery,
): Promise<Page<AuditEntryView>> {
  return scope.auditLog.list({
    limit: ROWS,
    ...(resource === undefined ? {} : { resource }),
    ...(id === undefined ? {} : { resource_id: id }),
    ...(actor === '' ? {} : { actor }),
    ...(after === undefined ? {} : { after }),
  })
}

function auditPage(
  { items, next }: Page<AuditEntryView>,
  query: AuditQuery,
  frame: Frame,
): Content {
  const { base } = frame
  return ({ words: { audit: words, common } }) =>
    html`<h1>${words.title}</h1>
      ${filterForm(query, base)}
      ${items.length === 0 ? html`<p class="empty">${words.none}</p>` : entryTable(items, query, frame)}
      <nav class="pages" aria-label="${common.pages}">
        ${query.after !== undefined && html`<a href="${hrefOf({ ...query, after: undefined }, base)}">${common.newest}</a>`}${next !== null && html`<a href="${hrefOf({ ...query, after: next }, base)}" rel="next">${common.older}</a>`}
      </nav>`
}

function filterForm({ resource, id, actor }: AuditQuery, base: string): Content {
  const option = (value: string, label: string): Markup =>
    html`<option value="${value}" ${value === (resource ?? '') && html` selected`}>
      ${label}
    </option>`
  return ({ words: { audit: words, common } }) =>
    html`<form class="filter" role="search" action="${base}/audit-log" method="get">
      <label class="grow"
        ><span class="hidden">${words.who}</span
        ><input
          type="search"
          name="actor"
          value="${actor}"
          maxlength="${ACTOR_CHARS}"
          placeholder="${words.whoSuchAs}"
      /></label>
      <label
        >${words.of}
        <select name="resource">
          ${option('', common.all)}${AUDITED_RESOURCES.map((each) => option(each, words.resources[each]))}
        </select></label
      >
      ${id !== undefined && html`<input type="hidden" name="id" value="${id}" />`}
      <button>${common.filter}</button>
    </form>`
}

function entryTable(items: readonly AuditEntryView[], query: AuditQuery, frame: Frame): Content {
  return ({ words: { audit: words, monitor } }) =>
    html`<div class="wide" tabindex="0" role="group" aria-label="${words.title}">
      <table class="entries">
        <thead>
          <tr>
            <th scope="col">${monitor.time}</th>
            <th scope="col">${words.who}</th>
            <th scope="col">${words.what}</th>
            <th scope="col">${words.changes}</th>
          </tr>
        </thead>
        <tbody>
          ${items.map((entry) => entryRow(entry, query, frame))}
        </tbody>
      </table>
    </div>`
}

function entryRow(entry: AuditEntryView, query: AuditQuery, { base, now }: Frame): Content {
  const { at, actor, action, resource, resource_id, resource_name, changes } = entry
  const only = (change: Partial<AuditQuery>): string =>
    hrefOf({ ...query, after: undefined, ...change }, base)
  const name = resource_name === null ? `${resource_id}` : foreign(resource_name)
  return ({ words: { audit: words } }) =>
    html`<tr>
      <td>${clockTime(at, now)}</td>
      <td>
        ${actor === null ? html`<span class="muted">${words.nobody}</span>` : html`<a href="${only({ actor })}">${foreign(actor)}</a>`}
      </td>
      <td>
        ${words.resources[resource]}
        <a href="${only({ resource, id: resource_id })}">${name}</a> ${words.actions[action]}
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
  if (value === null) return html`<span class="muted">${({ words }) => words.audit.noValue}</span>`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= VALUE_CHARS) return foreign(text)
  return html`<span title="${text}">${foreign(`${text.slice(0, VALUE_CHARS - 1)}…`)}</span>`
}

function hrefOf({ resource, id, actor, after }: AuditQuery, base: string): string {
  const params = new URLSearchParams()
  if (resource !== undefined) params.set('resource', resource)
  if (id !== undefined) params.set('id', String(id))
  if (actor !== '') params.set('actor', actor)
  if (after !== undefined) params.set('after', String(after))
  return `${base}/audit-log${params.size === 0 ? '' : `?${params.toString()}`}`
}
