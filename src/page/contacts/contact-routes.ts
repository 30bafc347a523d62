/**
 * The routes of contacts and of what is sent to them.
 *
 * @module
 */

import { backOf, positive } from '../http/call.ts'
import type { Route } from '../http/call.ts'
import { action, page } from '../routes/signed-in.ts'
import { contactInFull, contactsFound, isFailing } from './contact-facts.ts'
import type { Language } from '../words/language.ts'
import { contactPage, contactsPage } from './contacts-page.ts'

export const contactRoutes: readonly Route[] = [
  page(/^\/contacts$/, async ({ call, scope, can_act }) => {
    const found = await contactsFound(scope, positive(call.url.searchParams, 'page') ?? 1)
    return {
      title: ({ words }) => words.contacts.title,
      main: contactsPage(found, { frame: call.frame, can_act }),
      section: 'contacts',
      events: { shown: [], all: true },
    }
  }),
  page(/^\/contacts\/(\d{1,15})$/, async ({ call, scope, can_act }) => {
    const facts = await contactInFull(scope, Number(call.params[0]))
    const { contact } = facts
    return {
      title: contact.name,
      main: contactPage(facts, { frame: call.frame, can_act }),
      said: ({ words }: Language) =>
        words.contacts[isFailing(contact) ? 'saidFailing' : 'saidWell'](contact.name),
      section: 'contacts',
      events: { shown: [], all: true },
    }
  }),
  action(/^\/contacts\/(\d{1,15})\/test$/, async ({ call, scope }) => {
    const id = Number(call.params[0])
    await scope.contacts.test(id)
    return `/contacts/${id}`
  }),
  action(/^\/notifications\/(\d{1,15})\/resend$/, async ({ call, scope, form }) => {
    const { contact_id } = await scope.notifications.resend(Number(call.params[0]))
    const { base } = call.service
    const back = backOf(form.get('return'), base)
    return back === `${base}/` ? `/contacts/${contact_id}` : back.slice(base.length)
  }),
]
