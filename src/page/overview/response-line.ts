/**
 * A sparkline of the response times of ninety days: the median as a line, in a band up to the 95th percentile.
 *
 * @module
 */

import type { UptimeView } from '../../engine/api/views.ts'
import { html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { msText } from '../layout/words.ts'

const STEP = 2
const HEIGHT = 48

type Spot = readonly [x: number, p50: number, p95: number]

/** The scale ends here, relative to most days: a much slower day is cut, so that the others are not flat. */
const ROOM = 2

/** Nothing unless two consecutive days have data. */
export function responseLine({ days, p50_ms, p95_ms }: UptimeView, name: string): Markup | false {
  const slowest = Math.max(...days.map((day) => day.p95_ms ?? 0))
  const top = Math.min(slowest, ROOM * (p95_ms ?? slowest)) || 1
  const runs: Spot[][] = [[]]
  for (const [at, day] of days.entries()) {
    if (day.p50_ms === null || day.p95_ms === null) runs.push([])
    else runs.at(-1)?.push([at * STEP, height(day.p50_ms / top), height(day.p95_ms / top)])
  }
  const drawn = runs.filter((run) => run.length > 1)
  if (drawn.length === 0) return false
  const label = `${name}, response in ${days.length} days: median ${msText(p50_ms)}, 95 % below ${msText(p95_ms)}`
  return html`<svg
    class="line"
    viewBox="0 0 ${(days.length - 1) * STEP} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
  >
    <path class="band" d="${drawn.map(band).join('')}" />
    <path class="p50" d="${drawn.map((run) => path(run, 1)).join('')}" />
  </svg>`
}

function height(share: number): number {
  return Math.round((1 - Math.min(1, share)) * (HEIGHT - 2)) + 1
}

function path(run: readonly Spot[], of: 1 | 2): string {
  return `M${run.map((spot) => `${spot[0]} ${spot[of]}`).join(' ')}`
}

function band(run: readonly Spot[]): string {
  const back = [...run].reverse().map(([x, p50]) => ` ${x} ${p50}`)
  return `${path(run, 2)}${back.join('')}Z`
}
