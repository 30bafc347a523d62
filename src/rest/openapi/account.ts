/**
 * The schemas of the account and its key.
 *
 * @module
 */

import { KEY_SCOPES } from '../../model/scopes.ts'
import type { Balance } from '../operation.ts'
import {
  arrayOf,
  flag,
  integer,
  nullable,
  number,
  object,
  record,
  text,
  time,
  word,
} from './schemas.ts'
import type { Schema } from './schemas.ts'

export const ACCOUNT_VIEWS: Readonly<Record<'Balance' | 'Me', Schema>> = {
  Balance: object<Balance>(
    {
      amount: nullable(text('Decimal number')),
      currency: text('ISO 4217'),
      unlimited: flag(),
      updated_at: time(),
    },
    { optional: ['currency', 'unlimited', 'updated_at'], open: true },
  ),
  Me: object({
    account: object({ id: integer('Positive, never used twice'), name: nullable(text()) }),
    key: object({
      id: { type: ['integer', 'string'] },
      name: nullable(text()),
      scopes: arrayOf(word(KEY_SCOPES)),
      created_at: nullable(time()),
      last_used_at: nullable(time()),
    }),
    limits: object({
      requests_per_minute: nullable(integer()),
      monitors: nullable(integer()),
      contacts: nullable(integer()),
      min_interval_sec: nullable(integer()),
      checks_per_min: nullable(number()),
      maintenance_windows: nullable(integer()),
      public_pages: nullable(integer()),
      status_reports: nullable(integer()),
    }),
    use: object({ monitors: integer(), contacts: integer(), checks_per_min: number() }),
    monitor_defaults: nullable(record('Of new monitors; `null` without `monitors:read`')),
  }),
}
