/**
 * Selects the driver of a checker: one that the host supplies, or the package, loaded on first use.
 *
 * @module
 */

import type { CheckContext } from '../checker.ts'

/** A driver, or a function that returns one. */
export type DriverSource<D extends object> = D | (() => D | Promise<D>)

export async function driverFrom<D extends object>(
  ctx: CheckContext,
  source: DriverSource<D> | undefined,
  ours: readonly [name: string, importer: () => Promise<D>],
): Promise<D> {
  if (source === undefined) return ctx.load(...ours)
  return typeof source === 'function' ? source() : source
}
