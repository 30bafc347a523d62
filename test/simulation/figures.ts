/** What happened in one history, or in many, in numbers. */
import type { Ledger } from './ledger.ts'

/** In the order in which they are printed. */
export const FIGURES = [
  'monitor_days',
  'rounds',
  'checks',
  'incidents',
  'notifications',
  'attempts',
  'kills',
  'restarts',
  'freezes',
  'store_failures',
  'jumps',
  'bad_posts',
  'actions',
  'floods',
  'rushes',
  'starved',
  'signals',
] as const

export type Figures = Readonly<Record<(typeof FIGURES)[number], number>>

export const NO_FIGURES = Object.fromEntries(FIGURES.map((name) => [name, 0])) as Figures

/** A monitor-day is one monitor through 24 hours of simulated time, whatever befalls it and its engine. */
export function figuresOf({ plan, all, incidents, rows, monitors }: Ledger): Figures {
  const steps = [...monitors.values()].flatMap((story) => story.steps)
  const troubles = all('trouble')
  return {
    monitor_days: plan.days * (plan.monitors + plan.heartbeats),
    rounds: steps.filter(({ change }) => (change.results?.length ?? 0) > 0).length,
    checks: all('look').length,
    incidents: incidents.size,
    notifications: rows.size,
    attempts: all('arrival').length,
    kills: all('dies').length - all('stops').length,
    restarts: all('stops').length,
    freezes: all('freezes').length,
    store_failures: troubles.filter(({ fate }) => fate === 'fail').length,
    jumps: all('jump').length,
    bad_posts: all('post').length,
    actions: all('asked').length,
    floods: all('flood').length,
    rushes: all('rush').length,
    starved: all('starved').filter(({ stale }) => stale).length,
    signals: all('signal').length,
  }
}

export function add(a: Figures, b: Figures): Figures {
  return Object.fromEntries(FIGURES.map((name) => [name, a[name] + b[name]])) as Figures
}
