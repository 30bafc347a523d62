/**
 * API keys: shown once, stored as hashes.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import { lineProblem } from '../../model/printable.ts'
import { ALL_SCOPES, KEY_SCOPES } from '../../model/scopes.ts'
import type { KeyRecord } from '../../model.ts'
import type { AccountScope, Engine } from '../api/engine.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import { keyTaken, revokedKeyName } from '../../store/filters.ts'
import { keyView } from '../views/views.ts'
import { announceAudit } from '../announce/audit.ts'
import { auditRecord } from './audit.ts'
import { read, readFilter } from './read-filter.ts'
import { hashOf, isPlausibleKey, makeKey } from '../core/tokens.ts'
import type { RequestServices } from './request-services.ts'
import type { ServiceContext } from './service-context.ts'

/** The last use is written at most this often. */
const USE_STEP_MS = 60_000

/** Number of leading characters that are shown to identify a key. */
const PREFIX_CHARS = 8

const NAME_LIMIT = 200

const KEY = {
  name: (value: unknown) => {
    if (typeof value !== 'string' || value.trim() === '' || value.length > NAME_LIMIT)
      return { problem: `invalid: a text of 1 to ${NAME_LIMIT} characters is expected` }
    const problem = lineProblem(value)
    return problem === undefined ? { value } : { problem }
  },
  key: (value: unknown) =>
    typeof value === 'string' && isPlausibleKey(value)
      ? { value }
      : { problem: 'invalid: 16 to 512 characters are expected' },
  scopes: (value: unknown) => {
    const given = read.list(read.oneOf(KEY_SCOPES))(value)
    if (!('value' in given)) return given
    const scopes = [...new Set(given.value)]
    return scopes.length > 0 ? { value: scopes } : { problem: 'out_of_range: 1 or more scopes' }
  },
}

export function keysOf(context: ServiceContext, account_id: number): AccountScope['keys'] {
  const { core, ready } = context
  return {
    async create(options) {
      const { name = 'default', key = makeKey(), scopes = ALL_SCOPES } = readFilter(KEY, options)
      await ready()
      const hash = hashOf(key)
      const { keys, meta } = core.store
      const taken = (await keys.byHash(hash)) ?? (await meta.get(revokedKeyName(hash)))
      if (taken !== undefined) throw keyTaken()
      const made = {
        account_id,
        name,
        prefix: key.slice(0, PREFIX_CHARS),
        hash,
        scopes,
        created_at: core.clock.now(),
        last_used_at: null,
        revoked_at: null,
      }
      const changes = [{ field: 'scopes', from: null, to: scopes }]
      const audit = auditRecord(context, { resource: 'key', action: 'created', name, changes })
      const record = await core.store.keys.create(made, audit)
      announceAudit(core, audit, record)
      return { key, view: keyView(record) }
    },
    async list() {
      await ready()
      return (await core.store.keys.list(account_id, setAside(core, 'key'))).map(keyView)
    },
    async revoke(id) {
      await ready()
      const known = await keyWithId(core, account_id, id)
      if (known === undefined) throw new NotFoundError('key')
      if (known.revoked_at !== null) return
      const audit = auditRecord(context, { resource: 'key', action: 'revoked', name: known.name })
      await core.store.keys.update(id, { revoked_at: core.clock.now() }, audit)
      announceAudit(core, audit, known)
    },
  }
}

/** Reads this one alone: an account may have thousands of revoked keys. */
async function keyWithId(
  { store }: Core,
  account_id: number,
  id: number,
): Promise<KeyRecord | undefined> {
  const key = Number.isSafeInteger(id) ? await store.keys.byId(id) : undefined
  return key?.account_id === account_id ? key : undefined
}

/** See `RequestServices.key`. */
export function keyReader({ core, ready }: ServiceContext): RequestServices['key'] {
  return async (account_id, id) => {
    await ready()
    const key = await keyWithId(core, account_id, id)
    return key && keyView(key)
  }
}

/** See `Engine.authenticate`. */
export async function authenticate(
  { core, ready }: ServiceContext,
  key: string,
): ReturnType<Engine['authenticate']> {
  if (!isPlausibleKey(key)) return undefined
  await ready()
  const record = await core.store.keys.byHash(hashOf(key))
  if (record === undefined || record.revoked_at !== null) return undefined
  noteUse(core, record)
  return { account_id: record.account_id, key: keyView(record) }
}

/** Not awaited: a request does not wait for this write. */
function noteUse(core: Core, { id, last_used_at }: KeyRecord): void {
  const now = core.clock.now()
  if (last_used_at !== null && now - last_used_at < USE_STEP_MS) return
  core.store.keys
    .update(id, { last_used_at: now })
    .catch((err: unknown) =>
      core.log.warn({ err, key_id: id }, 'the use of a key could not be recorded'),
    )
}
