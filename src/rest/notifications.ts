/**
 * The notification log. The specification requires a log but no endpoint; these are extensions.
 *
 * @module
 */

import { ok } from './envelope.ts'
import { arrayOf, nullable, ref, text } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import { cursorOf, paged, paging, param } from './query.ts'
import { whileWaiting } from './rate-limit.ts'

const tag = 'Notifications'

export const listNotifications = operation({
  summary: 'The notification log, newest first',
  scope: 'notifications:read',
  tag,
  query: {
    monitor_id: param.id('About this monitor only'),
    incident_id: param.id('About this incident only'),
    contact_id: param.id('To this contact only'),
    ...paging('notifications'),
  },
  answers: { 200: { notifications: arrayOf('Notification'), next_cursor: nullable(text()) } },
  async run({ scope }, query) {
    const { items, next } = await scope.notifications.list(paged(query))
    return ok({ notifications: items, next_cursor: cursorOf('notifications', next) })
  },
})

export const showNotification = operation({
  summary: 'One notification with its delivery attempts',
  scope: 'notifications:read',
  tag,
  answers: { 200: { notification: ref('Notification') } },
  async run({ scope, id }) {
    return ok({ notification: await scope.notifications.get(id) })
  },
})

export const resendNotification = operation({
  summary: 'Sends a final notification once more, under a new id',
  scope: 'notifications:write',
  tag,
  body: 'none',
  answers: { 202: { notification: ref('Notification') } },
  refusals: [409],
  repeatable: true,
  async run({ scope, id }) {
    return ok({ notification: await scope.notifications.resend(id) }, { status: 202 })
  },
})

export const testContact = operation({
  summary: 'One delivery of the event `test` to this contact, without retries',
  scope: 'contacts:write',
  tag,
  body: 'none',
  answers: { 200: { notification: ref('Notification') } },
  repeatable: true,
  waits: true,
  async run({ scope, id, host }) {
    const test = () => scope.contacts.test(id)
    return ok({ notification: await whileWaiting(host, scope.account_id, test) })
  },
})
