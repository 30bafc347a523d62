import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { initialState } from '../../src/incident/state.ts'
import { transition } from '../../src/incident/transition.ts'
import type { Effect, MachineEvent, Policy } from '../../src/incident/transition.ts'
import { secondsBetween, secondsOfDays, uptimePercent } from '../../src/incident/uptime.ts'
import type { AvailabilityChange, MachineState } from '../../src/model.ts'
import { DAY_MS } from '../../src/model/time.ts'

const START = Date.UTC(2026, 0, 1)

const happening = fc.record({
  after_ms: fc.integer({ min: 1, max: 600_000 }),
  kind: fc.constantFrom(
    'ok',
    'ok',
    'fail',
    'fail',
    'warned',
    'warned',
    'unclear',
    'inconclusive',
    'late',
    'pause',
    'resume',
    'reconfigure',
    'maintenance_start',
    'maintenance_end',
  ),
  since_ms: fc.integer({ min: 0, max: 300_000 }),
  code: fc.constantFrom('connect_refused', 'http_status'),
})

const policies = fc.record({
  fail_threshold: fc.integer({ min: 1, max: 4 }),
  recover_threshold: fc.integer({ min: 1, max: 4 }),
  gap_ms: fc.option(fc.integer({ min: 60_000, max: 900_000 }), { nil: null }),
})

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

function eventOf({ kind, since_ms, code }: Happening, at: number): MachineEvent {
  if (kind === 'ok' || kind === 'late' || kind === 'inconclusive')
    return { kind: 'round', verdict: kind, at }
  if (kind === 'warned') {
    const warned = { cause_code: 'warn_above', cause_text: code }
    return { kind: 'round', verdict: 'ok', at, warned }
  }
  if (kind === 'unclear') return { kind: 'round', verdict: 'ok', at, warned: 'unclear' }
  if (kind !== 'fail') return { kind, at }
  return {
    kind: 'round',
    verdict: 'fail',
    at,
    since: at - since_ms,
    cause: { cause_code: code, cause_text: '' },
    locations_failed: [1],
  }
}

interface Step {
  readonly at: number
  readonly before: MachineState
  readonly after: MachineState
  readonly effects: readonly Effect[]
}

/** A whole life of a monitor, the store's numbering of incidents included. */
function live(happenings: readonly Happening[], policy: Policy): Step[] {
  const steps: Step[] = []
  let state = initialState(START)
  let at = START
  let ids = 0
  for (const each of happenings) {
    at += each.after_ms
    const { state: next, effects } = transition(state, eventOf(each, at), policy)
    const after =
      next.incident?.id === 0 ? { ...next, incident: { ...next.incident, id: ++ids } } : next
    steps.push({ at, before: state, after, effects })
    state = after
  }
  return steps
}

const lives = fc.tuple(fc.array(happening, { maxLength: 60 }), policies)
const check = (property: (steps: readonly Step[]) => void) =>
  fc.assert(
    fc.property(lives, ([happenings, policy]) => property(live(happenings, policy))),
    { numRuns: 2000 },
  )

const count = (effects: readonly Effect[], kind: Effect['kind']) =>
  effects.filter((effect) => effect.kind === kind).length

describe('whatever happens', () => {
  it('a monitor never has two open incidents, and closes only the one it has', () => {
    check((steps) => {
      for (const { before, after, effects } of steps) {
        expect(count(effects, 'open_incident')).toBeLessThanOrEqual(
          before.incident === null ? 1 : 0,
        )
        for (const effect of effects) {
          if (effect.kind === 'close_incident') expect(effect.id).toBe(before.incident?.id)
        }
        if (before.incident !== null && after.incident === null)
          expect(count(effects, 'close_incident')).toBe(1)
      }
    })
  })

  it('an incident is open in the states down and recovering, and only maintenance may keep one otherwise', () => {
    check((steps) => {
      for (const { after } of steps) {
        if (after.state === 'down' || after.state === 'recovering')
          expect(after.incident).not.toBeNull()
        if (
          after.state === 'up' ||
          after.state === 'late' ||
          after.state === 'confirming' ||
          after.state === 'paused'
        ) {
          expect(after.incident).toBeNull()
        }
      }
    })
  })

  it('an incident never ends before it starts, nor starts in the future', () => {
    check((steps) => {
      for (const { at, before, effects } of steps) {
        for (const effect of effects) {
          if (effect.kind === 'open_incident') expect(effect.started_at).toBeLessThanOrEqual(at)
          if (effect.kind === 'close_incident')
            expect(effect.ended_at).toBeGreaterThanOrEqual(before.incident?.started_at ?? Infinity)
        }
      }
    })
  })

  it('changes of availability come in order of time, and the seconds of every day add up', () => {
    check((steps) => {
      const changes: AvailabilityChange[] = []
      for (const { at, after, effects } of steps) {
        for (const effect of effects) {
          if (effect.kind !== 'availability') continue
          expect(effect.at).toBeGreaterThanOrEqual(changes.at(-1)?.at ?? START)
          expect(effect.at).toBeLessThanOrEqual(at)
          changes.push({ monitor_id: 1, at: effect.at, availability: effect.availability })
        }
        expect(after.availability).toBe(changes.at(-1)?.availability ?? 'unknown')
      }
      const seconds = secondsBetween(changes, START, START + DAY_MS)
      const { degraded, ...parts } = seconds
      expect(Object.values(parts).reduce((sum, n) => sum + n, 0)).toBe(86_400)
      expect(degraded).toBeLessThanOrEqual(parts.up)
      const begins = [-1, 0, 1].map((day) => START + day * DAY_MS)
      expect(secondsOfDays(changes, begins, START + 1.5 * DAY_MS)).toEqual(
        [...begins, START + 1.5 * DAY_MS]
          .slice(1)
          .map((end, day) => secondsBetween(changes, begins[day] ?? 0, end)),
      )
      const percent = uptimePercent(seconds)
      if (seconds.down > 0 && percent !== null) expect(percent).toBeLessThan(100)
    })
  })

  it('degraded and restored take turns, and a monitor that is degraded is up', () => {
    check((steps) => {
      for (const { at, before, after, effects } of steps) {
        const told = effects.filter(({ kind }) => kind === 'degraded' || kind === 'restored')
        const [was, is] = [before.degraded !== undefined, after.degraded !== undefined]
        expect(told.map(({ kind }) => kind)).toEqual(
          was === is ? [] : [is ? 'degraded' : 'restored'],
        )
        if (is) expect(['up', 'late', 'confirming']).toContain(after.state)
        if (is) expect(after.degraded?.since).toBeLessThanOrEqual(at)
        if (after.availability === 'degraded') expect(is).toBe(true)
        for (const effect of effects)
          if (effect.kind === 'restored')
            expect(effect.ended_at).toBeGreaterThanOrEqual(effect.degraded.since)
      }
    })
  })

  it('nothing but the time degraded differs from the same life without thresholds', () => {
    // A deadline that was missed is never before the last round.
    const inOrder = (each: Happening): Happening => ({
      ...each,
      since_ms: Math.min(each.since_ms, each.after_ms),
    })
    const plain = ({ kind, ...rest }: Happening): Happening => ({
      ...rest,
      kind: kind === 'warned' || kind === 'unclear' ? 'ok' : kind,
    })
    const told = (steps: readonly Step[]) =>
      steps.flatMap(({ at, effects }) => {
        const changes = effects.filter(({ kind }) => kind === 'availability')
        return changes.length === 0 ? [] : [{ monitor_id: 1, at, changes }]
      })
    const secondsOf = (steps: readonly Step[]) => {
      const changes = told(steps).flatMap(({ changes }) =>
        changes.flatMap((each) =>
          each.kind === 'availability' ? [{ ...each, monitor_id: 1 }] : [],
        ),
      )
      return { ...secondsBetween(changes, START, START + DAY_MS), degraded: 0 }
    }
    const statesOf = (steps: readonly Step[]) => steps.map(({ after }) => after.state)
    fc.assert(
      fc.property(lives, ([happenings, policy]) => {
        const ordered = happenings.map(inOrder)
        const [warned, without] = [live(ordered, policy), live(ordered.map(plain), policy)]
        expect(statesOf(warned)).toEqual(statesOf(without))
        expect(secondsOf(warned)).toEqual(secondsOf(without))
      }),
      { numRuns: 2000 },
    )
  })

  it('the same life twice gives the same story', () => {
    fc.assert(
      fc.property(lives, ([happenings, policy]) => {
        expect(live(happenings, policy)).toEqual(live(happenings, policy))
      }),
    )
  })
})
