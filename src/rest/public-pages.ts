/**
 * Public pages made at run time. An extension of the specification.
 *
 * @module
 */

import type { PublicPageInput } from '../engine/api/public-pages.ts'
import { PUBLIC_PAGE_FIELDS } from '../engine/registry/public-page-fields.ts'
import { jsonSchema } from '../fields/describe.ts'
import { ok } from './envelope.ts'
import { ifMatch, unlessKnown, versionedReply } from './etag.ts'
import { arrayOf, nullable, object, patchSchema, ref, text } from './openapi/schemas.ts'
import type { Schema } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import { cursorOf, paged, paging } from './query.ts'

const tag = 'Public pages'

export const listPublicPages = operation({
  summary: 'Lists the public pages of the account, oldest first',
  scope: 'pages:read',
  tag,
  query: paging('public_pages'),
  answers: { 200: { public_pages: arrayOf('PublicPage'), next_cursor: nullable(text()) } },
  async run({ scope }, query) {
    const { items, next } = await scope.publicPages.list(paged(query))
    return ok({ public_pages: items, next_cursor: cursorOf('public_pages', next) })
  },
})

export const createPublicPage = operation({
  summary: 'Creates a public page, at `/status/<slug>` where the service shows them',
  description:
    '`groups` is a list of `{ name, monitors, tag }`; an entry of `monitors` is an id, or `{ id, name }` with the name on the page. 409 `slug_taken`: another page of the service has this address.',
  scope: 'pages:write',
  tag,
  body: 'PublicPageCreate',
  answers: { 201: { public_page: ref('PublicPage') } },
  refusals: [409, 501],
  versioned: true,
  repeatable: true,
  async run({ scope, body, host }) {
    // The engine validates the input; until then it only has the shape of a `PublicPageInput`.
    const public_page = await scope.publicPages.create(body as unknown as PublicPageInput)
    const Location = `${host.base_path}/api/v1/public-pages/${public_page.id}`
    return versionedReply({ public_page }, { status: 201, headers: { Location } })
  },
})

export const showPublicPage = operation({
  summary: 'One public page; a password is masked',
  scope: 'pages:read',
  tag,
  answers: { 200: { public_page: ref('PublicPage') } },
  versioned: true,
  async run({ scope, id, request }) {
    const public_page = await scope.publicPages.get(id)
    return unlessKnown(versionedReply({ public_page }), request)
  },
})

export const updatePublicPage = operation({
  summary: 'Changes the fields that are sent',
  description:
    '`null` resets a field to its default, `"***"` keeps the password; `groups` is replaced as a whole.',
  scope: 'pages:write',
  tag,
  body: 'PublicPageUpdate',
  answers: { 200: { public_page: ref('PublicPage') } },
  refusals: [409],
  versioned: true,
  async run(call) {
    const { scope, id, body } = call
    return versionedReply({
      public_page: await scope.publicPages.update(id, body, await ifMatch(call, 'publicPages')),
    })
  },
})

export const deletePublicPage = operation({
  summary: 'Deletes the public page; its address is free from then on',
  scope: 'pages:write',
  tag,
  answers: { 200: { deleted: object({ id: { type: 'integer' } }) } },
  refusals: [409],
  versioned: true,
  async run(call) {
    await call.scope.publicPages.remove(call.id, await ifMatch(call, 'publicPages'))
    return ok({ deleted: { id: call.id } })
  },
})

export const PUBLIC_PAGE_INPUTS: Readonly<Record<'PublicPageCreate' | 'PublicPageUpdate', Schema>> =
  {
    PublicPageCreate: jsonSchema(PUBLIC_PAGE_FIELDS),
    PublicPageUpdate: patchSchema(PUBLIC_PAGE_FIELDS),
  }
