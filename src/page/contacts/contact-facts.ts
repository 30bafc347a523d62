/**
 * Contacts and how their deliveries go.
 *
 * @module
 */

import type { AccountScope } from '../../engine/api/engine.ts'
import type { ContactView, NotificationView } from '../../engine/api/views.ts'
import { unlessGone } from '../../errors.ts'
import { badRequest } from '../http/page-error.ts'

/** Contacts of one page. */
const ROWS = 25
/** The newest notifications of a contact: what waits is looked for among them. */
const ROWS_READ = 100
const SHOWN = 50

export interface ContactFacts {
  readonly contact: ContactView
  /** Queued, or under way. */
  readonly waiting: readonly NotificationView[]
  /** More may wait: there are older notifications than those that were read. */
  readonly cut: boolean
}

export interface ContactsFound {
  readonly rows: readonly ContactFacts[]
  readonly total: number
  readonly page: number
  readonly pages: number
}

/** A contact whose last notification could not be delivered. */
export function isFailing({ last_delivery }: ContactView): boolean {
  return last_delivery?.ok === false
}

export async function contactsFound(scope: AccountScope, page: number): Promise<ContactsFound> {
  const all = await scope.contacts.list()
  const pages = Math.max(1, Math.ceil(all.length / ROWS))
  if (page > pages) throw badRequest(({ words }) => words.errors.noListPage)
  // What needs attention stands first.
  const ordered = [...all].sort(
    (a, b) => Number(isFailing(b)) - Number(isFailing(a)) || a.id - b.id,
  )
  const shown = ordered.slice((page - 1) * ROWS, page * ROWS)
  const rows = await Promise.all(shown.map((contact) => contactFacts(scope, contact)))
  return { rows, total: all.length, page, pages }
}

async function contactFacts(scope: AccountScope, contact: ContactView): Promise<ContactFacts> {
  const { items, next } = await scope.notifications.list({
    contact_id: contact.id,
    limit: ROWS_READ,
  })
  return { contact, waiting: items.filter(waits), cut: next !== null }
}

function waits({ status }: NotificationView): boolean {
  return status === 'queued' || status === 'sending'
}

export interface ContactInFull extends ContactFacts {
  readonly notifications: readonly NotificationView[]
  /** Names of the monitors in `notifications`. */
  readonly monitors: ReadonlyMap<number, string>
}

/** @throws NotFoundError */
export async function contactInFull(scope: AccountScope, id: number): Promise<ContactInFull> {
  const contact = await scope.contacts.get(id)
  const { items, next } = await scope.notifications.list({ contact_id: id, limit: ROWS_READ })
  const notifications = items.slice(0, SHOWN)
  return {
    contact,
    waiting: items.filter(waits),
    cut: next !== null,
    notifications,
    monitors: await namesOf(scope, notifications),
  }
}

async function namesOf(
  { monitors }: AccountScope,
  notifications: readonly NotificationView[],
): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(notifications.flatMap(({ monitor_id: id }) => (id === null ? [] : [id])))
  const found = await Promise.all([...ids].map((id) => monitors.get(id).catch(unlessGone)))
  return new Map(
    found.flatMap((monitor) => (monitor === undefined ? [] : [[monitor.id, monitor.name]])),
  )
}
