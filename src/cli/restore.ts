/**
 * `watchpost restore`: a backup in the place of the data file.
 *
 * @module
 */

import { ConfigurationError } from '../errors.ts'
import { restoreBackup } from '../store/sqlite/restore.ts'
import { EXIT } from './command.ts'
import type { Call, Command } from './command.ts'
import { readSettings, settingFlags, settingsHelp } from './environment.ts'
import { progress } from './progress.ts'
import { megabytes, say } from './terminal.ts'

const SETTINGS = ['data'] as const

export const command: Command = {
  help: `watchpost restore <backup>

Examines a backup and copies it to the place of the data file, which must be empty: stop the server, and move
the old file away, together with its -wal and -shm.

  watchpost restore backups/monday.db
  watchpost restore backups/monday.db --data /var/lib/watchpost/watchpost.db

${settingsHelp(SETTINGS)}

What happened after the backup is not in it. Notifications that waited at that time are sent again, with the
same ids. Sealed secrets need the WATCHPOST_SECRET_KEY of that time.
Exit code: 0 done, 1 the file is damaged or not a backup, 64 wrong usage or a file that exists.`,
  options: settingFlags(SETTINGS),
  words: () => ({ files: true }),
  run,
}

async function run(call: Call): Promise<number> {
  const [backup, stranger] = call.words
  if (backup === undefined || stranger !== undefined)
    throw new ConfigurationError('restore takes one file (see --help)')
  const { data } = readSettings(SETTINGS, call)
  const shown = progress('copying and examining the backup')
  try {
    const { bytes, monitors, alive_at, sealed } = await restoreBackup(backup, data)
    const from = alive_at === null ? '' : `, last written ${new Date(alive_at).toISOString()}`
    say(`${data}: ${megabytes(bytes)}, ${monitors} monitors${from}`)
    if (sealed) say('Its secrets are sealed: serve needs the WATCHPOST_SECRET_KEY of then.')
    return EXIT.ok
  } finally {
    shown.end()
  }
}
