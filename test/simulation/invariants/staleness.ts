/** What nobody looks at, and what is said of that. */
import { between, stateAt } from '../ledger.ts'
import type { Ledger, MonitorStory, Step } from '../ledger.ts'
import { lastUntil, lately, looksOf } from '../looks.ts'
import type { Looks } from '../looks.ts'
import { lastLapse, owns, takenUp } from '../owners.ts'
import { SECOND } from '../time.ts'
import type { EntryOf } from '../tape.ts'
import { invariant, when } from './invariant.ts'

/** For what is under way between the engine, its store and the tape. */
const SLACK = 20 * SECOND

/** Undecided rounds after which a monitor is stale, whoever looked. */
const UNDECIDED = 3

export const STALENESS_INVARIANTS = [
  invariant(
    'A monitor whose checks have not begun for two intervals is stale, and never shown as healthy.',
    function* (ledger) {
      for (const { shown, story, neglect } of watchedAt(ledger)) {
        if (neglect.ms <= neglect.limit) continue
        const place = `monitor ${story.id}, which nobody had looked at for ${neglect.ms / 1000} s at ${when(shown)}`
        if (!shown.stale.includes(story.id)) yield `${place}, was not stale`
        if (shown.healthy.includes(story.id)) yield `${place}, was shown as healthy`
      }
    },
  ),

  invariant(
    'Once it is so, and nobody has changed the monitor since, the event starved has told it.',
    function* (ledger) {
      const told = byMonitor(ledger.all('starved'))
      for (const { shown, story, neglect } of watchedAt(ledger)) {
        if (neglect.ms <= neglect.limit) continue
        const touched = lastTouch(ledger, story, shown)
        if (Math.min(neglect.ms, shown.at - touched) <= neglect.limit) continue
        const last = (told.get(story.id) ?? []).findLast(
          ({ life, n }) => life === shown.life && n < shown.n,
        )
        if (last?.stale !== true)
          yield `monitor ${story.id} was stale at ${when(shown)}, and nobody told`
      }
    },
  ),

  invariant(
    'A monitor is stale, and never shown as healthy, where for four intervals one process has run that could store none of its rounds.',
    function* (ledger) {
      const starts = ledger.entries.flatMap((entry) =>
        entry.kind === 'runs' || entry.kind === 'thaws' ? [entry] : [],
      )
      for (const { shown, story } of watchedAt(ledger)) {
        const { life, at } = shown
        const ran = starts.findLast((each) => each.life === life && each.at <= at)?.at ?? 0
        const stored = lastUntil(story.steps, at, (step) => step.at)?.at ?? story.created.at
        const taken = takenUp(ledger, story.id, shown)?.at ?? 0
        const since = Math.max(stored, taken, ran)
        const timeout_ms = stateAt(story, shown.n).common.timeout_ms
        const limit = 4 * interval(story, since, at, Math.max) + 2 * timeout_ms + SLACK
        if (at - since <= limit) continue
        const place = `monitor ${story.id}, of which nothing was stored for ${(at - since) / 1000} s at ${when(shown)}`
        if (!shown.stale.includes(story.id)) yield `${place}, was not stale`
        if (shown.healthy.includes(story.id)) yield `${place}, was shown as healthy`
      }
    },
  ),

  invariant('No other one is stale, nor told to be starved.', function* (ledger) {
    const looks = looksOf(ledger)
    for (const shown of ledger.all('shown'))
      for (const id of shown.stale) {
        const story = ledger.monitors.get(id)
        if (story === undefined || isUndecided(story, shown)) continue
        if (mayBeUnstored(ledger, story, shown)) continue
        if (isOff(story, shown) || wasSeen({ ledger, looks }, story, shown))
          yield `monitor ${id} was stale at ${when(shown)}`
      }
    for (const starved of ledger.all('starved')) {
      const story = ledger.monitors.get(starved.monitor_id)
      if (story === undefined) continue
      const wrong = starved.stale
        ? wasSeen({ ledger, looks }, story, starved)
        : !mayHaveBeenSeen(looks, story, starved)
      if (wrong)
        yield `monitor ${story.id} was told to be starved: ${starved.stale} at ${when(starved)}`
    }
  }),
]

type Shown = EntryOf<'shown'>
type Starved = EntryOf<'starved'>

interface Watching {
  readonly shown: Shown
  readonly story: MonitorStory
  /** For how long nobody has looked at least, and from when on it has to be said. */
  readonly neglect: { readonly ms: number; readonly limit: number }
}

const watched = new WeakMap<Ledger, readonly Watching[]>()

/** Every monitor that is on, at every time at which the engine was asked. */
function watchedAt(ledger: Ledger): readonly Watching[] {
  const found = watched.get(ledger) ?? [...watch(ledger)]
  watched.set(ledger, found)
  return found
}

function* watch(ledger: Ledger): Iterable<Watching> {
  const looks = looksOf(ledger)
  for (const shown of ledger.all('shown')) {
    for (const story of ledger.monitors.values()) {
      if (story.push || !isKnown(ledger, story, shown) || isOff(story, shown)) continue
      const since = lastLook(ledger, looks, story, shown)
      const limit = 2 * interval(story, since, shown.at, Math.max) + SLACK
      yield { shown, story, neglect: { ms: shown.at - since, limit } }
    }
  }
}

/** One engine knows all monitors, one of several knows its own. */
function isKnown({ plan }: Ledger, { id, created, removed }: MonitorStory, shown: Shown): boolean {
  if (plan.machines > 1) return shown.known.includes(id)
  return created.n < shown.n && (removed === undefined || removed.n > shown.n)
}

/** The last look of anybody, or what counts as one. */
function lastLook(ledger: Ledger, looks: Looks, story: MonitorStory, shown: Shown): number {
  const { life, at } = shown
  const seen = lastUntil(looks.get(story.id) ?? [], at, ({ from }) => from)?.latest ?? 0
  const step = lastUntil(freshSteps(story), at, (each) => each.at)
  // By a clock that was set, what is stored says little; a process that begins then, or that takes the monitor over,
  // looks for itself.
  const set = ledger.all('jump').some((jump) => jump.at <= at)
  const taken = set ? (takenUp(ledger, story.id, shown)?.at ?? 0) : 0
  const begun = set ? Math.max(beginOf(ledger, life), taken) : 0
  return Math.max(story.created.at, Math.min(seen, at), step?.at ?? 0, begun)
}

const fresh = new WeakMap<MonitorStory, readonly Step[]>()

/** Those that count as a look. */
function freshSteps(story: MonitorStory): readonly Step[] {
  const found = fresh.get(story) ?? story.steps.filter(isFresh)
  fresh.set(story, found)
  return found
}

function isFresh({ before, after, change }: Step): boolean {
  if (change.settings !== undefined || change.forget_locations === true) return true
  return before.machine.since !== after.machine.since
}

/** When the monitor was last taken up by this process, changed, or the process or the store stood still. */
function lastTouch(ledger: Ledger, story: MonitorStory, shown: Shown): number {
  const { life, at } = shown
  const step = story.steps.findLast((each) => each.at <= at && isChange(each))
  const asked = ledger.all('asked').findLast((each) => each.at <= at && each.id === story.id)
  const time = ledger.steady.findLast((each) => (each.life ?? life) === life && each.from <= at)
  const taken = takenUp(ledger, story.id, shown)
  return Math.max(time?.from ?? 0, step?.at ?? 0, asked?.at ?? 0, taken?.at ?? 0)
}

/** It was not a round alone. */
function isChange({ before, after, change }: Step): boolean {
  return change.results === undefined || before.machine.state !== after.machine.state
}

function beginOf(ledger: Ledger, life: number): number {
  return ledger.stretches.find((each) => each.life === life)?.from ?? 0
}

/**
 * Somebody looked from this process within two intervals, for certain, and no other may have had the monitor since. A
 * process that has it no more judges by what is stored, where a round under way is not yet.
 */
function wasSeen(
  { ledger, looks }: { readonly ledger: Ledger; readonly looks: Looks },
  story: MonitorStory,
  seen: Shown | Starved,
): boolean {
  const { at, n, life } = seen
  if (!owns(ledger, life, story.id, n)) return false
  const limit = 2 * interval(story, at - SLACK, at, Math.min)
  const recent = lately(looks, story, at - limit)
  const foreign = recent.filter((look) => look.life !== life && look.n < n).map((look) => look.n)
  const taken = takenUp(ledger, story.id, seen)?.n ?? 0
  const regained = Math.max(lastLapse(ledger, seen), taken, ...foreign)
  return recent.some(
    (look) =>
      look.isSure &&
      look.life === life &&
      look.n > regained &&
      look.n < n &&
      at - look.to < limit - SECOND,
  )
}

/** Somebody may look from this process at this moment. */
function mayHaveBeenSeen(looks: Looks, story: MonitorStory, { at, life }: Starved): boolean {
  return lately(looks, story, at).some(
    (look) => look.life === life && look.from <= at && look.to >= at,
  )
}

function isUndecided(story: MonitorStory, { n, at }: Shown): boolean {
  const before = stateAt(story, n).machine
  const steps = between(story.steps, at - SLACK, at)
  const all = [before, ...steps.flatMap((step) => [step.before.machine, step.after.machine])]
  return all.some(({ inconclusive }) => inconclusive > UNDECIDED)
}

/** No round was stored for an interval, since the store failed. */
function mayBeUnstored(ledger: Ledger, story: MonitorStory, { at }: Shown): boolean {
  const last = lastUntil(story.steps, at, (step) => step.at)?.at ?? story.created.at
  const until = at - interval(story, at - SLACK, at, Math.min)
  return between(ledger.all('trouble'), last, until).some(({ fate }) => fate === 'fail')
}

/** Nobody is to look. */
function isOff(story: MonitorStory, { n }: Shown): boolean {
  return ['paused', 'maintenance'].includes(stateAt(story, n).machine.state)
}

/** The longest or the shortest one of that time. */
function interval(story: MonitorStory, from: number, to: number, pick: typeof Math.max): number {
  const steps = between(story.steps, from, to).filter(({ change }) => change.settings !== undefined)
  const held = steps.flatMap(({ before, after }) => [before.common, after.common])
  const at = lastUntil(story.steps, to, (step) => step.at)?.after.common ?? story.record.common
  return pick(...[at, ...held].map(({ interval_sec }) => interval_sec * SECOND))
}

function byMonitor(entries: readonly Starved[]): ReadonlyMap<number, Starved[]> {
  const by = new Map<number, Starved[]>()
  for (const entry of entries) {
    const list = by.get(entry.monitor_id)
    if (list === undefined) by.set(entry.monitor_id, [entry])
    else list.push(entry)
  }
  return by
}
