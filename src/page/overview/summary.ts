/**
 * The states of all monitors in one sentence, and a second one for the details.
 *
 * @module
 */

import type { MonitorSummary } from '../../engine/api/views.ts'
import { MONITOR_STATES } from '../../model.ts'
import type { EpochMs } from '../../model.ts'
import { icon } from '../layout/icons.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import { counted, isUnseen, relative, STALE_WORDS, STATE_WORDS } from '../layout/words.ts'

interface Counted {
  readonly all: readonly MonitorSummary[]
  /** There are more monitors than these. */
  readonly cut: boolean
}

/** Maximum number of down monitors named in the second sentence. */
const NAMED = 3

function isUp(monitor: MonitorSummary): boolean {
  return monitor.status === 'up' && !isUnseen(monitor)
}

export function leadOf({ all, cut }: Counted): string {
  const down = all.filter(({ status }) => status === 'down').length
  const up = all.filter(isUp).length
  const total = `${cut ? 'the first ' : ''}${counted(all.length, 'monitor')}`
  if (down > 0) return `${down} of ${total} ${down === 1 ? 'is' : 'are'} down`
  if (up < all.length) return `${up} of ${total} ${up === 1 ? 'is' : 'are'} up`
  return all.length === 1 ? 'The monitor is up' : `All ${total} are up`
}

export function summary({ all, cut }: Counted, now: EpochMs): Markup {
  const down = all.filter(({ status }) => status === 'down')
  const up = all.filter(isUp)
  const newest = all.reduce(
    (last, { last_check_at: at }) => (at !== null && at > last ? at : last),
    '',
  )
  const parts: readonly Content[] = [
    down.length > 0 && namesOf(down),
    down.length > 0 && up.length > 0 && `${up.length} up`,
    ...others(all),
    newest === '' ? 'nothing checked yet' : html`last check ${relative(newest, now)}`,
  ].filter((part) => part !== false)
  return html`${sign(down.length, { up: up.length, unseen: all.filter(isUnseen).length })}
    <p>
      <strong>${leadOf({ all, cut })}</strong><br />
      <span class="muted">${parts.map((part, at) => [at > 0 && ' · ', part])}</span>
    </p>`
}

function sign(down: number, { up, unseen }: { up: number; unseen: number }): Markup {
  if (down > 0) return icon('cross', 'bad')
  if (unseen > 0) return icon('dash', 'warn')
  return up > 0 ? icon('check', 'good') : icon('dots', 'quiet')
}

function namesOf(down: readonly MonitorSummary[]): Content {
  const named = down.slice(0, NAMED).map(({ name }, at) => [at > 0 && ', ', foreign(name)])
  return [named, down.length > NAMED && ` and ${down.length - NAMED} more`]
}

/** The monitors that are neither up nor down, by state. */
function others(all: readonly MonitorSummary[]): readonly string[] {
  const rest = all.filter((each) => !isUnseen(each))
  const unseen = all.length - rest.length
  const byState = MONITOR_STATES.flatMap((state) => {
    const count = rest.filter(
      (each) => each.state === state && each.status !== 'up' && each.status !== 'down',
    ).length
    return count === 0 ? [] : [`${count} ${STATE_WORDS[state].label.toLowerCase()}`]
  })
  return unseen === 0 ? byState : [`${unseen} ${STALE_WORDS.label.toLowerCase()}`, ...byState]
}
