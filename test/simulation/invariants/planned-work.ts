/** What planned work keeps quiet. */
import { cronOccurrences } from '../../../src/fields/cron.ts'
import { maintenanceAt } from '../../../src/incident/maintenance.ts'
import type { MaintenanceRecord } from '../../../src/model.ts'
import { timeZones } from '../../../src/model/time.ts'
import { stateAt } from '../ledger.ts'
import type { Ledger, Step } from '../ledger.ts'
import type { EntryOf } from '../tape.ts'
import { SECOND } from '../time.ts'
import { invariant, when } from './invariant.ts'
import { decidesNothing } from './replay.ts'

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

  invariant(
    'A monitor that a window of its account covers is under maintenance, where one process runs and its store works.',
    function* (ledger) {
      if (ledger.plan.machines > 1 || ledger.all('maintenance').length === 0) return
      const isOpenAt = openWindows(ledger)
      for (const { steps, id } of ledger.monitors.values()) {
        for (const [place, step] of steps.entries()) {
          const before = steps[place - 1]
          const { state } = step.before.machine
          const isRound = (step.change.results?.length ?? 0) > 0
          if (!isRound || state === 'maintenance' || state === 'paused') continue
          // Its settings are the same for as long as it takes to begin.
          if (before !== undefined && before.at > step.at - ENTERED && isChange(before)) continue
          const window = isOpenAt({ ...step, change: { ...step.change, at: step.wall } })
          if (window === undefined || !isUndisturbed(ledger, step)) continue
          if (isOpenAt({ ...step, change: { ...step.change, at: step.wall - ENTERED } }) === window)
            yield `monitor ${id} is ${state} at ${when(step)} within window ${window.id}`
        }
      }
    },
  ),

  invariant(
    'A check that began under maintenance decides nothing when it ends behind it.',
    function* (ledger) {
      const orders = byMonitor(ledger.all('order'))
      const lost = ledger
        .all('trouble')
        .filter(({ call, when }) => call === 'commit' && when === 'after')
      for (const story of ledger.monitors.values()) {
        if (!story.steps.some(({ after }) => after.machine.state === 'maintenance')) continue
        for (const step of story.steps) {
          const [result] = step.change.results ?? []
          const { state } = step.before.machine
          if (result === undefined || state === 'maintenance' || state === 'paused') continue
          const order = orders
            .get(story.id)
            ?.findLast(
              ({ n, life, round }) => n < step.n && life === step.life && round === result.round,
            )
          if (order === undefined || stateAt(story, order.n).machine.state !== 'maintenance')
            continue
          // The process that asked had begun the work itself, and knew.
          const begun = story.steps.findLast(
            ({ n, before, after }) => n < order.n && before.machine.state !== after.machine.state,
          )
          if (begun?.life !== step.life) continue
          if (lost.some(({ n }) => n > begun.n - 20 && n < order.n)) continue
          if (!decidesNothing(step))
            yield `monitor ${story.id}: the round at ${when(order)} began under maintenance and decides at ${when(step)}`
        }
      }
    },
  ),
]

/** In this time every monitor of a window is under maintenance. */
const ENTERED = 60 * SECOND

function isChange({ before, after, change }: Step): boolean {
  return change.settings !== undefined || before.machine.state !== after.machine.state
}

/** One process ran for that time, and nobody set the clock. */
function isUndisturbed({ steady, all }: Ledger, { at, life }: Step): boolean {
  const from = at - 2 * ENTERED
  if (all('jump').some((jump) => jump.at >= from && jump.at <= at)) return false
  return steady.some((time) => time.life === life && time.from <= from && time.to >= at)
}

function byMonitor(all: readonly EntryOf<'order'>[]): ReadonlyMap<number, EntryOf<'order'>[]> {
  const by = new Map<number, EntryOf<'order'>[]>()
  for (const order of all) {
    const list = by.get(order.monitor_id)
    if (list === undefined) by.set(order.monitor_id, [order])
    else list.push(order)
  }
  return by
}

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
