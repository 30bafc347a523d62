/** Rounds: that they are made, that there are not too many, and that what they say is what was seen. */
import type { CommonSettings } from '../../../src/model.ts'
import { between } from '../ledger.ts'
import type { Ledger, MonitorStory } from '../ledger.ts'
import type { EntryOf } from '../tape.ts'
import { MINUTE, SECOND } from '../time.ts'
import { invariant, when } from './invariant.ts'

export const ROUND_INVARIANTS = [
  invariant(
    'What is stored of a round is what its own locations saw in it, of the monitor as it was then.',
    function* ({ monitors, entries }) {
      const seen = new Map<number, Map<number, EntryOf<'look'>[]>>()
      for (const entry of entries) {
        if (entry.kind === 'look') {
          const ofMonitor = seen.get(entry.monitor_id) ?? new Map<number, EntryOf<'look'>[]>()
          seen.set(entry.monitor_id, ofMonitor)
          const looks = ofMonitor.get(placeOf(entry))
          if (looks === undefined) ofMonitor.set(placeOf(entry), [entry])
          else looks.push(entry)
        }
        if (entry.kind !== 'commit' || !entry.answer.ok) continue
        const { monitor_id, results = [] } = entry.change
        const story = monitors.get(monitor_id)
        if (story === undefined || story.push) continue
        const { version } = entry.answer
        for (const result of results) {
          const { location_id, round, verdict } = result
          if (verdict === 'unknown') continue
          const looks = seen.get(monitor_id)?.get(placeOf(result)) ?? []
          if (looks.some((look) => look.version === version && look.verdict === verdict)) continue
          const verdicts = looks.filter((look) => look.version === version)
          yield `monitor ${monitor_id}, version ${version}, round ${round}, location ${location_id}: stored is ${verdict}, seen ${verdicts.map((look) => look.verdict).join() || 'nothing'}`
        }
      }
    },
  ),

  invariant('No round is stored twice by one process.', function* (ledger) {
    for (const story of ledger.monitors.values()) {
      if (story.push) continue
      const stored = new Map<number, Map<number, number>>()
      for (const step of story.steps) {
        const ofLife = stored.get(step.life) ?? new Map<number, number>()
        stored.set(step.life, ofLife)
        for (const result of step.change.results ?? []) {
          const times = (ofLife.get(placeOf(result)) ?? 0) + 1
          ofLife.set(placeOf(result), times)
          if (times === 1) continue
          // The same time comes twice where the clock was set back. Of the second round the engine cannot tell whether a
          // commit without an answer took effect: the last round of the monitor has its time already.
          const orders = ordersOf(ledger, story, step.life, result)
          if (orders === 1 || times > orders + 1)
            yield `monitor ${story.id}: round ${result.round} was stored again at ${when(step)}`
        }
      }
    }
  }),

  invariant(
    'While a process runs, a monitor that is on is never left alone for longer than two intervals.',
    function* (ledger) {
      const begun = roundsBegun(ledger)
      for (const story of ledger.monitors.values()) {
        if (story.push) continue
        for (const { life, from, to } of timesOn(ledger, story)) {
          const { interval_ms, timeout_ms } = longest(story, from, to)
          const rounds = between(begun.get(keyOf(life, story.id)) ?? [], from, to)
          let last = from
          for (const { at } of [...rounds, { at: to }]) {
            const jumped = between(ledger.all('jump'), last, at).length
            const limit = (2 + jumped) * interval_ms + timeout_ms + 20 * SECOND
            if (at - last > limit)
              yield `monitor ${story.id} (every ${interval_ms / 1000} s) was left alone for ${(at - last) / 1000} s until ${when({ at })}`
            last = at
          }
        }
      }
    },
  ),

  invariant(
    'One of several engines begins no round of its own accord once its lease has ended.',
    function* (ledger) {
      if (ledger.plan.machines === 1) return
      const related = relatives(ledger)
      const leases = new Map<number, number>()
      for (const entry of ledger.entries) {
        if (entry.kind === 'lease') leases.set(entry.life, entry.until)
        if (entry.kind !== 'order' || related.has(entry.monitor_id)) continue
        const { life, monitor_id, at, wall } = entry
        const until = leases.get(life) ?? 0
        if (wall < until) continue
        const asked = between(ledger.all('asked'), at - MINUTE, at)
        if (asked.some(({ id }) => id === monitor_id)) continue
        if (between(ledger.all('jump'), at - MINUTE, at).length > 0) continue
        yield `monitor ${monitor_id} was checked by process ${life} at ${when(entry)}, ${(wall - until) / 1000} s after its lease`
      }
    },
  ),

  invariant(
    'There is no burst: beyond the grid come only rounds that confirm a failure, that somebody asked for, one after each jump of the clock and each start, and looks at a parent or child.',
    function* (ledger) {
      const begun = roundsBegun(ledger)
      const related = relatives(ledger)
      for (const story of ledger.monitors.values()) {
        if (story.push || related.has(story.id)) continue
        for (const { life, from, to } of timesOn(ledger, story)) {
          const { interval_ms } = shortest(story, from, to)
          const count = between(begun.get(keyOf(life, story.id)) ?? [], from, to).length
          const [early, late] = [from - SECOND, to]
          const steps = between(story.steps, early, late)
          const extra =
            steps.filter((step) => step.after.machine.state === 'confirming').length +
            steps.filter((step) => step.change.results === undefined).length +
            between(ledger.all('asked'), early, late).filter(({ id }) => id === story.id).length +
            between(ledger.all('jump'), early, late).length
          const allowed = Math.floor((to - from) / interval_ms) + 2 + extra
          if (count > allowed)
            yield `monitor ${story.id} (every ${interval_ms / 1000} s) was checked ${count} times from ${when({ at: from })} to ${when({ at: to })}, ${allowed} are explained`
        }
      }
    },
  ),
]

interface Place {
  readonly round: number
  readonly location_id: number
}

/** A number of its own for each location of a round of one monitor: there are few locations. */
function placeOf({ round, location_id }: Place): number {
  return round * 16 + location_id
}

/** How often the process asked for this; once where that is not on the tape. */
function ordersOf(ledger: Ledger, { id }: MonitorStory, life: number, place: Place): number {
  const asked = ledger
    .all('order')
    .filter(
      (order) =>
        order.monitor_id === id && order.life === life && placeOf(order) === placeOf(place),
    )
  return Math.max(1, asked.length)
}

const roundsOf = new WeakMap<Ledger, Map<string, { readonly at: number }[]>>()

function keyOf(life: number | undefined, monitor_id: number): string {
  return `${life ?? 'any'} ${monitor_id}`
}

/** Times at which rounds of a monitor began in a process, or in any of several. */
function roundsBegun(ledger: Ledger): Map<string, { readonly at: number }[]> {
  const read = roundsOf.get(ledger)
  if (read !== undefined) return read
  const begun = new Map<string, { readonly at: number }[]>()
  const known = new Set<string>()
  for (const { life, monitor_id, round, at } of ledger.all('order')) {
    const round_key = `${life} ${monitor_id} ${round} ${at}`
    if (known.has(round_key)) continue
    known.add(round_key)
    const key = keyOf(ledger.plan.machines > 1 ? undefined : life, monitor_id)
    const times = begun.get(key)
    if (times === undefined) begun.set(key, [{ at }])
    else times.push({ at })
  }
  roundsOf.set(ledger, begun)
  return begun
}

interface TimeOn {
  readonly life: number | undefined
  readonly from: number
  readonly to: number
}

/** Times in which a process ran and the monitor was to be checked. */
function timesOn({ steady }: Ledger, { created, removed, steps }: MonitorStory): TimeOn[] {
  const breaks: (readonly [from: number, to: number])[] = []
  let offSince: number | undefined
  for (const { at, after } of steps) {
    const off = after.machine.state === 'paused' || after.machine.state === 'maintenance'
    if (off) offSince ??= at
    else if (offSince !== undefined) {
      breaks.push([offSince, at])
      offSince = undefined
    }
  }
  if (offSince !== undefined) breaks.push([offSince, Infinity])
  const end = removed?.at ?? Infinity
  const times: TimeOn[] = []
  for (const { life, from, to } of steady) {
    let begin = Math.max(from, created.at)
    const limit = Math.min(to, end)
    for (const [off, on] of breaks) {
      if (off >= limit) break
      if (off > begin) times.push({ life, from: begin, to: off })
      begin = Math.max(begin, on)
    }
    if (begin < limit) times.push({ life, from: begin, to: limit })
  }
  return times
}

/** Settings that held at any time between. */
function settingsBetween(story: MonitorStory, from: number, to: number): readonly CommonSettings[] {
  const changes = settingsOf(story)
  const first = changes.findLastIndex(({ at }) => at < from)
  const held = changes.slice(Math.max(0, first)).filter(({ at }) => at <= to)
  return first === -1
    ? [story.record.common, ...held.map(({ common }) => common)]
    : held.map(({ common }) => common)
}

const changesOf = new WeakMap<MonitorStory, { at: number; common: CommonSettings }[]>()

function settingsOf(story: MonitorStory): { at: number; common: CommonSettings }[] {
  const known = changesOf.get(story)
  if (known !== undefined) return known
  const changes = story.steps
    .filter(({ change }) => change.settings !== undefined)
    .map(({ at, after }) => ({ at, common: after.common }))
  changesOf.set(story, changes)
  return changes
}

function longest(story: MonitorStory, from: number, to: number) {
  const all = settingsBetween(story, from, to)
  return {
    interval_ms: Math.max(...all.map(({ interval_sec }) => interval_sec * SECOND)),
    timeout_ms: Math.max(...all.map(({ timeout_ms }) => timeout_ms)),
  }
}

function shortest(story: MonitorStory, from: number, to: number) {
  const all = settingsBetween(story, from, to)
  return { interval_ms: Math.min(...all.map(({ interval_sec }) => interval_sec * SECOND)) }
}

/** Monitors that ever had a parent or a child. */
function relatives({ monitors }: Ledger): Set<number> {
  const related = new Set<number>()
  for (const { id, record, steps } of monitors.values()) {
    for (const common of [record.common, ...steps.map(({ change }) => change.settings?.common)]) {
      const parents = common?.depends_on ?? []
      if (parents.length > 0) related.add(id)
      for (const parent of parents) related.add(parent)
    }
  }
  return related
}
