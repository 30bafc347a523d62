import { describe, expect, it } from 'vitest'
import { initialState } from '../../src/incident/state.ts'
import { transition } from '../../src/incident/transition.ts'
import type { Effect, MachineEvent, Policy } from '../../src/incident/transition.ts'
import type { MachineState, MonitorState } from '../../src/model.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

const cause = (cause_code = 'connect_refused') => ({ cause_code, cause_text: 'It is refused' })

type Word =
  | 'ok'
  | 'late'
  | 'fail'
  | 'other failure'
  | 'unknown'
  | 'pause'
  | 'resume'
  | 'reconfigure'
  | 'remove'
  | 'maintenance'
  | 'maintenance ends'

function eventOf(word: Word, at: number): MachineEvent {
  switch (word) {
    case 'ok':
    case 'late':
      return { kind: 'round', verdict: word, at }
    case 'unknown':
      return { kind: 'round', verdict: 'inconclusive', at }
    case 'fail':
    case 'other failure':
      return {
        kind: 'round',
        verdict: 'fail',
        at,
        cause: cause(word === 'fail' ? 'connect_refused' : 'http_status'),
        locations_failed: [1],
      }
    case 'maintenance':
      return { kind: 'maintenance_start', at }
    case 'maintenance ends':
      return { kind: 'maintenance_end', at }
    case 'pause':
    case 'resume':
    case 'reconfigure':
    case 'remove':
      return { kind: word, at }
  }
}

/** Plays the words a minute apart; effects are those of the last one. */
function play(words: string, policy: Partial<Policy> = {}) {
  let state: MachineState = initialState(START)
  let effects: readonly Effect[] = []
  let at = START
  for (const word of words.split(' → ')) {
    at += MINUTE
    const step = transition(state, eventOf(word as Word, at), {
      fail_threshold: 2,
      recover_threshold: 1,
      gap_ms: 2 * MINUTE,
      ...policy,
    })
    // The store gives an opened incident its id.
    state =
      step.state.incident?.id === 0
        ? { ...step.state, incident: { ...step.state.incident, id: 7 } }
        : step.state
    effects = step.effects
  }
  return { state, effects, at }
}

const said = (effects: readonly Effect[]) =>
  effects
    .filter(({ kind }) => kind !== 'availability')
    .map((effect) => (effect.kind === 'close_incident' ? `close: ${effect.reason}` : effect.kind))
    .join(', ')

describe('the table of transitions', () => {
  // what happens, with fail_threshold 2 and recover_threshold 1         state           what the last event sets off
  const rows: readonly [
    story: string,
    state: MonitorState,
    last: string,
    policy?: Partial<Policy>,
  ][] = [
    ['ok', 'up', ''],
    ['unknown', 'pending', ''],
    ['fail', 'confirming', ''],
    ['fail', 'down', 'open_incident', { fail_threshold: 1 }],
    ['ok → fail', 'confirming', ''],
    ['ok → fail', 'down', 'open_incident', { fail_threshold: 1 }],
    ['ok → fail → fail', 'down', 'open_incident'],
    ['ok → fail → ok', 'up', ''],
    ['ok → fail → unknown', 'confirming', ''],
    ['ok → fail → unknown → fail', 'down', 'open_incident'],
    ['ok → fail → ok → fail', 'confirming', ''],
    ['fail → fail → fail', 'down', ''],
    ['fail → fail → unknown', 'down', ''],
    ['fail → fail → other failure', 'down', 'cause_changed'],
    ['fail → fail → ok', 'up', 'close: recovered'],
    ['fail → fail → ok', 'recovering', '', { recover_threshold: 2 }],
    ['fail → fail → ok → ok', 'up', 'close: recovered', { recover_threshold: 2 }],
    ['fail → fail → ok → fail', 'down', '', { recover_threshold: 2 }],
    ['fail → fail → ok → fail → ok', 'recovering', '', { recover_threshold: 2 }],
    ['ok → late', 'late', ''],
    ['ok → late → ok', 'up', ''],
    ['ok → late → fail', 'down', 'open_incident', { fail_threshold: 1 }],
    ['ok → pause', 'paused', ''],
    ['fail → fail → pause', 'paused', 'close: paused'],
    ['ok → pause → pause', 'paused', ''],
    ['ok → pause → ok', 'paused', ''],
    ['ok → pause → fail', 'paused', ''],
    ['ok → pause → resume', 'pending', ''],
    ['ok → resume', 'up', ''],
    ['fail → pause → resume → fail', 'confirming', ''],
    ['ok → reconfigure', 'pending', ''],
    ['fail → fail → reconfigure', 'pending', 'close: reconfigured'],
    ['ok → pause → reconfigure', 'paused', ''],
    ['fail → fail → remove', 'pending', 'close: deleted'],
    ['ok → maintenance', 'maintenance', ''],
    ['ok → maintenance → fail', 'maintenance', ''],
    ['ok → maintenance → maintenance ends', 'pending', ''],
    ['fail → fail → maintenance', 'maintenance', ''],
    ['fail → fail → maintenance → maintenance ends → ok', 'up', 'close: recovered'],
    ['fail → fail → maintenance → maintenance ends → fail', 'down', ''],
    ['ok → pause → maintenance', 'paused', ''],
    ['ok → maintenance ends', 'up', ''],
    ['ok → pause → maintenance ends', 'paused', ''],
  ]

  it.each(rows)('%s: %s', (story, state, last, policy) => {
    const end = play(story, policy)
    expect(end.state.state).toBe(state)
    expect(said(end.effects)).toBe(last)
  })
})

describe('the time since when a state holds', () => {
  it.each([
    ['ok → ok', 1],
    ['ok → fail → ok', 3],
    ['fail → fail → fail', 2],
    ['ok → late → late', 2],
    ['ok → pause → pause', 2],
    ['ok → pause → ok', 2],
    ['ok → maintenance → maintenance', 2],
    ['ok → maintenance → fail', 2],
    ['ok → maintenance → maintenance ends', 3],
    ['ok → reconfigure', 2],
  ])('%s: minute %i', (story, minute) => {
    expect(play(story).state.since).toBe(START + minute * MINUTE)
  })
})

describe('times', () => {
  it('availability changes only when it does', () => {
    expect(play('ok').effects).toEqual([
      { kind: 'availability', at: START + MINUTE, availability: 'up' },
    ])
    expect(play('ok → ok').effects).toEqual([])
    expect(play('fail → fail → fail').effects).toEqual([])
    expect(play('ok → pause').effects).toEqual([
      { kind: 'availability', at: START + 2 * MINUTE, availability: 'paused' },
    ])
  })

  it('a signal that is late ends a time that counted as unknown', () => {
    const story = 'ok → late → unknown → unknown → unknown → unknown → late'
    expect(play(story).effects).toEqual([
      { kind: 'availability', at: START + 7 * MINUTE, availability: 'up' },
    ])
  })

  it('a first signal that is late leaves a monitor pending', () => {
    expect(play('late').state.state).toBe('pending')
    expect(play('fail → late').state.state).toBe('confirming')
  })

  it('time between rounds is known up to the gap, and without limit for push types', () => {
    const up = play('ok').state
    const after = (minutes: number, gap_ms: number | null) =>
      transition(
        up,
        { kind: 'round', verdict: 'ok', at: START + (1 + minutes) * MINUTE },
        { fail_threshold: 1, recover_threshold: 1, gap_ms },
      ).effects
    expect(after(2, 2 * MINUTE)).toEqual([])
    expect(after(9999, null)).toEqual([])
  })

  it('a first round may date its failure back to when the monitor was created', () => {
    const event: MachineEvent = {
      kind: 'round',
      verdict: 'fail',
      at: START + 9 * MINUTE,
      since: START + 4 * MINUTE,
      cause: cause(),
      locations_failed: [1],
    }
    const { effects } = transition(initialState(START), event, {
      fail_threshold: 1,
      recover_threshold: 1,
      gap_ms: 2 * MINUTE,
    })
    expect(effects).toContainEqual({
      kind: 'availability',
      at: START + 4 * MINUTE,
      availability: 'down',
    })
  })

  it('an incident starts at the first failing round and ends at the first good one', () => {
    const opened = play('ok → fail → fail → fail', { fail_threshold: 3 }).effects.find(
      ({ kind }) => kind === 'open_incident',
    )
    expect(opened).toMatchObject({
      started_at: START + 2 * MINUTE,
      detected_at: START + 4 * MINUTE,
    })
    const closed = play('fail → fail → ok → ok', { recover_threshold: 2 }).effects.find(
      ({ kind }) => kind === 'close_incident',
    )
    expect(closed).toMatchObject({ id: 7, ended_at: START + 3 * MINUTE })
  })

  it('downtime is dated back with the incident', () => {
    const { effects } = play('ok → fail → fail')
    expect(effects).toContainEqual({
      kind: 'availability',
      at: START + 2 * MINUTE,
      availability: 'down',
    })
  })

  it('a missed deadline dates the incident, not the moment it was noticed', () => {
    const up = play('ok', { fail_threshold: 1 }).state
    const event: MachineEvent = {
      kind: 'round',
      verdict: 'fail',
      at: START + 9 * MINUTE,
      since: START + 4 * MINUTE,
      cause: cause('heartbeat_missed'),
      locations_failed: [1],
    }
    const { effects } = transition(up, event, {
      fail_threshold: 1,
      recover_threshold: 1,
      gap_ms: null,
    })
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: 'open_incident', started_at: START + 4 * MINUTE }),
    )
  })

  it('time in which nobody looked is unknown', () => {
    const up = play('ok').state
    const at = START + 31 * MINUTE
    const { effects } = transition(
      up,
      { kind: 'round', verdict: 'ok', at },
      { fail_threshold: 1, recover_threshold: 1, gap_ms: 2 * MINUTE },
    )
    expect(effects).toEqual([
      { kind: 'availability', at: START + 2 * MINUTE, availability: 'unknown' },
      { kind: 'availability', at, availability: 'up' },
    ])
  })

  it.each([
    ['of ten minutes', 2, 10, 'down', 1],
    ['of more', 2, 11, 'confirming', 12],
    ['of ten intervals', 60, 300, 'down', 1],
    ['of more than ten intervals', 60, 301, 'confirming', 302],
  ] as const)('failures before and after an absence %s', (_, gap, minutes, state, from) => {
    const policy = { fail_threshold: 2, recover_threshold: 1, gap_ms: gap * MINUTE }
    const before = transition(initialState(START), eventOf('fail', START + MINUTE), policy).state
    const at = START + (1 + minutes) * MINUTE
    const after = transition(before, eventOf('fail', at), policy)
    expect(after.state.state).toBe(state)
    expect(said(after.effects)).toBe(state === 'down' ? 'open_incident' : '')
    const next = transition(after.state, eventOf('fail', at + MINUTE), policy)
    const opened = [...after.effects, ...next.effects].find(({ kind }) => kind === 'open_incident')
    expect(opened).toMatchObject({ started_at: START + from * MINUTE })
    expect(transition(before, eventOf('unknown', at), policy).state).toMatchObject(
      state === 'down' ? { state: 'confirming', fails: 1 } : { state: 'pending', fails: 0 },
    )
    expect(transition(before, eventOf('ok', at), policy).state).toMatchObject({ state: 'up' })
  })

  it.each(['ok', 'fail → fail', 'fail → fail → ok'])(
    '%s is as before after an absence',
    (words) => {
      const { state } = play(words)
      const policy = { fail_threshold: 2, recover_threshold: 3, gap_ms: 2 * MINUTE }
      const later = transition(state, eventOf('unknown', START + 1000 * MINUTE), policy).state
      const { state: name, fails, first_fail_at, incident } = state
      expect(later).toMatchObject({ state: name, fails, first_fail_at, incident })
    },
  )

  it('an incident outlasts an absence, and what is not watched in rounds has none', () => {
    const down = play('fail → fail').state
    const later = { ...eventOf('fail', START + 1000 * MINUTE) }
    const policy = { fail_threshold: 2, recover_threshold: 1 }
    expect(transition(down, later, { ...policy, gap_ms: 2 * MINUTE }).state.state).toBe('down')
    const confirming = play('fail').state
    expect(transition(confirming, later, { ...policy, gap_ms: null }).state.state).toBe('down')
  })

  it('after more than three undecided rounds the time counts as unknown until one is decided', () => {
    expect(play('ok → unknown → unknown → unknown').effects).toEqual([])
    const fourth = play('ok → unknown → unknown → unknown → unknown')
    expect(fourth.state.state).toBe('up')
    expect(fourth.effects).toEqual([
      { kind: 'availability', at: START + 5 * MINUTE, availability: 'unknown' },
    ])
    const after = play('ok → unknown → unknown → unknown → unknown → ok')
    expect(after.effects).toEqual([
      { kind: 'availability', at: START + 6 * MINUTE, availability: 'up' },
    ])
  })

  it('availability goes on forward where the clock was set back before a blind time', () => {
    const policy = { fail_threshold: 1, recover_threshold: 1, gap_ms: 2 * MINUTE }
    let state = initialState(START)
    const times: number[] = []
    const DAY = 1440 * MINUTE
    const words = ['ok', 'unknown', 'unknown', 'unknown', 'unknown', 'fail', 'ok'] as const
    words.forEach((word, i) => {
      const at = START + i * MINUTE - (i > 0 ? DAY : 0)
      const step = transition(state, eventOf(word, at), policy)
      state = step.state
      for (const effect of step.effects) if (effect.kind === 'availability') times.push(effect.at)
    })
    expect(times.length).toBeGreaterThan(2)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })
})

describe('what a round says of its locations', () => {
  const policy = { fail_threshold: 2, recover_threshold: 1, gap_ms: null }
  const round = (facts: object) =>
    ({ kind: 'round', verdict: 'ok', at: START + MINUTE, ...facts }) as MachineEvent
  const after = (facts: object, before = initialState(START)) =>
    transition(before, round(facts), policy).state

  it('is kept while a location is silent, and gone with the next round in which none is', () => {
    const silent = after({ silent: { 2: 1 } })
    expect(silent.silent).toEqual({ 2: 1 })
    expect(silent).not.toHaveProperty('reduced_quorum')
    const reduced = after({ silent: { 2: 4 }, reduced: true }, silent)
    expect(reduced).toMatchObject({ silent: { 2: 4 }, reduced_quorum: true })
    expect(after({ silent: {}, reduced: true }, reduced)).not.toHaveProperty('silent')
    expect(after({ silent: {}, reduced: true }, reduced)).not.toHaveProperty('reduced_quorum')
    expect(after({}, reduced)).not.toHaveProperty('silent')
  })

  it.each(['pause', 'reconfigure', 'maintenance'] as const)('is forgotten with: %s', (word) => {
    const reduced = after({ silent: { 2: 4 }, reduced: true })
    const { state } = transition(
      { ...reduced, recent: '0101' },
      eventOf(word, START + 2 * MINUTE),
      policy,
    )
    expect(Object.keys(state)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/silent|reduced_quorum|recent/)]),
    )
  })

  it('dates the last check by its last check that began, else by the round before', () => {
    expect(after({})).not.toHaveProperty('last_check_ended_at')
    expect(after({ last_check_ended_at: START + 5 }).last_check_ended_at).toBe(START + 5)
    const looked = after({ last_check_ended_at: START + 5 })
    expect(after({ last_check_ended_at: null }, looked).last_check_ended_at).toBe(START + 5)
    // Stored before this was noted.
    expect(after({ last_check_ended_at: null }, after({})).last_check_ended_at).toBe(START + MINUTE)
    expect(after({ last_check_ended_at: null }).last_check_ended_at).toBe(START)
  })
})
