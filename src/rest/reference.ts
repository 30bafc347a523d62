/**
 * Reference lists and the account itself.
 *
 * @module
 */

import { ConfigurationError } from '../errors.ts'
import { grants } from '../model/scopes.ts'
import { ok } from './envelope.ts'
import { arrayOf, ref } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import type { Balance } from './operation.ts'

const tag = 'Account and reference lists'

export const showMe = operation({
  summary: 'The account and the key of the request',
  scope: null,
  tag,
  answers: { 200: { me: ref('Me') } },
  async run({ engine, identity, host }) {
    const { account_id, key } = identity
    const [account, { quotas, use, monitor_defaults }] = await Promise.all([
      engine.accounts.get(account_id),
      engine.accounts.use(account_id),
    ])
    const per_minute =
      host.rate === null ? null : Math.floor((host.rate.requests * 60) / host.rate.windowSec)
    return ok({
      me: {
        account: { id: account_id, name: account.name },
        key: {
          id: key.id,
          name: key.name ?? null,
          scopes: key.scopes ?? ['read', 'write'],
          created_at: key.created_at ?? null,
          last_used_at: key.last_used_at ?? null,
        },
        limits: { requests_per_minute: per_minute, ...quotas },
        use,
        monitor_defaults: grants(key.scopes, 'monitors:read') ? monitor_defaults : null,
      },
    })
  },
})

export const listLocations = operation({
  summary: 'The locations that run checks',
  scope: null,
  tag,
  answers: { 200: { locations: arrayOf('Location') } },
  async run({ engine }) {
    return ok({ locations: await engine.locations.list() })
  },
})

export const showBalance = operation({
  summary: 'Account balance',
  scope: 'account:read',
  tag,
  waits: true,
  answers: { 200: { balance: ref('Balance') } },
  async run({ host, identity }) {
    const balance = await host.balance(identity.account_id)
    requireDecimal(balance)
    return ok({ balance })
  },
})

export const listTypes = operation({
  summary: 'Monitor types with all fields of each',
  scope: null,
  tag,
  answers: { 200: { types: arrayOf('Type'), common_fields: arrayOf('Field') } },
  run({ engine }) {
    return Promise.resolve(ok({ types: engine.types.list(), common_fields: engine.types.common() }))
  },
})

/** The host's function is not checked by our types at run time; a number would round money silently. */
function requireDecimal({ amount }: Balance): void {
  if (amount === null || (typeof amount === 'string' && /^-?\d+(\.\d+)?$/.test(amount))) return
  throw new ConfigurationError('`balance` must yield the amount as a decimal text or null')
}
