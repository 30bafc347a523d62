/**
 * Export and import of an account. Their code loads with the first use: few processes move an account.
 *
 * @module
 */

import type { AccountScope } from '../api/engine.ts'
import type { ServiceContext } from '../services/service-context.ts'
import type { Importing, Retained } from './import.ts'

export type { Importing } from './import.ts'

export function transferOf(
  context: ServiceContext,
  account_id: number,
  engine: { readonly importing: Importing; readonly retention: Retained },
): Pick<AccountScope, 'export' | 'import'> {
  return {
    async *export(options) {
      const { exportAccount } = await import('./export.ts')
      yield* exportAccount(context, account_id, options)
    },
    async import(source, options) {
      const { importAccount } = await import('./import.ts')
      return importAccount({ context, account_id, ...engine }, source, options)
    },
  }
}
