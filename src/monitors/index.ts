/**
 * Monitors as code: a typed list in a repository, synced to an engine.
 *
 * @module watchpost/monitors
 */

export { defineMonitors } from './define.ts'
export type { BuiltinChecker, MonitorEntry } from './define.ts'
export { describePlan, isEmptyPlan } from './plan.ts'
export type {
  CreatedMonitor,
  Difference,
  EntryWarning,
  KnownMonitor,
  SyncPlan,
  UpdatedMonitor,
  WindowPlan,
} from './plan.ts'
export { syncMonitors } from './sync.ts'
export type { SyncOptions } from './sync.ts'
export type { MaintenanceEntry } from './windows.ts'
