/**
 * A page of the results of a monitor. The details of each may be 64 KiB of JSON: a page ends where their total
 * exceeds a limit.
 *
 * @module
 */

import { stepsOf } from '../../clock.ts'
import type { ResultRecord } from '../../model.ts'
import type { ResultQuery } from '../../store/store.ts'
import type { Core } from '../core/core.ts'

/** Results per query; most have a few hundred characters of details. */
const READ_AT_ONCE = 32
/** Maximum characters of details of one page, unless its first result alone exceeds it. */
const PAGE_CHARS = 1024 * 1024

interface Listed {
  readonly records: readonly ResultRecord[]
  /** The id after which the next page starts. */
  readonly next: number | null
}

export async function listedResults(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  query: ResultQuery,
): Promise<Listed> {
  const records: ResultRecord[] = []
  const ended = (more: boolean): Listed => ({
    records,
    next: more ? (records.at(-1)?.id ?? null) : null,
  })
  const others = stepsOf(clock)
  let chars = 0
  for (let rest = query; ;) {
    // One more than the page, to know whether it is the last.
    const limit = Math.min(READ_AT_ONCE, query.limit + 1 - records.length)
    const step = await store.results.list({ ...rest, limit })
    for (const record of step) {
      chars += JSON.stringify(record.details).length
      if (records.length === query.limit) return ended(true)
      if (records.length > 0 && chars > PAGE_CHARS) return ended(true)
      records.push(record)
    }
    const last = step.at(-1)
    if (last === undefined || step.length < limit) return ended(false)
    await others()
    rest = { ...query, after_id: last.id }
  }
}
