/**
 * Contacts of one account: their settings and their last notification.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { NotFoundError, ValidationError, ConflictError } from '../../errors.ts'
import type { Stored } from '../../fields/field.ts'
import { withoutAbsent, merge } from '../../fields/merge.ts'
import { parse, decodeSettings } from '../../fields/parse.ts'
import { secretProblems, unmask } from '../../fields/secrets.ts'
import type { ContactRecord, JsonObject, NewAuditRecord, NotificationRecord } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import { nearestName } from '../../options.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import { SAMPLE_EVENTS, sampleDelivery } from '../../webhook/sample.ts'
import type { Store } from '../../store/store.ts'
import { announceAudit } from '../announce/audit.ts'
import type { AccountScope } from '../api/engine.ts'
import type { ContactView, ContactPreview } from '../api/views.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import { openContact, readableContacts, sealContact } from '../core/stored-contacts.ts'
import { contactFields } from '../registry/contact-fields.ts'
import { contactView, notificationView } from '../views/views.ts'
import { boundedChanges, fieldChanges, auditRecord } from './audit.ts'
import { requireContactSize } from './contact-size.ts'
import { versionOptions } from './filters.ts'
import { requireSecrets } from './monitor-update.ts'
import { allowanceOf, quotasOf } from './quotas.ts'
import { readFilter } from './read-filter.ts'
import type { ServiceContext } from './service-context.ts'
import { busy, requireVersion, TRIES } from './versioned-records.ts'

/** Contacts per query of the last notifications. */
const SHOWN_AT_ONCE = 100

export type ParsedContact = Pick<
  ContactRecord,
  'name' | 'all_monitors' | 'quiet' | 'group_window_sec' | 'events' | 'settings'
>

export function contactsOf(context: ServiceContext, account_id: number): AccountScope['contacts'] {
  const { core, outbox, ready } = context
  const { store } = core

  async function own(id: number): Promise<ContactRecord> {
    await ready()
    const record = await store.contacts.get(id)
    if (record?.account_id !== account_id) throw new NotFoundError('contact')
    return record
  }

  function kindOf(name: unknown): AnyContactKind {
    if (name === undefined || name === null) throw new ValidationError({ kind: 'required' })
    const kind = typeof name === 'string' ? core.contactKinds.get(name) : undefined
    if (kind !== undefined) return kind
    throw new ValidationError({
      kind: `invalid: one of ${[...core.contactKinds.keys()].join(', ')} is expected`,
    })
  }

  async function view(record: ContactRecord): Promise<ContactView> {
    const [last] = await store.notifications.lastFinished(
      [record.id],
      setAside(core, 'notification'),
    )
    return viewWith(record, last)
  }

  function viewWith(record: ContactRecord, last: NotificationRecord | undefined): ContactView {
    return contactView(record, core.contactKinds.get(record.kind)?.fields ?? {}, last)
  }

  return {
    async create(input) {
      await ready()
      const { kind: name, ...fields } = objectFrom(input)
      const kind = kindOf(name)
      const parsed = await parseContact(kind, fields)
      const now = core.clock.now()
      const settings = sealContact(core, kind, parsed.settings)
      await requireContactSize(core, { account_id, settings })
      const record = {
        account_id,
        kind: kind.kind,
        ...parsed,
        settings,
        created_at: now,
        updated_at: now,
      }
      const within = allowanceOf(await quotasOf(core, account_id))
      const { name: named } = parsed
      const audit = auditRecord(context, { resource: 'contact', action: 'created', name: named })
      const created = await store.contacts.create(record, within, audit)
      announceAudit(core, audit, created)
      outbox.contactChanged(created)
      return view(created)
    },
    get: async (id) => view(await own(id)),
    async list() {
      await ready()
      const views: ContactView[] = []
      const yieldIfLong = yielderOf(core.clock)
      const records = await readableContacts(core, account_id)
      for (let from = 0; from < records.length; from += SHOWN_AT_ONCE) {
        await yieldIfLong()
        const shown = records.slice(from, from + SHOWN_AT_ONCE)
        const rows = await store.notifications.lastFinished(
          shown.map(({ id }) => id),
          setAside(core, 'notification'),
        )
        const last = new Map(rows.map((row) => [row.contact_id, row]))
        for (const record of shown) views.push(viewWith(record, last.get(record.id)))
      }
      return views
    },
    async update(id, patch, options) {
      const { version } = readFilter(versionOptions, options)
      for (let tries = 1; tries <= TRIES; tries++) {
        const record = await own(id)
        requireVersion('contact', record, version)
        const { change, audit } = await changeOf(
          context,
          { kind: kindOf(record.kind), record },
          patch,
        )
        const settings = change.settings ?? record.settings
        await requireContactSize(core, { account_id, settings, id })
        const updated = await store.contacts.update(id, record.version, change, audit)
        if (updated === undefined) continue
        if (audit !== undefined) announceAudit(core, audit, updated)
        outbox.contactChanged(updated)
        return view(updated)
      }
      throw busy('contact')
    },
    async remove(id, options) {
      const { version } = readFilter(versionOptions, options)
      const record = await own(id)
      requireVersion('contact', record, version)
      const { name } = record
      const audit = auditRecord(context, { resource: 'contact', action: 'deleted', name })
      if (await store.contacts.remove(id, version, audit)) {
        announceAudit(core, audit, { id, account_id })
        outbox.contactRemoved(id)
      } else if (version !== undefined) requireVersion('contact', await own(id), version)
    },
    async preview(id, event = 'down') {
      const record = await own(id)
      return contactPreview(core, { kind: kindOf(record.kind), record }, event)
    },
    async test(id) {
      const record = await outbox.test(await own(id))
      return notificationView(record, await store.notifications.attempts([record.id]))
    },
  }
}

interface ChangedContact {
  readonly change: Parameters<Store['contacts']['update']>[2]
  readonly audit: NewAuditRecord | undefined
}

/** What a patch makes of a contact. @throws ValidationError */
async function changeOf(
  context: ServiceContext,
  { kind, record }: { readonly kind: AnyContactKind; readonly record: ContactRecord },
  patch: unknown,
): Promise<ChangedContact> {
  const { core } = context
  const { kind: name, ...fields } = objectFrom(patch)
  if (name !== undefined && name !== record.kind) throw new ValidationError({ kind: 'immutable' })
  const table = { ...contactFields, ...kind.fields }
  const open = openContact(core, kind, record)
  const { name: named, all_monitors, quiet, group_window_sec, events } = record
  const before: JsonObject = {
    name: named,
    all_monitors,
    quiet: quiet as never,
    group_window_sec,
    events,
    ...open,
  }
  const parsed = await parseContact(kind, unmask(table, merge(table, before, fields), open))
  const given = merge(table, {}, fields)
  requireSecrets(kind.fields, { stored: open, next: parsed.settings, given })
  const settings = sealContact(core, kind, parsed.settings)
  const after: JsonObject = { ...parsed, quiet: parsed.quiet as never, ...parsed.settings }
  const audit = contactAudit(context, kind, { name: parsed.name, before, after })
  const { quiet: next, ...rest } = parsed
  // Named only where it differs: the store then looks for what waits for the end of the former hours.
  const hours = JSON.stringify(next) === JSON.stringify(quiet) ? {} : { quiet: next }
  return { change: { ...rest, ...hours, settings, updated_at: core.clock.now() }, audit }
}

/** The record of what differs; none if nothing does. */
function contactAudit(
  context: ServiceContext,
  kind: AnyContactKind,
  {
    name,
    ...compared
  }: { readonly name: string; readonly before: JsonObject; readonly after: JsonObject },
): NewAuditRecord | undefined {
  const changes = [
    ...fieldChanges(contactFields, { ...compared, texts: true }),
    ...fieldChanges(kind.fields, compared),
  ]
  if (changes.length === 0) return undefined
  return auditRecord(context, {
    resource: 'contact',
    action: 'updated',
    name,
    changes: boundedChanges(changes),
  })
}

function objectFrom(input: unknown): JsonObject {
  if (isJsonObject(input)) return withoutAbsent(input)
  throw new ValidationError({ '': 'invalid: an object is expected' })
}

/** @throws ValidationError with the problems of the fields, or of the kind's own validation */
export async function parseContact(
  kind: AnyContactKind,
  input: JsonObject,
): Promise<ParsedContact> {
  const table = { ...contactFields, ...kind.fields }
  const parsed = parse(table, input)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const {
    name,
    all_monitors,
    quiet = null,
    group_window_sec,
    events,
    ...settings
  } = parsed.value as Stored<typeof contactFields> & JsonObject
  if (group_window_sec > 0 && kind.digests === false)
    throw new ValidationError({ group_window_sec: 'invalid: this kind takes no digests' })
  const unstorable = secretProblems(kind.fields, settings)
  if (Object.keys(unstorable).length > 0) throw new ValidationError(unstorable)
  const problems = await kind.check(settings)
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  return { name, all_monitors, quiet, group_window_sec, events: [...new Set(events)], settings }
}

/** @throws ValidationError for an unknown event; ConflictError `no_preview` if the kind has none */
async function contactPreview(
  core: Core,
  { kind, record }: { readonly kind: AnyContactKind; readonly record: ContactRecord },
  event: string,
): Promise<ContactPreview> {
  if (!SAMPLE_EVENTS.includes(event)) {
    const near = nearestName(event, SAMPLE_EVENTS)
    const hint = near === undefined ? '' : `did you mean "${near}"? `
    throw new ValidationError({
      event: `invalid: ${hint}One of ${SAMPLE_EVENTS.join(', ')} is expected`,
    })
  }
  if (kind.preview === undefined)
    throw new ConflictError('no_preview', 'This kind of contact has no preview')
  const settings = decodeSettings(kind.fields, openContact(core, kind, record))
  const content = await kind.preview(settings, sampleDelivery(event, core.clock.now()))
  return { event, content }
}
