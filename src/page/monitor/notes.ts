/**
 * Notes on a monitor's state: suppression, acknowledgement, planned maintenance. They are shown after the state in a
 * line that always exists, so that nothing moves when one comes or goes.
 *
 * @module
 */

import type { Frame } from '../layout/frame.ts'
import { foreign, html } from '../layout/markup.ts'
import type { Content, Markup } from '../layout/markup.ts'
import { relative } from '../layout/words.ts'
import type { MonitorFacts } from './monitor-facts.ts'

/** Maintenance windows further ahead are only shown in the settings. */
const SOON_MS = 24 * 60 * 60 * 1000

export function notes(facts: MonitorFacts, { now, base }: Frame): readonly Markup[] {
  return [
    facts.status.flapping &&
      tag('Flapping', 'It fails and recovers so often that this is not told each time'),
    plannedWork(facts, now),
    explained(facts, base),
    acknowledged(facts, now),
  ].filter((note) => note !== false)
}

/** The button for an open incident that is not acknowledged. */
export function acknowledgeButton({ open }: MonitorFacts, { base }: Frame): Markup | false {
  if (open === undefined || open.acknowledged_at !== null) return false
  return html`<form method="post" action="${base}/incidents/${open.id}/acknowledge">
    <button title="Somebody is on it: it is not repeated any more">Acknowledge</button>
  </form>`
}

function tag(content: Content, title: string): Markup {
  return html` <span class="tag" title="${title}">${content}</span>`
}

function plannedWork({ status }: MonitorFacts, now: number): Markup | false {
  const { maintenance_changes_at: at, state } = status
  if (at === null) return false
  if (state === 'maintenance')
    return tag(['Planned work ends ', relative(at, now)], 'Nobody is told until then')
  if (Date.parse(at) - now > SOON_MS) return false
  return tag(['Planned work begins ', relative(at, now)], 'Nobody is told meanwhile')
}

/** The open incident is suppressed because a parent is down. */
function explained({ open, parent }: MonitorFacts, base: string): Markup | false {
  if (open === undefined || open.suppressed_by === null) return false
  const shown =
    parent === undefined
      ? `Monitor ${open.suppressed_by}`
      : html`<a href="${base}/monitors/${parent.id}">${foreign(parent.name)}</a>`
  return tag(['Explained by ', shown], 'It depends on that one, so nobody is told of this')
}

function acknowledged({ open }: MonitorFacts, now: number): Markup | false {
  const at = open?.acknowledged_at ?? null
  return at !== null && tag(['Acknowledged ', relative(at, now)], 'It is not repeated any more')
}
