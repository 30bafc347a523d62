/**
 * Substitutes for the optional members that a store leaves out.
 *
 * @module
 */

import { NotOfferedError } from '../errors.ts'
import type { AccountRecord, AccountUse, MonitorRecord } from '../model.ts'
import { idempotencyResponses } from './memory/idempotency.ts'
import { promised, storageError } from './promised.ts'
import { isChecked, ratedChecks } from './quota.ts'
import type { FullStore, PublicPageRows, Store, VersionedRows } from './store.ts'

/** Number of rows per query. */
const STEP = 500

/** Returns the store itself if it is complete, else one with a substitute for each missing member. */
export function withFallbacks(store: Store): FullStore {
  if (isFull(store)) return store
  const {
    keys,
    idempotencyResponses,
    availability,
    daily,
    hourly,
    auditLog,
    maintenance,
    accounts,
  } = store
  const { clockSet, shards, changes, requests, idempotencyLocks, backup } = store
  const { publicPages, statusReports } = store
  return {
    shared: store.shared,
    open: () => store.open(),
    close: () => store.close(),
    accounts: accountsOf(store, accounts),
    keys: keys ?? noKeys(),
    locations: store.locations,
    contacts: store.contacts,
    maintenance: maintenance ?? noRows('Planned work of an account', 'maintenance'),
    publicPages: publicPages ?? noPages(),
    statusReports: statusReports ?? noRows('A status report', 'statusReports'),
    monitors: store.monitors,
    commit: (change) => store.commit(change),
    results: store.results,
    incidents: store.incidents,
    availability: availability ?? { list: () => Promise.resolve([]) },
    daily: daily ?? { list: () => Promise.resolve([]) },
    hourly: hourly ?? { list: () => Promise.resolve([]) },
    auditLog: auditLog ?? { list: () => Promise.resolve([]) },
    notifications: store.notifications,
    idempotencyResponses: idempotencyResponses ?? responsesInProcess(),
    meta: store.meta,
    prune: (options) => store.prune?.(options) ?? Promise.resolve(0),
    ...(clockSet === undefined ? {} : { clockSet: (set) => clockSet.call(store, set) }),
    ...(backup === undefined
      ? {}
      : { backup: (path, options) => backup.call(store, path, options) }),
    ...(shards === undefined ? {} : { shards }),
    ...(changes === undefined ? {} : { changes }),
    ...(requests === undefined ? {} : { requests }),
    ...(idempotencyLocks === undefined ? {} : { idempotencyLocks }),
  }
}

const OPTIONAL = [
  ...['keys', 'maintenance', 'publicPages', 'statusReports', 'idempotencyResponses'],
  ...['availability', 'daily', 'hourly', 'auditLog', 'prune'],
] as readonly (keyof Store)[]

function isFull(store: Store): store is FullStore {
  const { use, remove } = store.accounts
  const members = [...OPTIONAL.map((name) => store[name]), use, remove]
  return members.every((member) => member !== undefined)
}

/** For a function that the app calls and the store does not offer. */
export function notOffered(what: string, member: string): NotOfferedError {
  return new NotOfferedError(`${what} needs a store with \`${member}\`; this one has none`)
}

function accountsOf(store: Store, accounts: Store['accounts']): FullStore['accounts'] {
  const refuseCounted = (quotas: AccountRecord['quotas'] | undefined): void => {
    if (accounts.use === undefined && isCounted(quotas)) throw notOffered('A quota', 'accounts.use')
  }
  return {
    ensureFirst: (account) => accounts.ensureFirst(account),
    async create(account, audit) {
      refuseCounted(account.quotas)
      return accounts.create(account, audit)
    },
    get: (id) => accounts.get(id),
    byExternalId: (external_id) => accounts.byExternalId(external_id),
    list: (onUnreadable) => accounts.list(onUnreadable),
    async update(id, change, audit) {
      refuseCounted(change.quotas)
      return accounts.update(id, change, audit)
    },
    use: (id) => accounts.use?.(id) ?? countUse(store, id),
    remove: (id, limit, audit) =>
      accounts.remove?.(id, limit, audit) ??
      Promise.reject(notOffered('The removal of an account', 'accounts.remove')),
  }
}

/** Whether the store must count to enforce these quotas: the shortest interval is checked without counting. */
export function isCounted(quotas: AccountRecord['quotas'] = {}): boolean {
  const { monitors, contacts, checks_per_min } = quotas
  return [monitors, contacts, checks_per_min].some((limit) => (limit ?? null) !== null)
}

/** Counts the usage row by row; not in one transaction, and so only for display. */
async function countUse({ monitors, contacts }: Store, account_id: number): Promise<AccountUse> {
  const use = { monitors: 0, contacts: (await contacts.list(account_id)).length, checks_per_min: 0 }
  for (let after_id = 0; ;) {
    const step = await monitors.list({ account_id, after_id, limit: STEP })
    use.monitors += step.length
    use.checks_per_min += step.reduce((sum, monitor) => sum + checksOf(monitor), 0)
    const last = step.at(-1)
    if (last === undefined || step.length < STEP) return use
    after_id = last.id
  }
}

function checksOf({ common, token_hash, machine }: MonitorRecord): number {
  return isChecked({ token_hash, state: machine.state }) ? ratedChecks(common) : 0
}

function noKeys(): FullStore['keys'] {
  const refuse = (): Promise<never> => Promise.reject(notOffered('An API key', 'keys'))
  return { create: refuse, byHash: refuse, byId: refuse, list: refuse, update: refuse }
}

/** Nothing is stored, and a list is empty. */
function noRows<S>(what: string, member: string): VersionedRows<S> {
  const refuse = (): Promise<never> => Promise.reject(notOffered(what, member))
  return {
    create: refuse,
    get: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
    update: refuse,
    remove: () => Promise.resolve(false),
  }
}

function noPages(): PublicPageRows {
  return {
    ...noRows('A public page made at run time', 'publicPages'),
    bySlug: () => Promise.resolve(undefined),
  }
}

/** Lost when the process ends. */
function responsesInProcess(): FullStore['idempotencyResponses'] {
  const failure = (error: unknown) => storageError('An answer cannot be kept', error)
  return promised<FullStore['idempotencyResponses']>(
    idempotencyResponses({ idempotencyResponses: new Map() }),
    { failure },
  )
}
