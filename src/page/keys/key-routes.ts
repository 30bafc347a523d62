/**
 * The API keys of an account: what each may do and when it was used; making and revoking them. Only for a key that may
 * do everything, and for those to whom the host gives it: no key can make one that may do more than itself.
 *
 * @module
 */

import type { KeyView } from '../../engine/api/views.ts'
import { ALL_SCOPES, KEY_SCOPES } from '../../model/scopes.ts'
import type { KeyScope } from '../../model/scopes.ts'
import { badRequest, conflict, forbidden } from '../http/page-error.ts'
import type { Route } from '../http/call.ts'
import type { Frame } from '../layout/frame.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content } from '../layout/markup.ts'
import { relative } from '../layout/words.ts'
import { action, page } from '../routes/signed-in.ts'
import type { PrivateSheet } from '../routes/signed-in.ts'
import type { Visitor } from '../session/access.ts'

const NAME_CHARS = 100
/** In use at a time: each has a window of requests of its own. */
const MAX_KEYS = 100
/** With those that were revoked in the last 30 days: the list is read and drawn whole. */
const MAX_LISTED = 500

export const keyRoutes: readonly Route[] = [
  page(/^\/keys$/, async ({ call, scope, visitor }) => {
    requireKeys(visitor)
    return keySheet(await scope.keys.list(), call.frame)
  }),
  action(/^\/keys$/, async ({ call, scope, visitor, form }) => {
    requireKeys(visitor)
    const name = (form.get('name') ?? '').trim()
    if (name === '' || name.length > NAME_CHARS)
      throw badRequest(({ words }) => words.keys.needsName(NAME_CHARS))
    const chosen = KEY_SCOPES.filter((scope) => form.getAll('scope').includes(scope))
    if (chosen.length === 0) throw badRequest(({ words }) => words.keys.chooseScopes)
    await call.service.requests.newKey(scope.account_id)
    const listed = await scope.keys.list()
    if (listed.length >= MAX_LISTED) throw conflict(({ words }) => words.keys.listFull(MAX_LISTED))
    const full = conflict(({ words }) => words.keys.tooMany(MAX_KEYS))
    if (inUse(listed) >= MAX_KEYS) throw full
    const { key, view } = await scope.keys.create({ name, scopes: chosen })
    const now = await scope.keys.list()
    // Others may have been made at the same moment, also by another process.
    if (inUse(now) > MAX_KEYS) {
      await scope.keys.revoke(view.id)
      throw full
    }
    return keySheet(now, call.frame, { key, name: view.name })
  }),
  action(/^\/keys\/(\d{1,15})\/revoke$/, async ({ call, scope, visitor }) => {
    requireKeys(visitor)
    await scope.keys.revoke(Number(call.params[0]))
    return '/keys'
  }),
]

function inUse(keys: readonly KeyView[]): number {
  return keys.filter(({ revoked_at }) => revoked_at === null).length
}

function requireKeys({ keys }: Visitor): void {
  if (!keys) throw forbidden(({ words }) => words.keys.notYours)
}

function keySheet(
  keys: readonly KeyView[],
  { base, now }: Frame,
  made?: { readonly key: string; readonly name: string },
): PrivateSheet {
  const main: Content = ({ words: { keys: words, common }, day }) =>
    html`<h1>${words.title}</h1>
      ${
        made !== undefined &&
        html`<div class="made" role="status">
          <p>${words.made<Content>(html`<strong>${foreign(made.name)}</strong>`)}</p>
          <p><code>${made.key}</code></p>
        </div>`
      }
      <div class="wide" tabindex="0" role="group" aria-label="${words.title}">
        <table>
          <thead>
            <tr>
              <th scope="col">${words.name}</th>
              <th scope="col">${words.beginsWith}</th>
              <th scope="col">${words.may}</th>
              <th scope="col">${common.created}</th>
              <th scope="col">${words.lastUsed}</th>
              <th scope="col" class="act"><span class="hidden">${common.action}</span></th>
            </tr>
          </thead>
          <tbody>
            ${keys.map(
              ({ id, name, prefix, scopes, created_at, last_used_at, revoked_at }) =>
                html`<tr>
                  <th scope="row">${foreign(name)}</th>
                  <td><code>${prefix}</code></td>
                  <td>${isAll(scopes) ? words.everything : scopes.join(', ')}</td>
                  <td>${day(created_at)}</td>
                  <td>${last_used_at === null ? common.never : relative(last_used_at, now)}</td>
                  <td class="act">
                    ${revoked_at !== null ? html`<span class="muted">${words.revoked}</span>` : html`<form method="post" action="${base}/keys/${id}/revoke"><button class="small" aria-label="${words.revokeNamed(name)}">${words.revoke}</button></form>`}
                  </td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      <section aria-labelledby="h-key">
        <h2 id="h-key">${words.newKey}</h2>
        <form method="post" action="${base}/keys" class="fields">
          <div class="field">
            <label for="k-name">${words.name}</label>
            <input id="k-name" name="name" required maxlength="${NAME_CHARS}" autocomplete="off" />
          </div>
          <fieldset class="field">
            <legend>${words.whatItMay}</legend>
            <div class="checkboxes">
              ${KEY_SCOPES.map((scope) => html`<label class="checkbox"><input type="checkbox" name="scope" value="${scope}" ${scope === 'read' && html` checked`} />${scope}</label>`)}
            </div>
          </fieldset>
          <div class="buttons"><button class="primary">${words.create}</button></div>
        </form>
      </section>`
  return { title: ({ words }) => words.keys.title, main, section: 'keys' }
}

function isAll(scopes: readonly KeyScope[]): boolean {
  return ALL_SCOPES.every((scope) => scopes.includes(scope))
}
