/**
 * Which monitors of its account a maintenance window covers.
 *
 * @module
 */

import { fold } from './fold.ts'
import type { MaintenanceSettings } from './settings.ts'

type Coverage = Pick<MaintenanceSettings, 'all_monitors' | 'monitor_ids' | 'tags'>

/** The tags of the window are folded once, not again for each monitor. */
export function coverageOf({
  all_monitors,
  monitor_ids,
  tags,
}: Coverage): (monitor: { readonly id: number; readonly tags: readonly string[] }) => boolean {
  const folded = new Set(tags.map(fold))
  return ({ id, tags: own }) =>
    all_monitors || monitor_ids.includes(id) || own.some((tag) => folded.has(fold(tag)))
}
