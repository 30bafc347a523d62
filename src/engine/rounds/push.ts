/**
 * Monitors that are fed by signals: a signal is folded into the memo and judged at once; silence is
 * judged when its deadline passes. Both happen inside a change of the monitor, so that a signal and a
 * deadline at the same moment cannot overtake each other.
 *
 * @module
 */

import type { Signal, Terms } from '../../checkers/checker.ts'
import { NotFoundError } from '../../errors.ts'
import type { CheckReport, EpochMs, Json, MonitorState } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import type { CheckOrder } from '../../probes/transport.ts'
import type { SignalInput } from '../api/engine.ts'
import { complain } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { hostOf } from '../../net/host-of.ts'
import { interpret } from './plan-change.ts'
import { effective } from '../registry/registry.ts'
import { roundEvent } from './round-event.ts'
import type { Concluded } from './rounds.ts'
import type { Entry, Roster } from '../monitors/monitor-cache.ts'
import { slidingLog } from './sliding-log.ts'
import { hashOf } from '../core/tokens.ts'

/** Signals of one monitor in a minute; more are answered and not recorded. */
const SIGNALS = { limit: 60, window_ms: 60_000 }

export interface SignalAnswer {
  readonly state: MonitorState
  readonly next_expected_at: string | null
  readonly ignored?: 'rate_limited'
}

export interface PassiveMonitors {
  /** @throws NotFoundError for an unknown token */
  signal(token: string, input: SignalInput): Promise<SignalAnswer>
  /** Judges the silence of a monitor whose deadline has passed. */
  judge(entry: Entry): Promise<Concluded | null>
  /** A job of which a deadline passed while the engine was away has its period and grace anew. */
  forgiveOutage(alive_at: EpochMs): Promise<void>
  /** The wall clock was set: every deadline moves with it. */
  clockSet(by_ms: number): void
}

export interface PassiveOptions {
  readonly core: Core
  readonly roster: Roster
  readonly run: (order: CheckOrder, signal: AbortSignal) => Promise<CheckReport>
  readonly onConcluded: (concluded: Concluded | null) => void
}

export function createPassiveMonitors({
  core,
  roster,
  run,
  onConcluded,
}: PassiveOptions): PassiveMonitors {
  const { clock } = core
  /** Forgets by itself who is silent, so also a monitor that was removed. */
  const recent = slidingLog(clock)

  async function judged(
    entry: Entry,
    memo: Json | undefined,
    at: EpochMs,
  ): Promise<{ change: Change | null; fresh: Concluded['fresh'] }> {
    const location_id = locationOf(entry)
    const report = await run(
      orderFor(core, entry, { memo, at, location_id }),
      new AbortController().signal,
    )
    const reported = {
      location_id,
      report: { ...(memo === undefined ? {} : { memo }), ...report },
      lag_ms: 0,
    }
    const event = roundEvent(entry, [reported], at)
    const interpreted = await interpret({ core, roster }, entry, {
      event,
      round: at,
      reports: [reported],
      notices: report.notices ?? [],
    })
    return { change: interpreted?.change ?? null, fresh: interpreted?.fresh ?? [] }
  }

  async function conclude(
    id: number,
    work: (entry: Entry) => Promise<{ change: Change | null; fresh: Concluded['fresh'] }>,
  ): Promise<Concluded | null> {
    let fresh: Concluded['fresh'] = []
    const changed = await roster.change(id, async (entry) => {
      const result = await work(entry)
      fresh = result.fresh
      return result.change
    })
    return changed === null ? null : { changed, fresh }
  }

  return {
    async signal(token, input) {
      const found = await roster.byTokenHash(hashOf(token))
      const { passive } = found.type.checker
      if (passive === undefined) throw new NotFoundError('monitor')
      const { id } = found.record
      if (!recent.take(String(id), SIGNALS).allowed)
        return { ...answerOf(found), ignored: 'rate_limited' }
      const concluded = await conclude(id, (entry) => {
        const at = clock.now()
        const memo = passive.receive(
          memoOf(entry),
          { ...input, at } satisfies Signal,
          termsOf(entry),
        )
        const quiet = input.kind === 'log' || entry.record.machine.state === 'paused'
        return quiet
          ? Promise.resolve({ change: remembering(entry, memo, at), fresh: [] })
          : judged(entry, memo, at)
      })
      onConcluded(concluded)
      return answerOf(concluded?.changed.after ?? found)
    },

    judge: ({ record }) =>
      conclude(record.id, (entry) => {
        const { version, machine } = entry.record
        if (version !== record.version || machine.state === 'paused')
          return Promise.resolve({ change: null, fresh: [] })
        // On the memo as it is now: a signal that came just before its deadline was judged counts.
        return judged(entry, memoOf(entry), clock.now())
      }),

    async forgiveOutage(alive_at) {
      for (const { record } of [...roster.entries()]) {
        await roster.change(record.id, (entry) => forgiven(entry, alive_at, clock.now()))
      }
    },

    clockSet(by_ms) {
      // All are begun at once: a deadline that seems to have passed is judged behind its change.
      for (const { record, type } of [...roster.entries()]) {
        if (type.checker.passive === undefined) continue
        conclude(record.id, (entry) =>
          Promise.resolve({ change: moved(entry, by_ms, clock.now()), fresh: [] }),
        ).then(onConcluded, (err: unknown) =>
          complain(core, err, 'a deadline could not follow the clock'),
        )
      }
    },
  }
}

/** What a passive checker judges by. */
export function termsOf(entry: Entry): Terms<never> {
  const { interval_sec, fail_threshold } = entry.record.common
  return {
    settings: entry.settings as never,
    period_ms: interval_sec * 1000,
    missed_limit: fail_threshold,
  }
}

/** The memo with a new period, for a monitor that comes back from a pause. */
export function rearmed(entry: Entry, at: EpochMs): Partial<Change> {
  const memo = entry.type.checker.passive?.rearm(
    memoOf(entry),
    { at, reason: 'resumed' },
    termsOf(entry),
  )
  return memo === undefined ? {} : { locations: [stateWith(entry, memo)] }
}

function forgiven(entry: Entry, alive_at: EpochMs, now: EpochMs): Change | null {
  const { passive } = entry.type.checker
  const { machine, id, revision } = entry.record
  const memo = memoOf(entry)
  if (passive === undefined || memo === undefined || machine.state === 'paused') return null
  const due = passive.dueAt(memo, alive_at, termsOf(entry))
  if (due === null || due > now) return null
  const rearmedMemo = passive.rearm(memo, { at: now, reason: 'outage' }, termsOf(entry))
  if (rearmedMemo === undefined) return null
  const from = Math.max(alive_at, machine.since, machine.known_since)
  const gap =
    machine.availability === 'unknown' || from >= now
      ? []
      : [
          { at: from, availability: 'unknown' as const },
          { at: now, availability: machine.availability },
        ]
  return {
    monitor_id: id,
    revision,
    at: now,
    locations: [stateWith(entry, rearmedMemo)],
    availability: gap,
    machine: { ...machine, known_since: Math.max(machine.known_since, now) },
  }
}

function moved(entry: Entry, by_ms: number, at: EpochMs): Change | null {
  const { machine } = entry.record
  const memo = entry.type.checker.passive?.rearm(
    memoOf(entry),
    { at, reason: 'clock_set', by_ms },
    termsOf(entry),
  )
  if (memo === undefined) return null
  const last_round_at = machine.last_round_at === null ? null : machine.last_round_at + by_ms
  return { ...remembering(entry, memo, at), machine: { ...machine, last_round_at } }
}

function remembering(entry: Entry, memo: Json, at: EpochMs): Change {
  return {
    monitor_id: entry.record.id,
    revision: entry.record.revision,
    at,
    locations: [stateWith(entry, memo)],
  }
}

function stateWith(entry: Entry, memo: Json) {
  const location_id = locationOf(entry)
  const state = entry.locations.get(location_id)
  return {
    monitor_id: entry.record.id,
    location_id,
    last: state?.last ?? null,
    consecutive_fails: state?.consecutive_fails ?? 0,
    memo,
  }
}

export function memoOf(entry: Entry): Json | undefined {
  const memo = entry.locations.get(locationOf(entry))?.memo ?? undefined
  return memo ?? entry.type.checker.passive?.begin?.(entry.record.created_at)
}

function locationOf(entry: Entry): number {
  return effective(entry.type, entry.record.common).location_ids[0] ?? 0
}

function answerOf(entry: Entry): SignalAnswer {
  const expected = entry.locations.get(locationOf(entry))?.last?.details.next_expected_at
  return {
    state: entry.record.machine.state,
    next_expected_at: typeof expected === 'string' ? expected : null,
  }
}

function orderFor(
  core: Core,
  { record, settings }: Entry,
  {
    memo,
    at,
    location_id,
  }: { readonly memo: Json | undefined; readonly at: EpochMs; readonly location_id: number },
): CheckOrder {
  const location = core.locations.find(({ id }) => id === location_id) ?? {
    id: location_id,
    name: 'local',
  }
  return {
    id: `${record.id}-${record.version}-${at}-${location_id}`,
    account_id: record.account_id,
    monitor_id: record.id,
    version: record.version,
    type: record.type,
    settings,
    timeout_ms: record.common.timeout_ms,
    interval_sec: record.common.interval_sec,
    missed_limit: record.common.fail_threshold,
    location,
    round: at,
    expires_at: at + record.common.timeout_ms,
    memo: memo ?? null,
    host: hostOf(record.target),
  }
}
