/**
 * Accounts: each with monitors, contacts and keys of its own.
 *
 * @module
 */

import { ValidationError } from '../../errors.ts'
import type { Engine } from '../api.ts'
import { accountView } from '../present.ts'
import type { Parts } from './parts.ts'

const NAME_LIMIT = 200

export function accountsOf({ core, ready }: Parts): Engine['accounts'] {
  return {
    async create({ name }) {
      await ready()
      if (typeof name !== 'string' || name.trim() === '')
        throw new ValidationError({ name: 'required' })
      if (name.length > NAME_LIMIT)
        throw new ValidationError({ name: `out_of_range: 1..${NAME_LIMIT} characters` })
      return accountView(
        await core.store.accounts.create({ name: name.trim(), created_at: core.clock.now() }),
      )
    },
    async list() {
      await ready()
      return (await core.store.accounts.list()).map(accountView)
    },
  }
}
