/** How many checks a second an engine makes on time at most: up by a quarter, then halved towards the edge. */

import type { Borne } from './bear.ts'

/** Start lateness up to which a rate holds, in ms; 99 of 100 checks. */
const LATE_MS = 1000
/** A check that was not made has no lateness: so many of those wanted have to be there. */
const MADE = 0.98
const STEP = 1.25
const HALVINGS = 2

export interface Rung {
  readonly per_second: number
  readonly holds: boolean
}

/** Tries rates until the highest that holds is known to within a sixteenth; 0 where none does. */
export async function highestRate(
  first: number,
  bearAt: (per_second: number) => Promise<Borne>,
  onRung: (rung: Rung, borne: Borne) => void,
): Promise<number> {
  const holds = async (per_second: number): Promise<boolean> => {
    const borne = await bearAt(per_second)
    const rung = { per_second, holds: isBorne(borne, per_second) }
    onRung(rung, borne)
    return rung.holds
  }
  let low = first
  let high = Math.round(first * STEP)
  if (await holds(first)) while (await holds(high)) [low, high] = [high, Math.round(high * STEP)]
  else {
    do [low, high] = [Math.floor(low / STEP), low]
    while (low > 0 && !(await holds(low)))
  }
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = Math.round((low + high) / 2)
    if (await holds(middle)) low = middle
    else high = middle
  }
  return low
}

function isBorne({ per_second, p99_ms }: Borne, wanted: number): boolean {
  return per_second >= MADE * wanted && p99_ms < LATE_MS
}
