/**
 * The parents of imported monitors (`depends_on`).
 *
 * @module
 */

/** Parents are in the export, and none depends on itself, directly or indirectly. */
export function parentProblems(
  parents: ReadonlyMap<number, readonly number[]>,
): Readonly<Record<string, string>> {
  const waiting = new Map<number, number>()
  const children = new Map<number, number[]>()
  for (const [id, own] of parents) {
    const unknown = own.find((parent) => !parents.has(parent))
    if (unknown !== undefined)
      return {
        [`monitor ${id}, depends_on`]: `invalid: there is no monitor ${unknown} in the export`,
      }
    waiting.set(id, own.length)
    for (const parent of own) {
      const known = children.get(parent)
      if (known === undefined) children.set(parent, [id])
      else known.push(id)
    }
  }
  const settled = [...waiting].filter(([, count]) => count === 0).map(([id]) => id)
  // Grows while it is walked: a monitor is settled after its parents.
  for (const id of settled)
    for (const child of children.get(id) ?? []) {
      const left = (waiting.get(child) ?? 0) - 1
      waiting.set(child, left)
      if (left === 0) settled.push(child)
    }
  const inCircle = [...waiting].find(([, count]) => count > 0)
  if (inCircle === undefined) return {}
  return { [`monitor ${inCircle[0]}, depends_on`]: 'invalid: it depends on itself' }
}
