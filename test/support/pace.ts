/**
 * How fast this processor is just now, beside the one for which the bounds of tests are written.
 *
 * One machine takes three times as long as another for the same, and itself twice as long in one second as in the
 * next. A bound in milliseconds would judge the machine; in the same run, beside some work that is always the same,
 * it judges the code.
 *
 * @module
 */

/** The least that `portion` takes where the bounds were written. There it takes up to 2.4 times as long at times. */
const REFERENCE_MS = 0.75

/** Long enough for a clock that moves every 4 ms, and short beside what is measured. */
const PORTIONS = 24
/** Until the portions are compiled: what comes first takes longer than the others. */
const WARMING = 100

const ROWS = JSON.stringify(
  Array.from({ length: 400 }, (_, id) => {
    return { id, name: `monitor ${id}`, tags: ['a', 'b'], settings: { host: 'a.test', port: id } }
  }),
)

let warm = false
/** Nothing is computed in vain: a compiler would leave that out. */
let length = 0

/**
 * How many times as long as on the reference machine this one takes for the same: at least 1, since a fast machine
 * makes no bound narrower.
 */
export function slowness(processorMs: () => number): number {
  for (let n = 0; !warm && n < WARMING; n++) portion()
  warm = true
  const from = processorMs()
  for (let n = 0; n < PORTIONS; n++) portion()
  return Math.max(1, (processorMs() - from) / PORTIONS / REFERENCE_MS)
}

/** What an engine does most: it reads rows, puts them in order, makes objects of them and writes them. */
function portion(): void {
  const rows = JSON.parse(ROWS) as { id: number; name: string; settings: { port: number } }[]
  rows.sort((a, b) => b.id - a.id)
  const byName = new Map(rows.map((row) => [row.name, { ...row, port: row.settings.port }]))
  length = JSON.stringify([...byName.values()]).length
  if (length === 0) throw new Error('A portion without work')
}
