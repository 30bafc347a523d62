/** Who changed what can be read afterwards. */
import { isDeepStrictEqual } from 'node:util'
import type { AuditAction } from '../../../src/model.ts'
import type { Step } from '../ledger.ts'
import { invariant } from './invariant.ts'

export const AUDIT_INVARIANTS = [
  invariant(
    'Every change that somebody makes of a monitor stands in the audit log, once and in its order; nothing else does.',
    function* ({ monitors, audit }) {
      const logged = new Map<number, AuditAction[]>()
      for (const { resource, resource_id, action } of audit) {
        if (resource !== 'monitor') continue
        const known = logged.get(resource_id)
        if (known === undefined) logged.set(resource_id, [action])
        else known.push(action)
      }
      for (const story of monitors.values()) {
        const made = ['created', ...story.steps.flatMap(actionOf)].join(' ')
        const found = (logged.get(story.id) ?? []).join(' ')
        if (made !== found) yield `monitor ${story.id}: "${made}", and the log has "${found}"`
      }
    },
  ),
]

/** What somebody did in this step; rounds and windows do nothing that is logged. */
function actionOf({ change, before, after }: Step): readonly AuditAction[] {
  if (change.remove === true) return ['deleted']
  const [was, is] = [before.machine.state === 'paused', after.machine.state === 'paused']
  if (was !== is) return [is ? 'paused' : 'resumed']
  if (change.settings === undefined) return []
  // The settings of the type are sealed on the tape: whether they differ is only known to the engine.
  const differs = !isDeepStrictEqual(before.common, after.common)
  return differs || change.audit !== undefined ? ['updated'] : []
}
