/**
 * The states of services in words for customers, each and all together.
 *
 * @module
 */

import type { MonitorState } from '../../model.ts'
import type { icon } from '../layout/icons.ts'
import type { Said } from '../layout/markup.ts'
import { isUnseen } from '../layout/words.ts'
import type { Shown, Tone } from '../layout/words.ts'

interface ServiceWords {
  /** As programs read it. */
  readonly code: string
  readonly label: Said
  readonly tone: Tone
  readonly shape: Parameters<typeof icon>[0]
}

export interface Overall extends Omit<ServiceWords, 'code'> {
  /** The services that the label leaves out: `1 in maintenance, 2 not monitored`. Empty if there are none. */
  readonly rest: Said
}

const OPERATIONAL: ServiceWords = {
  code: 'operational',
  label: ({ words }) => words.public.operational,
  tone: 'good',
  shape: 'check',
}
const DISRUPTED: ServiceWords = {
  code: 'disrupted',
  label: ({ words }) => words.public.disrupted,
  tone: 'bad',
  shape: 'cross',
}
/** It works as far as checks see, and people say that it does not. */
const AFFECTED: ServiceWords = {
  code: 'affected',
  label: ({ words }) => words.public.affected,
  tone: 'warn',
  shape: 'alert',
}
const UNSEEN: ServiceWords = {
  code: 'unknown',
  label: ({ words }) => words.public.unknown,
  tone: 'warn',
  shape: 'dash',
}

/** Services that are neither operational nor disrupted: how they are counted, and the sentence if all are so. */
interface QuietWords extends ServiceWords {
  readonly counted: (count: number) => Said
  readonly all: Said
}

const MAINTENANCE: QuietWords = {
  code: 'maintenance',
  label: ({ words }) => words.public.maintenance,
  tone: 'quiet',
  shape: 'tool',
  counted:
    (count) =>
    ({ words }) =>
      words.public.inMaintenance(count),
  all: ({ words }) => words.public.allInMaintenance,
}
const PAUSED: QuietWords = {
  code: 'not_monitored',
  label: ({ words }) => words.public.paused,
  tone: 'quiet',
  shape: 'bars',
  counted:
    (count) =>
    ({ words }) =>
      words.public.notMonitored(count),
  all: ({ words }) => words.public.noneMonitored,
}
const PENDING: QuietWords = {
  code: 'no_data_yet',
  label: ({ words }) => words.public.pending,
  tone: 'quiet',
  shape: 'dots',
  counted:
    (count) =>
    ({ words }) =>
      words.public.withoutData(count),
  all: ({ words }) => words.public.noDataYet,
}
const QUIET = [MAINTENANCE, PAUSED, PENDING] as const

/** A failure that is not confirmed is not shown to customers. */
const OF_STATE: Readonly<Record<MonitorState, ServiceWords>> = {
  up: OPERATIONAL,
  confirming: OPERATIONAL,
  late: OPERATIONAL,
  down: DISRUPTED,
  recovering: DISRUPTED,
  maintenance: MAINTENANCE,
  pending: PENDING,
  paused: PAUSED,
}

/** A stale service is not shown as operational. */
export function serviceWords(service: Shown & { readonly reported?: boolean }): ServiceWords {
  const words = isUnseen(service) ? UNSEEN : OF_STATE[service.state]
  return service.reported === true && words.tone === 'good' ? AFFECTED : words
}

/** A sentence for all services, computed from every state, so that "all" is only said if it applies to all. */
export function overall(services: readonly Shown[]): Overall {
  const states = services.map(serviceWords)
  const count = ({ code }: ServiceWords): number =>
    states.filter((each) => each.code === code).length
  const quiet = QUIET.filter((each) => count(each) > 0)
  const rest: Said = (language) =>
    quiet.map((each) => each.counted(count(each))(language)).join(', ')
  const all = services.length
  const [bad, unseen, good] = [count(DISRUPTED), count(UNSEEN), count(OPERATIONAL)]
  if (bad > 0)
    return { ...DISRUPTED, label: ({ words }) => words.public[`${whose(bad, all)}Disrupted`], rest }
  if (unseen > 0)
    return { ...UNSEEN, label: ({ words }) => words.public[`${whose(unseen, all)}Unseen`], rest }
  if (quiet.length === 0 && all > 0) {
    const label: Said = ({ words }) => words.public[all === 1 ? 'oneOperational' : 'allOperational']
    return { ...OPERATIONAL, label, rest }
  }
  const [{ shape, all: allSo } = PENDING, ...others] = quiet
  if (good > 0)
    return {
      tone: 'quiet',
      shape,
      label: ({ words }) => words.public.someOperational(good, all),
      rest,
    }
  if (others.length === 0) return { tone: 'quiet', shape, label: allSo, rest: () => '' }
  return { tone: 'quiet', shape, label: ({ words }) => words.public.noneKnown, rest }
}

function whose(count: number, all: number): 'one' | 'all' | 'some' {
  if (all === 1) return 'one'
  return count === all ? 'all' : 'some'
}
