/** Whether memory grows with the number of requests: the heap after a full collection, now and then. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface HeapMeter {
  look(): void
  /** Median of the last third of the looks, less that of the second third: the first one warms up. */
  growth_mb(): number
  report(): string
}

export function heapMeter(): HeapMeter {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const seen: number[] = []
  let skip = 0
  let every = 1

  const third = (which: 1 | 2): number => {
    const length = Math.floor(seen.length / 3)
    const part = seen.slice(which * length, (which + 1) * length).sort((a, b) => a - b)
    return part[Math.floor(part.length / 2)] ?? 0
  }
  const growth_mb = (): number => third(2) - third(1)

  return {
    look() {
      if (skip-- > 0) return
      collect()
      seen.push(process.memoryUsage().heapUsed / 2 ** 20)
      // A collection takes as long as a hundred requests: seldom in a long run.
      if (seen.length % 20 === 0) every *= 2
      skip = every - 1
    },
    growth_mb,
    report: () =>
      `heap ${Math.round(seen[0] ?? 0)} MiB at first, ${Math.round(third(1))} in the middle, ${Math.round(third(2))} at the end`,
  }
}
