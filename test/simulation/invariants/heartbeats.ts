/** Monitors that are fed by signals. */
import type { CommonSettings } from '../../../src/model.ts'
import { between, stateAt } from '../ledger.ts'
import type { Ledger, MonitorStory, Step } from '../ledger.ts'
import type { EntryOf } from '../tape.ts'
import { SECOND } from '../time.ts'
import { invariant, when } from './invariant.ts'

/** A shorter outage is a restart, for which nothing is put off. */
const RESTART = 30 * SECOND

/** Of a job whose alert is held because another monitor is down. */
const LONGEST_WAIT = 300 * SECOND

export const HEARTBEAT_INVARIANTS = [
  invariant(
    'A job that reported within its period and grace is not called missing.',
    function* (ledger) {
      for (const story of jobsOf(ledger)) {
        for (const step of story.steps) {
          const opened = step.change.open_incident
          if (opened?.cause_code !== 'heartbeat_missed') continue
          const patience = patienceOf(step.before.common, story)
          const heard = signalsOf(ledger, story).findLast(({ at }) => at < step.at)
          if (heard === undefined) {
            // One that the store stumbled over may have been taken in all the same.
            if (lastHeard(ledger, story, step) !== undefined) continue
            yield `monitor ${story.id} was called missing at ${when(step)} before its first signal`
            continue
          }
          // A clock that was set makes itself felt until it is noticed.
          if (jumpedWithin(ledger, heard.at, step.at)) continue
          if (step.at - heard.at < patience - SECOND)
            yield `monitor ${story.id} was called missing at ${when(step)}, ${(step.at - heard.at) / SECOND} s after its signal`
        }
      }
    },
  ),

  invariant(
    'Nobody is blamed for what could not be heard: a job whose period or grace ended while there was no process, for more than half a minute, has both anew once there is one.',
    function* (ledger) {
      const outages = outagesOf(ledger)
      for (const story of jobsOf(ledger)) {
        for (const step of story.steps) {
          if (step.change.open_incident?.cause_code !== 'heartbeat_missed') continue
          const last = lastSignOf(ledger, story, step)
          if (last === undefined || jumpedWithin(ledger, last.at, step.at)) continue
          const patience = patienceOf(step.before.common, story)
          const ends = [last.at + step.before.common.interval_sec * SECOND, last.at + patience]
          const unheard = between(outages, last.at, step.at).filter(({ at, to }) =>
            ends.some((end) => end > at && end < to),
          )
          for (const { at, to } of unheard)
            if (step.at - to < patience - SECOND)
              yield `monitor ${story.id} was called missing at ${when(step)}, ${(step.at - to) / SECOND} s after an outage of ${(to - at) / SECOND} s`
        }
      }
    },
  ),

  invariant(
    'A job that is silent for as many periods as it may miss and its grace, under one process that runs, is called missing.',
    function* (ledger) {
      for (const story of jobsOf(ledger)) {
        const signals = signalsOf(ledger, story)
        for (const [i, { at, n }] of signals.entries()) {
          const now = stateAt(story, n + 20)
          const patience = patienceOf(now.common, story) + furtherOf(now.common)
          const deadline = at + patience + 30 * SECOND
          const next = signals[i + 1]?.at ?? Infinity
          const inOne = ledger.steady.some(({ from, to }) => from <= at && to > deadline)
          const touched = story.steps.some(
            (step) =>
              step.n > n &&
              step.at > at &&
              step.at <= deadline &&
              (step.change.settings !== undefined ||
                step.before.machine.state === 'maintenance' ||
                step.after.machine.state === 'maintenance'),
          )
          if (next < deadline || !inOne || touched || jumpedWithin(ledger, at, deadline)) continue
          const after = story.steps.findLast((step) => step.at <= deadline)?.after.machine
          if (after === undefined || ['paused', 'maintenance', 'pending'].includes(after.state))
            continue
          if ((story.removed?.at ?? Infinity) <= deadline) continue
          if (after.incident === null)
            yield `monitor ${story.id} is ${after.state} at ${when({ at: deadline })}, its last signal came at ${when({ at })}`
        }
      }
    },
  ),

  invariant(
    'A job that is down and whose alert is held is judged again under one process that runs, behind another monitor within five minutes and else within its period.',
    function* (ledger) {
      for (const story of jobsOf(ledger)) {
        for (const [i, { at, after }] of story.steps.entries()) {
          const reason = after.machine.incident?.suppression?.reason
          if (after.machine.state !== 'down' || reason === undefined) continue
          const period = after.common.interval_sec * SECOND
          const pause = reason === 'dependency' ? Math.min(period, LONGEST_WAIT) : period
          const deadline = at + pause + 30 * SECOND
          const next = story.steps[i + 1]?.at ?? story.removed?.at ?? Infinity
          const inOne = ledger.steady.some(({ from, to }) => from <= at && to > deadline)
          if (next < deadline || !inOne || jumpedWithin(ledger, at, deadline)) continue
          yield `monitor ${story.id} is held (${reason}) and was not judged after ${when({ at })}`
        }
      }
    },
  ),
]

function jobsOf({ monitors }: Ledger): MonitorStory[] {
  return [...monitors.values()].filter(({ push }) => push)
}

/** The last signal that reached a process before, whatever became of it there. */
function lastHeard(
  { all }: Ledger,
  { id }: MonitorStory,
  { n }: Step,
): EntryOf<'signal'> | undefined {
  return all('signal').findLast(
    ({ monitor_id, heard, signal, ...sent }) =>
      sent.n < n && monitor_id === id && heard && signal !== 'log',
  )
}

interface Outage {
  /** Its begin and its end. */
  readonly at: number
  readonly to: number
}

/** Times without any process, but for the short ones of a restart. */
function outagesOf({ entries }: Ledger): Outage[] {
  const outages: Outage[] = []
  const present = new Set<number>()
  let since = 0
  for (const entry of entries) {
    const { kind, at } = entry
    if (kind === 'begins') {
      if (present.size === 0 && at - since > RESTART) outages.push({ at: since, to: at })
      present.add(entry.life)
    } else if (kind === 'thaws') present.add(entry.life)
    else if (kind === 'stops' || kind === 'dies' || kind === 'freezes') {
      present.delete(entry.life)
      since = at
    }
  }
  return outages
}

/** The last sign of life, where it is known to be that, and nothing but silence was noted of the monitor since. */
function lastSignOf(
  ledger: Ledger,
  story: MonitorStory,
  step: Step,
): EntryOf<'signal'> | undefined {
  const heard = lastHeard(ledger, story, step)
  if (heard === undefined || !signalsOf(ledger, story).includes(heard)) return undefined
  const rest = (state: string): boolean => state === 'paused' || state === 'maintenance'
  const isTouched = story.steps.some(
    ({ n, change, before, after }) =>
      n > heard.n &&
      n < step.n &&
      (change.settings !== undefined || rest(before.machine.state) || rest(after.machine.state)),
  )
  return isTouched ? undefined : heard
}

const byMonitor = new WeakMap<Ledger, Map<number, EntryOf<'signal'>[]>>()

const ASKED_IN_VAIN = ['NotFoundError', 'ConflictError', 'ValidationError']

/** Signs of life that an engine took in while its store worked. */
function signalsOf(ledger: Ledger, { id }: MonitorStory): EntryOf<'signal'>[] {
  const known = byMonitor.get(ledger)
  if (known !== undefined) return known.get(id) ?? []
  const taken = new Map<number, EntryOf<'signal'>[]>()
  // What a person asked for in vain keeps no signal from being heard.
  const errors = ledger.all('error').filter(({ name }) => !ASKED_IN_VAIN.includes(name))
  const troubles = [
    ...errors,
    ...ledger.all('dies'),
    ...ledger.all('freezes'),
    ...ledger.all('late'),
  ]
  for (const signal of ledger.all('signal')) {
    const { monitor_id, heard, at } = signal
    const failed = troubles.some((trouble) => trouble.at >= at && trouble.at <= at + SECOND)
    if (!heard || failed || signal.signal === 'log') continue
    const list = taken.get(monitor_id) ?? []
    list.push(signal)
    taken.set(monitor_id, list)
  }
  byMonitor.set(ledger, taken)
  return taken.get(id) ?? []
}

function patienceOf({ interval_sec }: CommonSettings, { record }: MonitorStory): number {
  return (interval_sec + Number(record.settings.grace_sec ?? 0)) * SECOND
}

/** The deadlines that may be missed, beyond the first one. */
function furtherOf({ interval_sec, fail_threshold }: CommonSettings): number {
  return interval_sec * (fail_threshold - 1) * SECOND
}

function jumpedWithin(ledger: Ledger, from: number, to: number): boolean {
  return ledger.all('jump').some(({ at }) => at >= from - 10 * SECOND && at <= to)
}
