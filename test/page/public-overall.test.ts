import { expect, it } from 'vitest'
import { MONITOR_STATES } from '../../src/model.ts'
import type { MonitorState } from '../../src/model.ts'
import { overall } from '../../src/page/public/service-states.ts'
import { ENGLISH } from '../../src/page/words/language.ts'

const shown = (states: readonly (MonitorState | 'stale')[]) =>
  states.map((state) =>
    state === 'stale' ? ({ state: 'up', stale: true } as const) : { state, stale: false },
  )

it.each<[string, readonly (MonitorState | 'stale')[], string, string]>([
  ['All services are operational', ['up', 'confirming', 'late'], '', 'good'],
  ['The service is operational', ['up'], '', 'good'],
  [
    '1 of 3 services is operational',
    ['up', 'maintenance', 'paused'],
    '1 in maintenance, 1 not monitored',
    'quiet',
  ],
  ['2 of 3 services are operational', ['up', 'pending', 'up'], '1 without data yet', 'quiet'],
  ['Planned work is under way', ['maintenance', 'maintenance'], '', 'quiet'],
  ['Nothing is monitored at present', ['paused'], '', 'quiet'],
  ['There is no data yet', ['pending'], '', 'quiet'],
  ['There is no data yet', [], '', 'quiet'],
  [
    'No service is known to be operational',
    ['paused', 'pending'],
    '1 not monitored, 1 without data yet',
    'quiet',
  ],
  [
    'Some services could not be checked recently',
    ['stale', 'up', 'maintenance'],
    '1 in maintenance',
    'warn',
  ],
  ['Some services are disrupted', ['recovering', 'up', 'stale'], '', 'bad'],
  ['Services are disrupted', ['down', 'down'], '', 'bad'],
  ['The service is disrupted', ['down'], '', 'bad'],
])('%s: %j', (label, states, rest, tone) => {
  const found = overall(shown(states))
  expect([found.label(ENGLISH), found.rest(ENGLISH), found.tone]).toEqual([label, rest, tone])
})

it('says "all" and "good" of no mixture with anything that is not operational', () => {
  const good = new Set(['up', 'confirming', 'late'])
  for (const state of [...MONITOR_STATES, 'stale'] as const) {
    const { label, tone } = overall(shown(['up', state]))
    expect([state, tone === 'good', label(ENGLISH).startsWith('All')]).toEqual([
      state,
      good.has(state),
      good.has(state),
    ])
  }
})
