/**
 * Emits the event `audit` for what was stored in the audit log.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { NewAuditRecord } from '../../model.ts'
import type { EngineEvents } from '../api/events.ts'
import { emit } from '../core/core.ts'
import type { Core } from '../core/core.ts'

export function announceAudit(
  core: Core,
  audit: NewAuditRecord,
  { id: resource_id, account_id }: { readonly id: number; readonly account_id: number },
): void {
  const { at, ...rest } = audit
  const payload: EngineEvents['audit'] = { account_id, ...rest, resource_id, at: iso(at) }
  emit(core, 'audit', payload)
}
