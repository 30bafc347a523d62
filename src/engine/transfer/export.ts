/**
 * Writes an account as lines, page by page: no more than a page is in memory, and ids.
 *
 * @module
 */

import { randomUUID } from 'node:crypto'
import { iso, yielderOf } from '../../clock.ts'
import { ConfigurationError, NotFoundError } from '../../errors.ts'
import { mapSecrets, MASK } from '../../fields/secrets.ts'
import type { FieldTable } from '../../fields/field.ts'
import type { AccountRecord, ContactRecord, JsonObject, MonitorRecord } from '../../model.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import { createSeal } from '../../seal.ts'
import type { Seal } from '../../seal.ts'
import { VERSION } from '../../version.ts'
import type { ExportOptions } from '../api/transfer.ts'
import type { Core } from '../core/core.ts'
import { heartbeatAddressOf } from '../core/tokens.ts'
import { openContact, readableContacts } from '../core/stored-contacts.ts'
import { cachedMonitorOf } from '../monitors/cached-monitor.ts'
import { contactFields } from '../registry/contact-fields.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { historyLines } from './export-history.ts'
import { rowsOf } from './account-rows.ts'
import { FORMAT, jsonLine } from './lines.ts'
import { digestOf, placeOf } from './place.ts'
import type { Exporting } from './place.ts'
import { publicPageLines } from './public-pages.ts'
import { windowLines } from './windows.ts'

export async function* exportAccount(
  { core, ready }: ServiceContext,
  account_id: number,
  options: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  checkOptions('export', options, OPTIONS)
  const { history = false, key, tokens = false, signal } = options
  if (tokens && key === undefined)
    throw new ConfigurationError('export: tokens are secrets, and need a key')
  const seal = key === undefined ? undefined : createSeal(key)
  await ready()
  const export_id = randomUUID()
  const exporting = { core, account_id, export_id, seal, tokens }
  const yieldIfLong = yielderOf(core.clock)
  let lines = 1
  for await (const line of linesOf(exporting, history)) {
    signal?.throwIfAborted()
    await yieldIfLong()
    lines++
    yield line
  }
  // An account that is removed meanwhile has no further rows: what was read is not all of it.
  await accountOf(core, account_id)
  yield jsonLine('end', { lines })
}

async function accountOf({ store }: Core, account_id: number): Promise<AccountRecord> {
  const account = await store.accounts.get(account_id)
  if (account === undefined) throw new NotFoundError('account')
  return account
}

const OPTIONS = {
  history: option.flag,
  key: option.eitherOf('32 bytes, or their base64,', option.text, option.bytes),
  tokens: option.flag,
  signal: option.anything,
} satisfies option.OptionTable<ExportOptions>

async function* linesOf(exporting: Exporting, history: boolean): AsyncGenerator<string> {
  const { core, account_id, export_id, seal } = exporting
  const { store, clock } = core
  yield jsonLine('export', {
    format: FORMAT,
    id: export_id,
    watchpost: VERSION,
    at: iso(clock.now()),
    history,
    secrets: seal === undefined ? 'left_out' : 'encrypted',
  })
  const { name, external_id, quotas, monitor_defaults } = await accountOf(core, account_id)
  yield jsonLine('account', {
    name,
    external_id,
    quotas: { ...quotas },
    monitor_defaults: { ...monitor_defaults } as JsonObject,
  })
  for (const location of await store.locations.list()) yield jsonLine('location', location)
  const contacts = new Set<number>()
  for (const contact of await readableContacts(core, account_id)) {
    contacts.add(contact.id)
    yield contactLine(exporting, contact)
  }
  // Read first, so that no monitor of the export names a parent that was removed.
  const ids = await idsOf(core, account_id)
  for await (const record of rowsOf(store.monitors, account_id))
    if (ids.has(record.id)) yield monitorLine(exporting, record, { contacts, ids })
  yield* windowLines(core, account_id, ids)
  yield* publicPageLines(exporting, ids)
  if (history) yield* historyLines(core, account_id, ids)
}

async function idsOf(core: Core, account_id: number): Promise<ReadonlySet<number>> {
  const ids = new Set<number>()
  const yieldIfLong = yielderOf(core.clock)
  for await (const { id } of rowsOf(core.store.monitors, account_id)) {
    ids.add(id)
    await yieldIfLong()
  }
  return ids
}

function contactLine(exporting: Exporting, record: ContactRecord): string {
  const { core, export_id, seal } = exporting
  const kind = core.contactKinds.get(record.kind)
  if (kind === undefined)
    throw new ConfigurationError(
      `The contact ${record.id} is of the kind "${record.kind}", which this engine does not have`,
    )
  const { id, kind: name, settings: stored, ...own } = record
  const common = Object.fromEntries(
    Object.entries(own).filter(([field]) => Object.hasOwn(contactFields, field)),
  )
  const open = seal === undefined ? stored : openContact(core, kind, record)
  const settings = { ...common, ...open } as JsonObject
  const hidden = hide(kind.fields, settings, seal, (path) =>
    placeOf(export_id, `contact.${id}.${path}`),
  )
  return jsonLine('contact', {
    id,
    kind: name,
    settings: hidden,
    ...proofOf(exporting, `contact.${id}`, digestOf(name, hidden)),
  })
}

interface There {
  readonly contacts: ReadonlySet<number>
  readonly ids: ReadonlySet<number>
}

function monitorLine(exporting: Exporting, record: MonitorRecord, there: There): string {
  const { core, export_id, seal, tokens } = exporting
  const { id, type, created_at } = record
  const { checker } = core.registry.getOrThrow(type)
  const cached = seal === undefined ? record : cachedMonitorOf(core, record, [])
  const { common } = record
  const settings = {
    ...common,
    contact_ids: common.contact_ids.filter((contact) => there.contacts.has(contact)),
    contact_delay: Object.fromEntries(
      Object.entries(common.contact_delay).filter(([contact]) =>
        there.contacts.has(Number(contact)),
      ),
    ),
    depends_on: common.depends_on.filter((parent) => there.ids.has(parent)),
    ...cached.settings,
  } as unknown as JsonObject
  const token = tokens ? heartbeatAddressOf(core, record)?.token : undefined
  const hidden = hide(checker.fields, settings, seal, (path) =>
    placeOf(export_id, `monitor.${id}.settings.${path}`),
  )
  return jsonLine('monitor', {
    id,
    type,
    paused: record.machine.state === 'paused',
    created_at: iso(created_at),
    ...(token === undefined || seal === undefined
      ? {}
      : { token: seal.encrypt(token, placeOf(export_id, `monitor.${id}.token`)) }),
    settings: hidden,
    ...proofOf(exporting, `monitor.${id}`, digestOf(type, hidden)),
  })
}

function proofOf(
  { export_id, seal }: Exporting,
  path: string,
  digest: string,
): { readonly proof?: string } {
  return seal === undefined
    ? {}
    : { proof: seal.encrypt(digest, placeOf(export_id, `${path}.proof`)) }
}

/** No secret is written as it is: it is encrypted, or a mask stands for it. */
function hide(
  fields: FieldTable,
  settings: JsonObject,
  seal: Seal | undefined,
  place: (path: string) => string,
): JsonObject {
  return mapSecrets(fields, settings, (secret, path) =>
    secret === '' ? '' : (seal?.encrypt(secret, place(path)) ?? MASK),
  )
}
