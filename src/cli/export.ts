/**
 * `watchpost export`: an account as lines of JSON.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { Engine } from '../engine/api/engine.ts'
import { ConfigurationError, StorageError } from '../errors.ts'
import { accountOf } from './account.ts'
import { EXIT, textFlag } from './command.ts'
import type { Call, Command } from './command.ts'
import { ENGINE_SETTINGS, openedEngine } from './engine.ts'
import { readSettings, settingFlags, settingsHelp } from './environment.ts'
import { progress } from './progress.ts'
import { storeOf } from './store.ts'
import { say } from './terminal.ts'

const SETTINGS = [...ENGINE_SETTINGS, 'export_key'] as const

export const command: Command = {
  help: `watchpost export <file> [--history] [--tokens] [--account a]

Writes an account to a new file, one JSON object per line: contacts, monitors, planned work, public pages and
their reports. API keys and the notification log are not in it. "watchpost import watchpost <file>" stores it
elsewhere, also in PostgreSQL.

  watchpost export account.jsonl --history
  WATCHPOST_EXPORT_KEY=$(openssl rand -base64 32) watchpost export account.jsonl --tokens

  --account        Name or id of the account (the first one)
  --history        With incidents, availability, totals and results
  --tokens         With the addresses of heartbeats; needs WATCHPOST_EXPORT_KEY
${settingsHelp(SETTINGS)}

Secrets are encrypted with WATCHPOST_EXPORT_KEY; without it they are left out and must be given again.
It works beside a running server with PostgreSQL, and on Node >= 22.13.
Exit code: 0 written, 1 it could not be done, 64 wrong usage or a file that exists.`,
  options: {
    account: { type: 'string' },
    history: { type: 'boolean' },
    tokens: { type: 'boolean' },
    ...settingFlags(SETTINGS),
  },
  words: () => ({ files: true }),
  run,
}

async function run(call: Call): Promise<number> {
  const { flags, words } = call
  const [path, stranger] = words
  if (path === undefined || stranger !== undefined)
    throw new ConfigurationError('export takes one file, which is new (see --help)')
  const settings = readSettings(SETTINGS, call)
  const { data, database_url, export_key } = settings
  if (database_url === null && !existsSync(data))
    throw new StorageError(`there is no data file ${data}; serve makes it`)
  if (flags['tokens'] === true && export_key === undefined)
    throw new ConfigurationError(
      '--tokens: the addresses are secrets, and need WATCHPOST_EXPORT_KEY',
    )
  const { store } = storeOf(settings, { guest: true })
  await using engine = await openedEngine(store, settings)
  const account = await accountOf(engine, textFlag(flags, 'account'))
  const options = {
    history: flags['history'] === true,
    tokens: flags['tokens'] === true,
    key: export_key,
  }
  const lines = await write(path, account.export(options))
  say(`${path}: ${lines} lines of account ${account.account_id}`)
  if (export_key === undefined) say('Secrets are left out; WATCHPOST_EXPORT_KEY encrypts them.')
  return EXIT.ok
}

/** Lines that are written at once. */
const CHARS = 256 * 1024

/** Readable by its owner alone; what could not be finished is removed. */
async function write(path: string, lines: ReturnType<Engine['export']>): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigurationError(`${path}: cannot be written (${code ?? 'unknown'})`, { cause })
  })
  const shown = progress('exporting')
  try {
    let count = 0
    let text = ''
    for await (const line of lines) {
      count++
      text += line
      if (text.length < CHARS) continue
      await file.appendFile(text)
      shown.update(`${count} lines`)
      text = ''
    }
    await file.appendFile(text)
    await file.sync()
    await file.close()
    return count
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(path, { force: true })
    throw error
  } finally {
    shown.end()
  }
}
