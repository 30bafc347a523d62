/**
 * The account that a command names, by name or id.
 *
 * @module
 */

import type { AccountScope, Engine } from '../engine/api/engine.ts'
import { WatchpostError } from '../errors.ts'

/** Who the audit log says made the changes of a command. */
export const BY = { actor: 'cli' } as const

/** Without a name the first one. @throws WatchpostError if there is none */
export async function accountOf(engine: Engine, wanted: string | undefined): Promise<AccountScope> {
  const found = await findAccount(engine, wanted)
  if (found !== undefined) return found
  const which = wanted === undefined ? '' : ` "${wanted}"`
  throw new WatchpostError('refused', `there is no account${which}`)
}

/** A name comes before an id. */
async function findAccount(
  engine: Engine,
  wanted: string | undefined,
): Promise<AccountScope | undefined> {
  const accounts = await engine.accounts.list()
  const [first] = accounts
  const known =
    wanted === undefined
      ? first
      : (accounts.find(({ name }) => name === wanted) ??
        accounts.find(({ id }) => String(id) === wanted))
  return known && engine.account(known.id, BY)
}

/** Made where the name is new; a mistyped id does not become an account of that name. */
export async function accountFor(
  engine: Engine,
  wanted: string | undefined,
): Promise<AccountScope> {
  const known = await findAccount(engine, wanted)
  if (known !== undefined) return known
  if (wanted === undefined) throw new WatchpostError('refused', 'there is no account')
  if (/^\d+$/.test(wanted)) throw new WatchpostError('refused', `there is no account ${wanted}`)
  return engine.account((await engine.accounts.create({ name: wanted }, BY)).id, BY)
}
