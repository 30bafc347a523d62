/** Incidents: when they open and end, and what is remembered of them. */
import type { IncidentStory, Ledger, MonitorStory, Step } from '../ledger.ts'
import { invariant, when } from './invariant.ts'
import { replay } from './replay.ts'

export const INCIDENT_INVARIANTS = [
  invariant('No monitor has two open incidents.', function* ({ monitors }) {
    for (const monitor of monitors.values()) {
      let open: number | null = null
      for (const step of monitor.steps) {
        if (step.closed !== null && step.closed === open) open = null
        if (step.opened === null) continue
        if (open !== null)
          yield `monitor ${monitor.id} opened ${step.opened} at ${when(step)} while ${open} was open`
        open = step.opened
      }
    }
  }),

  invariant(
    'What a monitor remembers of its open incident is what is stored of it.',
    function* ({ monitors }) {
      for (const monitor of monitors.values()) {
        let open: number | null = null
        for (const step of monitor.steps) {
          if (step.closed === open) open = null
          if (step.opened !== null) open = step.opened
          const remembered = step.after.machine.incident?.id ?? null
          if (remembered !== open && step.change.remove !== true)
            yield `monitor ${monitor.id} remembers ${remembered} at ${when(step)}, open is ${open}`
        }
      }
    },
  ),

  invariant(
    'An incident opens with the failing round that completes the threshold, dated to the first of the row; a round that nobody can decide counts for nothing.',
    function* (ledger) {
      for (const { monitor, step, expected } of roundsOf(ledger)) {
        const opened = step.change.open_incident
        if ((opened !== undefined) !== expected.opens)
          yield `monitor ${monitor.id}, round at ${when(step)}: ${opened === undefined ? 'none opened' : 'an incident opened'}, ${expected.why}`
        else if (opened !== undefined && !monitor.push && opened.started_at !== expected.started_at)
          yield `incident ${step.opened} began at ${opened.started_at}, the first failing round at ${expected.started_at}`
      }
    },
  ),

  invariant(
    'An incident ends with the good round that completes the threshold, dated to the first of the row.',
    function* (ledger) {
      for (const { monitor, step, expected } of roundsOf(ledger)) {
        const update = step.change.update_incident
        const ended = update?.closed_reason === 'recovered'
        if (ended !== expected.closes)
          yield `monitor ${monitor.id}, round at ${when(step)}: ${ended ? 'an incident ended' : 'none ended'}, ${expected.why}`
        else if (ended && update.ended_at !== expected.ended_at)
          yield `incident ${update.id} ended at ${update.ended_at}, the first good round at ${expected.ended_at}`
      }
    },
  ),

  invariant(
    'Besides, an incident ends when its monitor is paused, changed in what it checks, or removed, and then it always does.',
    function* ({ monitors }) {
      for (const monitor of monitors.values()) {
        for (const step of monitor.steps) {
          const { machine } = step.after
          const had = step.before.machine.incident !== null
          const reason = step.change.update_incident?.closed_reason
          const left =
            step.change.remove === true ||
            (machine.state === 'paused' && step.before.machine.state !== 'paused') ||
            (step.change.forget_locations === true && step.before.machine.state !== 'paused')
          if (left && had && (reason === undefined || reason === 'recovered'))
            yield `monitor ${monitor.id} left its checks at ${when(step)} with an open incident`
          if (!left && reason !== undefined && reason !== 'recovered')
            yield `an incident of monitor ${monitor.id} was closed as ${reason} at ${when(step)}`
        }
      }
    },
  ),

  invariant(
    'Nothing ends before it began, and nothing takes less than no time.',
    function* (ledger) {
      for (const story of ledger.incidents.values()) {
        const { id, opened, closed } = story
        const { started_at, detected_at } = opened.change.open_incident!
        if (detected_at < started_at) yield `incident ${id} was found before it began`
        const ended_at = closed?.change.update_incident?.ended_at
        if (ended_at !== undefined && ended_at < started_at)
          yield `incident ${id} ended before it began`
        for (const text of negativeTexts(story)) yield `incident ${id}: ${text}`
      }
      for (const { steps, id } of ledger.monitors.values()) {
        for (const { change } of steps)
          for (const { duration_ms, lag_ms } of change.results ?? [])
            if (duration_ms < 0 || lag_ms < 0)
              yield `a result of monitor ${id} took ${duration_ms} ms`
      }
      for (const { end } of ledger.all('finish'))
        if ((end.attempt?.duration_ms ?? 0) < 0)
          yield `an attempt of row ${end.id} took less than none`
    },
  ),
]

function* negativeTexts({ rows }: IncidentStory): Iterable<string> {
  for (const { arrivals } of rows) {
    for (const { said } of arrivals) {
      const incident = (JSON.parse(said) as [{ duration_sec?: number } | null]).at(-1)
      if ((incident?.duration_sec ?? 0) < 0)
        yield `a webhook says it took ${incident?.duration_sec} s`
    }
  }
}

interface Round {
  readonly monitor: MonitorStory
  readonly step: Step
  readonly expected: ReturnType<ReturnType<typeof replay>>
}

const replayed = new WeakMap<Ledger, readonly Round[]>()

function roundsOf(ledger: Ledger): readonly Round[] {
  const known = replayed.get(ledger)
  if (known !== undefined) return known
  const rounds: Round[] = []
  for (const monitor of ledger.monitors.values()) {
    const next = replay(monitor)
    for (const step of monitor.steps) rounds.push({ monitor, step, expected: next(step) })
  }
  replayed.set(ledger, rounds)
  return rounds
}
