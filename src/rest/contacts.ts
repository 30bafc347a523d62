/**
 * Contacts of the account. Changing them is an extension that the host switches on (`manageContacts`): a key could
 * otherwise send what the monitors say anywhere.
 *
 * @module
 */

import type { ContactInput } from '../engine/api/inputs.ts'
import { ok } from './envelope.ts'
import { ifMatch, unlessKnown, versionedReply } from './etag.ts'
import { arrayOf, flag, object, ref, text } from './openapi/schemas.ts'
import type { Schema } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import { param } from './query.ts'

const tag = 'Contacts'

export const listContacts = operation({
  summary: 'The contacts of the account',
  scope: 'contacts:read',
  tag: 'Account and reference lists',
  answers: { 200: { contacts: arrayOf('Contact') } },
  async run({ scope, host, identity }) {
    const list = () => scope.contacts.list()
    return ok({ contacts: await host.listInTurn(identity.account_id, list) })
  },
})

export const createContact = operation({
  summary: 'Creates a contact (with `manageContacts`)',
  description:
    'Takes `kind`, `name`, `all_monitors` and the settings of the kind at the top level.',
  scope: 'contacts:write',
  tag,
  body: 'ContactCreate',
  answers: { 201: { contact: ref('Contact') } },
  refusals: [409],
  versioned: true,
  repeatable: true,
  async run({ scope, body, host }) {
    // The engine validates the input; until then it only has the shape of a `ContactInput`.
    const contact = await scope.contacts.create(body as unknown as ContactInput)
    const Location = `${host.base_path}/api/v1/contacts/${contact.id}`
    return versionedReply({ contact }, { status: 201, headers: { Location } })
  },
})

export const showContact = operation({
  summary: 'One contact, secrets masked (with `manageContacts`)',
  scope: 'contacts:read',
  tag,
  answers: { 200: { contact: ref('Contact') } },
  versioned: true,
  async run({ scope, id, request }) {
    const contact = await scope.contacts.get(id)
    return unlessKnown(versionedReply({ contact }), request)
  },
})

export const previewContact = operation({
  summary: 'What the contact would be sent, without sending it (with `manageContacts`)',
  scope: 'contacts:read',
  tag,
  query: { event: param.text('The event of the example; default `down`', 60) },
  answers: {
    200: { preview: object({ event: text(), content: { type: 'object' } }) },
  },
  refusals: [409],
  async run({ scope, id }, { event }) {
    return ok({ preview: await scope.contacts.preview(id, event) })
  },
})

export const updateContact = operation({
  summary: 'Changes the fields that are sent (with `manageContacts`)',
  description:
    'Merges as `PATCH /monitors/:id` does: a masked secret is kept, `kind` cannot change, and another destination needs the secrets again.',
  scope: 'contacts:write',
  tag,
  body: 'ContactUpdate',
  answers: { 200: { contact: ref('Contact') } },
  refusals: [409],
  versioned: true,
  async run(call) {
    const { scope, id, body } = call
    return versionedReply({
      contact: await scope.contacts.update(id, body, await ifMatch(call, 'contacts')),
    })
  },
})

export const deleteContact = operation({
  summary: 'Deletes the contact and cancels its queued notifications (with `manageContacts`)',
  scope: 'contacts:write',
  tag,
  answers: { 200: { deleted: object({ id: { type: 'integer' } }) } },
  refusals: [409],
  versioned: true,
  async run(call) {
    await call.scope.contacts.remove(call.id, await ifMatch(call, 'contacts'))
    return ok({ deleted: { id: call.id } })
  },
})

const common = {
  name: text(),
  all_monitors: flag('Receives the notifications of every monitor of the account'),
}

/** The settings of a kind stand beside these. */
export const CONTACT_INPUTS: Readonly<Record<'ContactCreate' | 'ContactUpdate', Schema>> = {
  ContactCreate: object(
    { kind: text('`webhook`, or a kind of the host'), ...common },
    { open: true, optional: ['all_monitors'], description: 'And the settings of the kind' },
  ),
  ContactUpdate: object(
    { kind: text('Cannot change'), ...common },
    { open: true, optional: ['kind', 'name', 'all_monitors'] },
  ),
}
