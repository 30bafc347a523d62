/**
 * Accounts: each with its own monitors, contacts and keys.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { ConflictError, NotFoundError, ValidationError } from '../../errors.ts'
import { FIRST_ACCOUNT, isAccountId } from '../../model.ts'
import type { AccountQuotas, AccountRecord, JsonObject, NewAuditRecord } from '../../model.ts'
import type { Engine } from '../api/engine.ts'
import { defaultsTable } from '../registry/defaults-table.ts'
import { announceAudit } from '../announce/audit.ts'
import { actorOf, auditRecord, boundedChanges, fieldChanges } from './audit.ts'
import {
  effectiveDefaults,
  idProblems,
  intervalProblem,
  parseDefaults,
} from './monitor-defaults.ts'
import { accountView } from '../views/views.ts'
import { quotaProblems, resolvedQuotas } from './quotas.ts'
import { storedAccount } from './account-cache.ts'
import { readableAccounts } from '../core/stored-accounts.ts'
import type { ServiceContext } from './service-context.ts'
import { isJsonObject } from '../../model/json.ts'
import { lineProblem } from '../../model/printable.ts'
import type { Problems } from '../../fields/parse.ts'
import type { Core } from '../core/core.ts'
import { readableContacts } from '../core/stored-contacts.ts'

const NAME_LIMIT = 200
const EXTERNAL_ID_LIMIT = 200
/** Rows removed per step; other work runs between two steps. */
const REMOVED_AT_ONCE = 200

export function accountsOf(context: ServiceContext): Engine['accounts'] {
  const { core, accounts, ready } = context
  const { store, clock } = core

  async function requireAccount(id: number): Promise<AccountRecord> {
    await ready()
    const record = isAccountId(id) ? await store.accounts.get(id) : undefined
    if (record === undefined) throw new NotFoundError('account')
    return record
  }

  async function byExternalId(external_id: unknown): Promise<AccountRecord | undefined> {
    // An invalid value finds no account.
    if (typeof external_id !== 'string' || lineProblem(external_id) !== undefined) return undefined
    return store.accounts.byExternalId(external_id)
  }

  return {
    get: async (id) => accountView(await requireAccount(id)),
    async exists(id) {
      await ready()
      return accounts.exists(id)
    },
    async create(input, options) {
      const actor = actorOf(options)
      await ready()
      const { name, ...rest } = parseInput(input)
      if (name === undefined) throw new ValidationError({ name: 'required' })
      const known = await byExternalId(rest.external_id)
      if (known !== undefined) return accountView(known)
      const audit = auditRecord({ core, actor }, { resource: 'account', action: 'created', name })
      await requireDefaults(core, rest)
      const made = { name, ...rest, created_at: clock.now() }
      const record = await store.accounts.create(made, audit)
      // Another process may have created it meanwhile.
      if (record.created_at === made.created_at)
        announceAudit(core, audit, { id: record.id, account_id: record.id })
      return accountView(record)
    },
    async update(id, patch, options) {
      const actor = actorOf(options)
      const before = await requireAccount(id)
      const change = parseInput(patch)
      await requireDefaults(core, change, before)
      const audit = accountAudit({ core, actor }, before, change)
      const record = await store.accounts.update(id, change, audit)
      if (record === undefined) throw new NotFoundError('account')
      if (audit !== undefined) announceAudit(core, audit, { id, account_id: id })
      return accountView(record)
    },
    async find({ external_id }) {
      await ready()
      const record = await byExternalId(external_id)
      return record && accountView(record)
    },
    async remove(id, options) {
      const actor = actorOf(options)
      await ready()
      if (!isAccountId(id)) throw new NotFoundError('account')
      if (id === FIRST_ACCOUNT)
        throw new ConflictError('first_account', 'The first account belongs to the engine itself')
      // After a process ended during a removal, only the store knows the account; the removal continues.
      const known = await storedAccount(store, id)
      const audit = removalAudit({ core, actor }, known)
      // Before and after: what the store does not refuse by itself is not stored behind it.
      accounts.forget(id)
      let left = await store.accounts.remove(id, REMOVED_AT_ONCE, audit)
      accounts.forget(id)
      await forgetAccount(context, id)
      if (left === undefined) throw new NotFoundError('account')
      if (known !== undefined) announceAudit(core, audit, { id, account_id: FIRST_ACCOUNT })
      while (left === 'more') {
        await clock.sleep(0)
        left = await store.accounts.remove(id, REMOVED_AT_ONCE)
      }
    },
    async list() {
      await ready()
      return (await readableAccounts(core)).map(accountView)
    },
    async use(id) {
      const account = await requireAccount(id)
      return {
        quotas: resolvedQuotas(core, account),
        use: await store.accounts.use(id),
        monitor_defaults: effectiveDefaults(core, account),
      }
    },
  }
}

/** Monitors that are read again at a time: one takes 40 microseconds in SQLite. */
const FORGOTTEN_AT_ONCE = 100

/** The account's monitors are no longer stored: their checks are dropped, and none starts. */
async function forgetAccount(
  { core, monitorCache, accountWindows, schedule, outbox }: ServiceContext,
  account_id: number,
): Promise<void> {
  const yieldIfLong = yielderOf(core.clock)
  const own = [...monitorCache.all()]
    .filter(({ record }) => record.account_id === account_id)
    .map(({ record }) => record.id)
  for (const id of own) {
    await yieldIfLong()
    schedule.remove(id)
  }
  outbox.accountRemoved(account_id)
  monitorCache.flush()
  for (let n = 0; n < own.length; n += FORGOTTEN_AT_ONCE) {
    await yieldIfLong()
    await Promise.all(own.slice(n, n + FORGOTTEN_AT_ONCE).map((id) => monitorCache.refresh(id)))
  }
  // Last: the end of a window would change monitors that are still in memory.
  for (const { record } of [...accountWindows.of(account_id)])
    accountWindows.put(record.id, undefined)
}

/** The record of what differs; none if nothing does. */
function accountAudit(
  by: Pick<ServiceContext, 'core' | 'actor'>,
  before: AccountRecord,
  change: ParsedAccount,
): NewAuditRecord | undefined {
  const after = { ...before, ...change }
  const names = ['name', 'external_id'] as const
  const named = [
    ...names.map((field) => ({ field, from: before[field], to: after[field] })),
    ...Object.keys({ ...before.quotas, ...after.quotas }).map((name) => ({
      field: `quotas.${name}`,
      from: before.quotas[name as keyof AccountQuotas] ?? null,
      to: after.quotas[name as keyof AccountQuotas] ?? null,
    })),
  ].filter(({ from, to }) => from !== to)
  const compared = {
    before: before.monitor_defaults as JsonObject,
    after: after.monitor_defaults as JsonObject,
    texts: true,
  }
  const defaults = fieldChanges(defaultsTable('account'), compared, 'monitor_defaults.')
  const changes = boundedChanges([...named, ...defaults])
  if (changes.length === 0) return undefined
  return auditRecord(by, { resource: 'account', action: 'updated', name: after.name, changes })
}

/** The name is removed with the account; the entry identifies it by its id in the host's system. */
function removalAudit(
  by: Pick<ServiceContext, 'core' | 'actor'>,
  account: AccountRecord | 'unreadable' | undefined,
): NewAuditRecord {
  const external_id = typeof account === 'object' ? account.external_id : null
  const changes =
    external_id === null ? [] : [{ field: 'external_id', from: external_id, to: null }]
  return auditRecord(by, { resource: 'account', action: 'deleted', name: null, changes })
}

type ParsedAccount = Partial<Omit<AccountRecord, 'id' | 'created_at'>>

/** @throws ValidationError with every problem at once */
function parseInput(input: unknown): ParsedAccount {
  if (!isJsonObject(input)) throw new ValidationError({ '': 'invalid: an object is expected' })
  const { name, external_id, quotas, monitor_defaults, ...others } = input as Record<
    string,
    unknown
  >
  const defaults =
    monitor_defaults === undefined ? undefined : parseDefaults(monitor_defaults, 'account')
  const problems = {
    ...Object.fromEntries(Object.keys(others).map((other) => [other, 'unknown_field'])),
    ...(name === undefined ? {} : nameProblems(name)),
    ...(external_id === undefined || external_id === null ? {} : externalIdProblems(external_id)),
    ...(quotas === undefined ? {} : quotasProblems(quotas)),
    ...(defaults?.ok === false ? ofDefaults(defaults.fields) : {}),
  }
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  return {
    ...(name === undefined ? {} : { name: (name as string).trim() }),
    ...(external_id === undefined ? {} : { external_id: external_id as string | null }),
    ...(quotas === undefined ? {} : { quotas: quotas as AccountQuotas }),
    ...(defaults?.ok === true ? { monitor_defaults: defaults.value } : {}),
  }
}

/** @throws ValidationError for ids that the account does not have, and an interval shorter than its quotas allow */
async function requireDefaults(
  core: Core,
  { monitor_defaults, quotas }: ParsedAccount,
  before?: AccountRecord,
): Promise<void> {
  if (monitor_defaults === undefined) return
  const wanted = quotas ?? before?.quotas ?? {}
  const { min_interval_sec } = resolvedQuotas(core, { quotas: wanted })
  const contacts = before === undefined ? [] : await readableContacts(core, before.id)
  const problems = {
    ...intervalProblem(monitor_defaults, min_interval_sec),
    ...idProblems(core, monitor_defaults, contacts),
  }
  if (Object.keys(problems).length > 0) throw new ValidationError(ofDefaults(problems))
}

function ofDefaults(problems: Problems): Problems {
  const entries = Object.entries(problems)
  return Object.fromEntries(
    entries.map(([name, problem]) => [`monitor_defaults${name && `.${name}`}`, problem]),
  )
}

function nameProblems(name: unknown): Record<string, string> {
  if (typeof name !== 'string' || name.trim() === '') return { name: 'required' }
  return textProblems('name', name, NAME_LIMIT)
}

function externalIdProblems(external_id: unknown): Record<string, string> {
  if (typeof external_id !== 'string') return { external_id: 'invalid: a text is expected' }
  return textProblems('external_id', external_id, EXTERNAL_ID_LIMIT)
}

function textProblems(field: string, text: string, most: number): Record<string, string> {
  const fits = text.length >= 1 && text.length <= most
  const problem = fits ? lineProblem(text) : `out_of_range: 1..${most} characters`
  return problem === undefined ? {} : { [field]: problem }
}

function quotasProblems(quotas: unknown): Record<string, string> {
  return isJsonObject(quotas) ? quotaProblems(quotas) : { quotas: 'invalid: an object is expected' }
}
