/**
 * The account that a command names, by name or id.
 *
 * @module
 */

import type { AccountView } from '../engine/api/accounts.ts'
import type { AccountScope, Engine } from '../engine/api/engine.ts'
import { WatchpostError } from '../errors.ts'
import { FIRST_ACCOUNT } from '../model.ts'

/** Who the audit log says made the changes of a command. */
export const BY = { actor: 'cli' } as const

/** Without a name the first one. @throws WatchpostError if there is none of that name or id */
export async function accountOf(engine: Engine, wanted: string | undefined): Promise<AccountScope> {
  if (wanted === undefined) return engine.account(FIRST_ACCOUNT, BY)
  const found = await findAccount(engine, wanted)
  if (found !== undefined) return found
  throw new WatchpostError('refused', `there is no account "${wanted}"`)
}

/** @throws the error of an account that cannot be read: a name that no other has may be that of this one */
export async function allAccounts(engine: Engine): Promise<readonly AccountView[]> {
  const errors: unknown[] = []
  const note = (error: unknown): void => void errors.push(error)
  engine.on('error', note)
  const accounts = await engine.accounts.list()
  engine.off('error', note)
  if (errors.length > 0) throw errors[0]
  return accounts
}

/** A name comes before an id. */
async function findAccount(engine: Engine, wanted: string): Promise<AccountScope | undefined> {
  const accounts = await allAccounts(engine)
  const known =
    accounts.find(({ name }) => name === wanted) ?? accounts.find(({ id }) => String(id) === wanted)
  return known && engine.account(known.id, BY)
}

/** Made where the name is new; a mistyped id does not become an account of that name. */
export async function accountFor(
  engine: Engine,
  wanted: string | undefined,
): Promise<AccountScope> {
  if (wanted === undefined) return engine.account(FIRST_ACCOUNT, BY)
  const known = await findAccount(engine, wanted)
  if (known !== undefined) return known
  if (/^\d+$/.test(wanted)) throw new WatchpostError('refused', `there is no account ${wanted}`)
  return engine.account((await engine.accounts.create({ name: wanted }, BY)).id, BY)
}
