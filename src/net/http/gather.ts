/**
 * Collects bytes up to a limit.
 *
 * @module
 */

export interface Gathering {
  /** `false` once the limit is exceeded. */
  add(chunk: Buffer): boolean
  /** Bytes that were added, including those beyond the limit. */
  size(): number
  result(): { readonly body: Buffer; readonly body_cut: boolean }
}

/** One growing buffer: a server that sends single bytes must not cost an object per byte. */
export function gather(limitBytes: number): Gathering {
  let held = Buffer.alloc(0)
  let used = 0
  let size = 0

  function keep(chunk: Buffer): void {
    const needed = used + chunk.length
    if (needed > held.length) {
      const grown = Buffer.allocUnsafe(Math.min(Math.max(needed, 2 * held.length), limitBytes))
      held.copy(grown, 0, 0, used)
      held = grown
    }
    chunk.copy(held, used)
    used = needed
  }

  return {
    add(chunk) {
      const room = limitBytes - size
      size += chunk.length
      if (room > 0) keep(chunk.length > room ? chunk.subarray(0, room) : chunk)
      return size <= limitBytes
    },
    size: () => size,
    result: () => ({ body: held.subarray(0, used), body_cut: size > limitBytes }),
  }
}
