/**
 * Stores an export in an account that has no monitors.
 *
 * Everything is validated first. What is stored then is paused and tagged until all of it is there: an import that
 * was interrupted continues where it ended when it is started again with the same export.
 *
 * @module
 */

import { ConfigurationError, ConflictError } from '../../errors.ts'
import { yielderOf } from '../../clock.ts'
import { DAY_MS } from '../../model/time.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { ImportOptions, ImportSource, ImportView } from '../api/transfer.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { examine } from './examine.ts'
import type { Examined } from './examine.ts'
import { finish } from './finish.ts'
import { readLines } from './read-lines.ts'
import type { NumberedLine } from './read-lines.ts'
import { IMPORTING, storeLines } from './store-lines.ts'

/** Accounts with an import under way in this engine. */
export type Importing = Set<number>

/** How long the engine keeps results and hourly totals. */
export interface Retained {
  readonly resultsDays: number
  readonly hourlyDays: number
}

interface Target {
  readonly context: ServiceContext
  readonly account_id: number
  readonly importing: Importing
  readonly retention: Retained
}

/** `storing`: some lines are stored. `stored`: all are, and monitors are being released. */
interface Progress {
  readonly export_id: string
  readonly stage: 'storing' | 'stored' | 'done'
}

export async function importAccount(
  target: Target,
  source: ImportSource,
  options: ImportOptions = {},
): Promise<ImportView> {
  checkOptions('import', options, OPTIONS)
  if (typeof source !== 'function')
    throw new ConfigurationError('import: a function that begins to read the export is expected')
  const { context, account_id, importing } = target
  await context.ready()
  if (importing.has(account_id))
    throw new ConflictError('import_running', 'An import into this account is under way')
  importing.add(account_id)
  try {
    return await execute(target, source, options)
  } finally {
    importing.delete(account_id)
  }
}

const OPTIONS = {
  key: option.eitherOf('32 bytes, or their base64,', option.text, option.bytes),
  dryRun: option.flag,
  locations: option.object,
  slugs: option.object,
  signal: option.anything,
  onProgress: option.callback,
} satisfies option.OptionTable<ImportOptions>

async function execute(
  { context, account_id, retention }: Target,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportView> {
  const { core } = context
  const { meta } = core.store
  const before = progressFrom(await meta.get(nameOf(account_id)))
  const resumes = (export_id: string): boolean =>
    before?.export_id === export_id && before.stage !== 'done'
  // Refused before the export is read, which may be long.
  if (before === undefined || before.stage === 'done') await requireEmpty(context, account_id)
  const results_after = core.clock.now() - retention.resultsDays * DAY_MS
  const hours_after = core.clock.now() - retention.hourlyDays * DAY_MS
  const examined = await examine(
    {
      core,
      account_id,
      options,
      results_after,
      resumes,
    },
    paced(context, readLines(source), { ...options, doing: 'validating' }),
  )
  const { export_id, at } = examined.reader
  const isResumed = resumes(export_id)
  if (!isResumed) await requireEmpty(context, account_id)
  if (options.dryRun === true) return viewOf(examined)
  const note = (stage: Progress['stage']): Promise<void> =>
    meta.set(nameOf(account_id), JSON.stringify({ export_id, stage } satisfies Progress))
  if (!isResumed || before?.stage === 'storing') {
    await note('storing')
    await storeLines(
      { context, account_id, examined, resumes: isResumed, results_after, hours_after },
      paced(context, readLines(source), { ...options, doing: 'storing' }),
    )
    await note('stored')
  }
  const finished = await finish({ context, account_id, at }, options.signal)
  await note('done')
  return { ...viewOf(examined), ...finished }
}

function viewOf({ reader: _, ...counts }: Examined): ImportView {
  return { ...counts, over_quota: 0 }
}

function nameOf(account_id: number): string {
  return `import.${account_id}`
}

function progressFrom(text: string | undefined): Progress | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Progress)
  } catch {
    return undefined
  }
}

async function requireEmpty({ core }: ServiceContext, account_id: number): Promise<void> {
  const [first] = await core.store.monitors.list({ account_id, limit: 1 })
  if (first === undefined) return
  throw new ConflictError(
    'account_not_empty',
    first.common.tags.includes(IMPORTING)
      ? 'An import of another export was interrupted in this account: start that one again, or remove its monitors'
      : 'The account has monitors; import into one that has none',
  )
}

/** Lines between two reports of the progress. */
const PROGRESS_LINES = 1000

/** Yields to other work, throws if the signal is aborted, and reports the progress. */
async function* paced(
  { core }: ServiceContext,
  lines: AsyncIterable<NumberedLine>,
  { signal, onProgress, doing }: ImportOptions & { readonly doing: 'validating' | 'storing' },
): AsyncGenerator<NumberedLine> {
  const yieldIfLong = yielderOf(core.clock)
  for await (const line of lines) {
    signal?.throwIfAborted()
    await yieldIfLong()
    if (line.number % PROGRESS_LINES === 0) onProgress?.(line.number, doing)
    yield line
  }
}
