/**
 * Export and import of an account.
 *
 * @module
 */

import type { AccountScope } from '../api/engine.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { exportAccount } from './export.ts'
import { importAccount } from './import.ts'
import type { Importing, Retained } from './import.ts'

export type { Importing } from './import.ts'

export function transferOf(
  context: ServiceContext,
  account_id: number,
  engine: { readonly importing: Importing; readonly retention: Retained },
): Pick<AccountScope, 'export' | 'import'> {
  return {
    export: (options) => exportAccount(context, account_id, options),
    import: (source, options) => importAccount({ context, account_id, ...engine }, source, options),
  }
}
