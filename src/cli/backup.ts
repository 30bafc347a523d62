/**
 * `watchpost backup`: a consistent copy of the data file, also beside a running server.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { ConfigurationError, StorageError } from '../errors.ts'
import { sqliteStore } from '../store/sqlite/index.ts'
import { examineBackup } from '../store/sqlite/restore.ts'
import type { BackupOptions, BackupSize } from '../store/store.ts'
import { EXIT } from './command.ts'
import type { Call, Command } from './command.ts'
import { readSettings, settingFlags, settingsHelp } from './environment.ts'
import { progress } from './progress.ts'
import { megabytes, say } from './terminal.ts'

const SETTINGS = ['data', 'database_url'] as const

export const command: Command = {
  help: `watchpost backup <file>

Copies the data file to a new file and examines the copy. On Node >= 22.13 it works beside a running server
and delays no check; on older versions stop the server first. The copy gets its name when it is complete,
only its owner may read it, and an existing file is never replaced.

  watchpost backup backups/monday.db
  watchpost backup "/backups/watchpost-$(date +%F).db" --data /var/lib/watchpost/watchpost.db
  watchpost restore backups/monday.db          puts it back

${settingsHelp(SETTINGS)}

Sealed secrets stay sealed: keep WATCHPOST_SECRET_KEY elsewhere. For PostgreSQL use pg_dump.
Exit code: 0 done, 1 it could not be done, 64 wrong usage or a file that exists.`,
  options: settingFlags(SETTINGS),
  words: () => ({ files: true }),
  run,
}

async function run(call: Call): Promise<number> {
  const [path, stranger] = call.words
  if (path === undefined || stranger !== undefined)
    throw new ConfigurationError('backup takes one file, which is new (see --help)')
  const { data, database_url } = readSettings(SETTINGS, call)
  if (database_url !== null)
    throw new ConfigurationError('PostgreSQL is backed up by its own tools, such as pg_dump')
  if (!existsSync(data)) throw new StorageError(`there is no data file ${data}; serve makes it`)
  const shown = progress('opening the data file')
  try {
    const { bytes } = await copyOf(data, path, (done, all) =>
      shown.update(`copied ${Math.floor((done / all) * 100)} %`),
    )
    shown.update('examining the copy')
    const { monitors } = await examined(path)
    say(`${path}: ${megabytes(bytes)}, ${monitors} monitors, examined`)
    return EXIT.ok
  } finally {
    shown.end()
  }
}

async function copyOf(
  data: string,
  path: string,
  onProgress: NonNullable<BackupOptions['onProgress']>,
): Promise<BackupSize> {
  const store = sqliteStore({ file: data, guest: true })
  await store.open()
  try {
    if (store.backup === undefined) throw new StorageError(`${data} cannot be backed up`)
    return await store.backup(path, { onProgress })
  } finally {
    await store.close()
  }
}

async function examined(path: string): ReturnType<typeof examineBackup> {
  try {
    return await examineBackup(path)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
