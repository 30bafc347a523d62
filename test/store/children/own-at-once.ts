/** A thread that takes ownership of each file at the same moment as others, and counts itself as its owner. */

import { workerData } from 'node:worker_threads'
import { takeOwnership } from '../../../src/store/sqlite/owner.ts'

interface Start {
  readonly files: readonly string[]
  readonly threads: number
  /** Of each file, how many threads have come to it, and how many own it. */
  readonly counts: SharedArrayBuffer
}

const { files, threads, counts } = workerData as Start
const [arrived, owners] = [0, 1].map(
  (part) => new Int32Array(counts, part * files.length * 4, files.length),
) as [Int32Array, Int32Array]
files.forEach((file, at) => {
  Atomics.add(arrived, at, 1)
  // Not `Atomics.wait`, after which they begin one after the other.
  while (Atomics.load(arrived, at) < threads);
  try {
    takeOwnership(file, 'native')
    Atomics.add(owners, at, 1)
  } catch {
    // Another has it.
  }
})
