/**
 * The soft events of a step: `degraded` and `restored`, with what they say.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { Effect } from '../../incident/transition.ts'
import { secondsFrom } from '../../incident/uptime.ts'
import { SOFT_EVENTS } from '../../model.ts'
import type { JsonObject, Notice, SoftEvent } from '../../model.ts'
import type { DegradedView, RestoredView } from '../api/views.ts'

/** Not kept among the sent keys: whether one is due is in the state. */
export function softNotices(effects: readonly Effect[]): Notice[] {
  return effects.flatMap((effect) => {
    if (effect.kind === 'degraded') {
      const { since, cause } = effect
      return [notice('degraded', { since: iso(since), ...cause })]
    }
    if (effect.kind !== 'restored') return []
    const { degraded, ended_at, reason } = effect
    const view: RestoredView = {
      ...degraded,
      since: iso(degraded.since),
      ended_at: iso(ended_at),
      duration_sec: secondsFrom(degraded.since, ended_at),
      closed_reason: reason,
    }
    return [notice('restored', view)]
  })
}

function notice(event: SoftEvent, degraded: DegradedView | RestoredView): Notice {
  return { event, key: '', data: { degraded: { ...degraded } } }
}

export function isSoft(event: string): event is SoftEvent {
  return SOFT_EVENTS.some((soft) => soft === event)
}

/** The data of a soft event, typed; that of `degraded` has the members of a {@link DegradedView} only. */
export function softData(data: JsonObject): { readonly degraded: RestoredView } {
  return data as unknown as { readonly degraded: RestoredView }
}
