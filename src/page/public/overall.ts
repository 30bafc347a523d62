/**
 * The words for one service, and a sentence for all of them, computed from every state, so that "all" is only said if
 * it applies to all.
 *
 * @module
 */

import type { MonitorState } from '../../model.ts'
import type { icon } from '../layout/icons.ts'
import { isUnseen, STALE_WORDS } from '../layout/words.ts'
import type { Shown, Tone } from '../layout/words.ts'

export interface ServiceWords {
  readonly label: string
  readonly tone: Tone
  readonly shape: Parameters<typeof icon>[0]
}

export interface Overall extends ServiceWords {
  /** The services that the label leaves out: `1 in maintenance, 2 not monitored`. Empty if there are none. */
  readonly rest: string
}

const OPERATIONAL: ServiceWords = { label: 'Operational', tone: 'good', shape: 'check' }
const DISRUPTED: ServiceWords = { label: 'Disrupted', tone: 'bad', shape: 'cross' }
const UNSEEN: ServiceWords = { label: STALE_WORDS.label, tone: 'warn', shape: 'dash' }

/** A failure that is not confirmed is not shown to customers. */
const OF_STATE: Readonly<Record<MonitorState, ServiceWords>> = {
  up: OPERATIONAL,
  confirming: OPERATIONAL,
  late: OPERATIONAL,
  down: DISRUPTED,
  recovering: DISRUPTED,
  maintenance: { label: 'Maintenance', tone: 'quiet', shape: 'tool' },
  pending: { label: 'No data yet', tone: 'quiet', shape: 'dots' },
  paused: { label: 'Not monitored', tone: 'quiet', shape: 'bars' },
}

/** A stale service is not shown as operational. */
export function serviceWords(service: Shown): ServiceWords {
  return isUnseen(service) ? UNSEEN : OF_STATE[service.state]
}

/** Services that are neither operational nor disrupted: how they are counted, and the sentence if all are so. */
const QUIET = [
  { ...OF_STATE.maintenance, counted: 'in maintenance', all: 'Planned work is under way' },
  { ...OF_STATE.paused, counted: 'not monitored', all: 'Nothing is monitored at present' },
  { ...OF_STATE.pending, counted: 'without data yet', all: 'There is no data yet' },
] as const

export function overall(services: readonly Shown[]): Overall {
  const words = services.map(serviceWords)
  const count = (label: string): number => words.filter((each) => each.label === label).length
  const quiet = QUIET.filter(({ label }) => count(label) > 0)
  const rest = quiet.map(({ label, counted }) => `${count(label)} ${counted}`).join(', ')
  const one = services.length === 1
  const [bad, unseen, good] = [DISRUPTED, UNSEEN, OPERATIONAL].map(({ label }) => count(label))
  if (bad !== undefined && bad > 0) {
    const who = whose(bad, services.length)
    return { ...DISRUPTED, label: `${who} ${one ? 'is' : 'are'} disrupted`, rest }
  }
  if (unseen !== undefined && unseen > 0) {
    const who = whose(unseen, services.length)
    return { ...UNSEEN, label: `${who} could not be checked lately`, rest }
  }
  if (quiet.length === 0 && services.length > 0)
    return {
      ...OPERATIONAL,
      label: `${one ? 'The service is' : 'All services are'} operational`,
      rest,
    }
  const [first = QUIET[2], ...others] = quiet
  if (good === 0 || good === undefined) {
    const label = others.length === 0 ? first.all : 'No service is known to be operational'
    return { label, tone: 'quiet', shape: first.shape, rest: others.length === 0 ? '' : rest }
  }
  const label = `${good} of ${services.length} services ${good === 1 ? 'is' : 'are'} operational`
  return { label, tone: 'quiet', shape: first.shape, rest }
}

function whose(count: number, all: number): string {
  if (all === 1) return 'The service'
  return count === all ? 'Services' : 'Some services'
}
