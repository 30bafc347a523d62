/**
 * Counters and histograms in memory, one series per set of label values. Label values come from small sets (types,
 * locations, outcomes), so that the number of series is bounded.
 *
 * @module
 */

import { head, sample } from './text.ts'
import type { Labels } from './text.ts'

export interface Description {
  readonly name: string
  readonly help: string
  /** No labels: its only series exists from the start, since a rate needs an initial zero. */
  readonly plain?: true
}

export interface Counter {
  add(labels: Labels, by?: number): void
}

export interface Histogram {
  observe(labels: Labels, value: number): void
}

/** `buckets` are ascending upper bounds; `+Inf` is added. */
export interface HistogramDescription extends Description {
  readonly buckets: readonly number[]
}

/** Makes instruments: those of the text format, or others that count the same. */
export interface Instruments<C extends Counter = Counter, H extends Histogram = Histogram> {
  counter(description: Description): C
  histogram(description: HistogramDescription): H
}

export interface Printed {
  text(): string
}

export const textInstruments: Instruments<Counter & Printed, Histogram & Printed> = {
  counter: createCounter,
  histogram: createHistogram,
}

function createCounter({ name, help, plain }: Description): Counter & Printed {
  const series = new Map<string, { readonly labels: Labels; value: number }>()
  const of = (labels: Labels) => at(series, labels, () => ({ labels, value: 0 }))
  if (plain === true) of({})
  return {
    add(labels, by = 1) {
      of(labels).value += by
    },
    text: () =>
      head(name, 'counter', help) +
      [...series.values()].map(({ labels, value }) => sample(name, labels, value)).join(''),
  }
}

interface Distribution {
  readonly labels: Labels
  /** Per bucket; accumulated on output. */
  readonly counts: number[]
  sum: number
}

function createHistogram({
  name,
  help,
  plain,
  buckets,
}: HistogramDescription): Histogram & Printed {
  const series = new Map<string, Distribution>()
  const of = (labels: Labels): Distribution =>
    at(series, labels, () => ({
      labels,
      counts: new Array<number>(buckets.length + 1).fill(0),
      sum: 0,
    }))
  if (plain === true) of({})

  function textOf({ labels, counts, sum }: Distribution): string {
    let total = 0
    const lines = counts.map((count, index) => {
      total += count
      const le = String(buckets[index] ?? '+Inf')
      return sample(`${name}_bucket`, { ...labels, le }, total)
    })
    return [
      ...lines,
      sample(`${name}_sum`, labels, sum),
      sample(`${name}_count`, labels, total),
    ].join('')
  }

  return {
    observe(labels, value) {
      const found = of(labels)
      const bound = buckets.findIndex((le) => value <= le)
      const index = bound === -1 ? buckets.length : bound
      found.counts[index] = (found.counts[index] ?? 0) + 1
      found.sum += value
    },
    text: () => head(name, 'histogram', help) + [...series.values()].map(textOf).join(''),
  }
}

function at<S>(series: Map<string, S>, labels: Labels, make: () => S): S {
  const key = Object.values(labels).join('\u0000')
  const known = series.get(key)
  if (known !== undefined) return known
  const made = make()
  series.set(key, made)
  return made
}
