/**
 * Sorts monitors for creation, parents first.
 *
 * @module
 */

import { addProblem, problemAt } from '../fields/problems.ts'
import type { Problems, ReadEntry } from './reading.ts'

/** Entries sorted after their parents. Unknown parents and cycles are problems. */
export function parentsFirst(
  entries: readonly ReadEntry[],
  problems: Problems,
): readonly ReadEntry[] {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]))
  const ordered = new Set<ReadEntry>()
  const onTheWay = new Set<ReadEntry>()

  function visit(entry: ReadEntry): void {
    if (ordered.has(entry)) return
    onTheWay.add(entry)
    entry.depends_on.forEach((key, index) => {
      const note = (problem: string): void =>
        addProblem(problems, `${entry.key}.depends_on`, problemAt([index], problem))
      const parent = byKey.get(key)
      if (parent === undefined) note(`invalid: the list has no ${JSON.stringify(key)}`)
      else if (onTheWay.has(parent)) note(`invalid: ${key} depends on this one`)
      else visit(parent)
    })
    onTheWay.delete(entry)
    ordered.add(entry)
  }

  for (const entry of entries) visit(entry)
  return [...ordered]
}
