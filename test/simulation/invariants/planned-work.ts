/** What planned work keeps quiet. */
import { cronOccurrences } from '../../../src/fields/cron.ts'
import { maintenanceAt } from '../../../src/incident/maintenance.ts'
import type { MaintenanceRecord } from '../../../src/model.ts'
import { timeZones } from '../../../src/model/time.ts'
import type { Ledger, Step } from '../ledger.ts'
import { SECOND } from '../time.ts'
import { invariant, when } from './invariant.ts'

/** A change is worked out some time before it takes effect where the store is slow. */
const SLOWNESS = 10 * SECOND

export const PLANNED_WORK_INVARIANTS = [
  invariant(
    'No incident opens, and nobody is told of one, while a window of the account covers the monitor.',
    function* (ledger) {
      const open = openWindows(ledger)
      for (const { id, opened } of ledger.incidents.values()) {
        const window = open(opened)
        if (window !== undefined)
          yield `incident ${id} opened at ${when(opened)} within window ${window.id}`
      }
    },
  ),
]

/** The window in which a step of a monitor lies, of those that its process had known for a while. */
function openWindows(ledger: Ledger): (step: Step) => MaintenanceRecord | undefined {
  const zones = timeZones()
  const calendar = { zones, nextOccurrence: cronOccurrences(zones) }
  const entries = ledger.all('maintenance')
  const begins = new Map(
    ledger.entries.flatMap((entry) =>
      entry.kind === 'begins' ? [[entry.life, entry.at] as const] : [],
    ),
  )

  return ({ n, at, life, change, before }) => {
    const known = new Map<number, MaintenanceRecord>()
    for (const entry of entries) {
      if (entry.n >= n) break
      known.delete(entry.id)
      // What another process changed, one that stood still meanwhile has not read.
      const isRead = entry.life === life || entry.at < (begins.get(life) ?? 0)
      if (entry.record !== undefined && isRead && entry.at < at - SLOWNESS)
        known.set(entry.id, entry.record)
    }
    const account_id = ledger.monitors.get(change.monitor_id)?.record.account_id
    return [...known.values()].find(
      ({ settings, ...record }) =>
        record.account_id === account_id &&
        (settings.all_monitors ||
          settings.monitor_ids.includes(change.monitor_id) ||
          settings.tags.some((tag) => before.common.tags.includes(tag))) &&
        maintenanceAt([settings.window], change.at, calendar).active,
    )
  }
}
