/**
 * `watchpost import watchpost`: stores what `watchpost export` wrote.
 *
 * @module
 */

import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { builtinContacts } from '../../contacts/index.ts'
import type { ImportView } from '../../engine/api/transfer.ts'
import { ConfigurationError, ValidationError } from '../../errors.ts'
import { accountFor } from '../account.ts'
import { EXIT, textFlag } from '../command.ts'
import type { Call, Flags } from '../command.ts'
import { ALLOW_HINT, ENGINE_SETTINGS, openedEngine } from '../engine.ts'
import { readSettings } from '../environment.ts'
import { progress } from '../progress.ts'
import { storeOf } from '../store.ts'
import { printError, problemLines, say } from '../terminal.ts'

export const STORE_SETTINGS = [
  ...ENGINE_SETTINGS,
  'export_key',
  'targets',
  'webhook_allow',
] as const

export async function importExport(call: Call, path: string): Promise<number> {
  const { flags } = call
  await access(path).catch((cause: unknown) => {
    throw new ConfigurationError(`${path}: there is no such file`, { cause })
  })
  const settings = readSettings(STORE_SETTINGS, call)
  const { store } = storeOf(settings, { guest: settings.database_url !== null })
  const shown = progress('opening the store')
  try {
    const { targets, webhook_allow } = settings
    const contacts = builtinContacts({ guard: { allowCidrs: webhook_allow } })
    await using engine = await openedEngine(store, settings, { targets, contacts })
    const account = await accountFor(engine, textFlag(flags, 'account'))
    const dryRun = flags['dry-run'] === true
    const view = await account.import(() => createReadStream(path, 'utf8'), {
      dryRun,
      key: settings.export_key,
      locations: pairsOf(flags, 'location', 'names of locations'),
      slugs: pairsOf(flags, 'slug', 'slugs of public pages'),
      onProgress: (lines, doing) => shown.update(`${doing}: ${lines} lines`),
    })
    printCounts(view, dryRun)
    return EXIT.ok
  } catch (error) {
    throw asMistakeOf(path, error)
  } finally {
    shown.end()
  }
}

/** `--location old=new`, repeatable. */
function pairsOf(flags: Flags, name: string, what: string): Record<string, string> {
  const given = flags[name]
  const pairs = Array.isArray(given) ? given : []
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, from, to] = /^([^=]+)=(.+)$/.exec(String(pair)) ?? []
      if (from === undefined || to === undefined)
        throw new ConfigurationError(`--${name}: old=new is expected, ${what}`)
      return [from, to]
    }),
  )
}

function printCounts(view: ImportView, dryRun: boolean): void {
  const { monitors, contacts, maintenance, incidents, results, days, missing_secrets } = view
  const { public_pages, status_reports, locked_pages } = view
  const done = dryRun ? 'would be stored' : 'stored'
  say(`${monitors} monitors, ${contacts} new contacts, ${maintenance} maintenance windows ${done}`)
  if (public_pages + status_reports > 0)
    say(`${public_pages} public pages, ${status_reports} status reports ${done}`)
  if (results + incidents + days > 0)
    say(`${incidents} incidents, ${days} days, ${results} results ${done}`)
  if (view.old_results > 0)
    printError(`${view.old_results} results are older than those that are kept`)
  if (view.new_tokens > 0) printError(`${view.new_tokens} heartbeats have new addresses`)
  for (const slug of locked_pages)
    printError(`the public page "${slug}" opens to nobody until it is given a password`)
  if (view.over_quota > 0) printError(`${view.over_quota} monitors stay paused: checks a minute`)
  for (const { monitor_id, name, fields } of missing_secrets)
    printError(
      `monitor ${monitor_id} "${name}" stays paused until it is given ${fields.join(', ')}`,
    )
  const more = view.without_secrets - missing_secrets.length
  if (more > 0) printError(`and ${more} more`)
}

function asMistakeOf(path: string, error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error
  const problems = problemLines(error.fields)
  const hint = problems.some((problem) => problem.includes('private_address')) ? ALLOW_HINT : ''
  return new ConfigurationError(`${path}: ${problems.join('\n  ')}${hint}`, { cause: error })
}
