/** How time is counted. */
import { secondsBetween } from '../../../src/incident/uptime.ts'
import type { AvailabilityChange } from '../../../src/model.ts'
import type { IncidentStory, MonitorStory, Step } from '../ledger.ts'
import { SECOND } from '../time.ts'
import { invariant } from './invariant.ts'
import { DAY_MS } from '../../../src/model/time.ts'

/** Undecided rounds in a row after which nobody claims to know. */
const PATIENCE = 3

export const TIME_INVARIANTS = [
  invariant('The seconds of every day add up, and none of them is negative.', function* (ledger) {
    const [first, last] = [ledger.entries[0]!, ledger.entries.at(-1)!]
    for (const story of ledger.monitors.values()) {
      const changes = changesOf(story)
      for (let day = Math.floor(first.wall / DAY_MS) * DAY_MS; day < last.wall; day += DAY_MS) {
        const within = [
          ...changes.filter(({ at }) => at < day).slice(-1),
          ...changes.filter(({ at }) => at >= day && at < day + DAY_MS),
        ]
        const seconds = Object.values(secondsBetween(within, day, day + DAY_MS))
        const sum = seconds.reduce((a, b) => a + b, 0)
        if (sum !== 86_400 || seconds.some((n) => n < 0))
          yield `monitor ${story.id}, day ${new Date(day).toISOString().slice(0, 10)}: ${seconds.join()}`
      }
    }
  }),

  invariant(
    'What a probe says of time is not believed beyond reason: no stored check took longer than a day, or is dated days from when it was stored.',
    function* ({ monitors }) {
      for (const { id, push, steps } of monitors.values()) {
        if (push) continue
        for (const { change, wall } of steps) {
          for (const { started_at, duration_ms, lag_ms, phases } of change.results ?? []) {
            const longest = Math.max(duration_ms, lag_ms, ...Object.values(phases))
            // The clock may have been set by a day meanwhile, and once more.
            if (longest > DAY_MS || Math.abs(wall - started_at) > 4 * DAY_MS)
              yield `monitor ${id}: a check of ${longest} ms is dated ${started_at} and was stored at ${wall}`
          }
        }
      }
    },
  ),

  invariant(
    'Changes of availability are stored in the order of their times.',
    function* ({ monitors }) {
      for (const story of monitors.values()) {
        let last = -Infinity
        for (const { at } of changesOf(story)) {
          if (at < last) yield `monitor ${story.id}: ${at} came after ${last}`
          last = at
        }
      }
    },
  ),

  invariant(
    'Time counts as down only within an incident, and as up only outside of all; but what was counted before nobody looked for a while is not dated back.',
    function* (ledger) {
      if (ledger.all('jump').length > 0) return
      for (const story of ledger.monitors.values()) {
        const incidents = [...ledger.incidents.values()].filter(
          ({ monitor_id }) => monitor_id === story.id,
        )
        const outages = incidents.map(
          ({ opened, closed }) =>
            [
              opened.change.open_incident!.started_at,
              closed?.change.update_incident?.ended_at ?? Infinity,
            ] as const,
        )
        const open = datedOver(story, incidents)
        for (const { from, to, availability } of spans(story).flatMap((span) =>
          without(span, open),
        )) {
          const overlap = outages.reduce(
            (sum, [begin, end]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, begin)),
            0,
          )
          if (availability === 'up' && overlap > 0)
            yield `monitor ${story.id} counts ${overlap} ms of an outage as up, from ${iso(from)}`
          if (availability === 'down' && overlap < to - from)
            yield `monitor ${story.id} counts ${to - from - overlap} ms without an incident as down, from ${iso(from)}`
        }
      }
    },
  ),

  invariant(
    'Time in which nobody looked for more than two intervals counts as neither up nor down.',
    function* (ledger) {
      if (ledger.all('jump').length > 0) return
      for (const story of ledger.monitors.values()) {
        if (story.push) continue
        const counted = spans(story).filter(({ availability }) => /up|down/.test(availability))
        for (const [from, to] of gapsOf(story)) {
          for (const span of counted) {
            const overlap = Math.min(span.to, to) - Math.max(span.from, from)
            if (overlap > 0)
              yield `monitor ${story.id} counts ${overlap} ms as ${span.availability}, from ${iso(from)}, when nobody looked`
          }
        }
      }
    },
  ),
]

const changes = new WeakMap<MonitorStory, readonly AvailabilityChange[]>()

function changesOf(story: MonitorStory): readonly AvailabilityChange[] {
  const known = changes.get(story)
  if (known !== undefined) return known
  const made: AvailabilityChange[] = []
  for (const { change } of story.steps)
    for (const entry of change.availability ?? []) made.push({ ...entry, monitor_id: story.id })
  changes.set(story, made)
  return made
}

interface Span {
  readonly from: number
  readonly to: number
  readonly availability: AvailabilityChange['availability']
}

function spans(story: MonitorStory): Span[] {
  const changes = changesOf(story)
  const last = story.steps.at(-1)?.change.at ?? 0
  return changes
    .map(({ at, availability }, i) => ({
      from: at,
      to: changes[i + 1]?.at ?? Math.max(at, last),
      availability,
    }))
    .filter(({ from, to }) => to > from)
}

type Times = readonly (readonly [from: number, to: number])[]

/** From the first round of a row to the last one, where a gap lies between them. */
function datedOver(story: MonitorStory, incidents: readonly IncidentStory[]): Times {
  const gaps = [...blindTimesOf(story)]
  const rows = incidents.flatMap(({ opened, closed }) => {
    const { started_at, detected_at } = opened.change.open_incident!
    const ended_at = closed?.change.update_incident?.ended_at
    const row = [[started_at, detected_at] as const]
    return ended_at === undefined ? row : [...row, [ended_at, closed!.change.at] as const]
  })
  return rows.filter(([from, to]) => gaps.some((gap) => gap[0] <= to && gap[1] >= from))
}

function without(span: Span, times: Times): Span[] {
  let left = [span]
  for (const [from, to] of times) {
    left = left.flatMap((part) =>
      [
        { ...part, to: Math.min(part.to, from) },
        { ...part, from: Math.max(part.from, to) },
      ].filter((piece) => piece.to > piece.from),
    )
  }
  return left
}

type Rows = readonly Step[]

const rows = new WeakMap<MonitorStory, readonly Rows[]>()

/** Rounds of a monitor without a break by a pause, a change of what is checked, or planned work. */
function rowsOf(story: MonitorStory): readonly Rows[] {
  const known = rows.get(story) ?? [...readRows(story)]
  rows.set(story, known)
  return known
}

function* readRows({ steps }: MonitorStory): Iterable<Rows> {
  let row: Step[] = []
  let since = -Infinity
  for (const step of steps) {
    const { change, before, after } = step
    const isRound = (change.results?.length ?? 0) > 0
    // One that began before the break and is stored behind it is of neither row.
    if (isRound) row.push(...(change.at < since ? [] : [step]))
    else if (before.machine.state !== after.machine.state || change.forget_locations === true) {
      yield row
      row = []
      since = change.at
    }
  }
  yield row
}

/** From when the next look was due until there was one, wherever that took more than two intervals. */
function* gapsOf(story: MonitorStory): Iterable<readonly [from: number, to: number]> {
  // A process that stood still may store an earlier round after a later one.
  let latest = -Infinity
  for (const row of rowsOf(story)) {
    for (const [i, { change, before }] of row.entries()) {
      const last = i === 0 ? Infinity : latest
      const interval_ms = before.common.interval_sec * SECOND
      if (change.at - last > 2 * interval_ms) yield [last + interval_ms, change.at]
      latest = Math.max(latest, change.at)
    }
  }
}

/** From a round to the next one that decided something, where nobody looked or could see for long. */
function* blindTimesOf(story: MonitorStory): Iterable<readonly [from: number, to: number]> {
  yield* gapsOf(story)
  for (const row of rowsOf(story)) {
    let undecided = 0
    let last: number | undefined
    for (const { change } of row) {
      if (change.results!.every(({ verdict }) => verdict === 'ok')) undecided = 0
      else if (!change.results!.some(({ verdict }) => verdict === 'unknown')) undecided = 0
      else undecided++
      if (undecided === 0) last = change.at
      else if (undecided > PATIENCE && last !== undefined) yield [last, change.at]
    }
  }
}

function iso(at: number): string {
  return new Date(at).toISOString()
}
