/**
 * `watchpost init`: writes a small project that runs.
 *
 * @module
 */

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { ConfigurationError } from '../../errors.ts'
import { EXIT } from '../command.ts'
import type { Call, Command } from '../command.ts'
import { say } from '../terminal.ts'
import { projectFiles } from './project.ts'

export const command: Command = {
  help: `watchpost init [folder]

Writes a small project: an engine in a program of your own, one monitor, contacts, and a test of both.

  npx watchpost init monitoring
  cd monitoring && npm install && npm test && npm start

The folder is created if it does not exist; without one the files go to the current folder. If one of the files
exists, nothing is written.
Exit code: 0 written, 1 it could not be done, 64 a file is in the way, or wrong usage.`,
  options: {},
  words: () => ({ files: true }),
  run,
}

async function run({ words }: Call): Promise<number> {
  const [given = '.', stranger] = words
  if (stranger !== undefined) throw new ConfigurationError('init takes one folder (see --help)')
  const folder = resolve(given)
  const files = projectFiles(packageName(basename(folder)))
  const names = Object.keys(files)
  const there = await namesIn(folder)
  const inTheWay = names.filter((name) => there.includes(name))
  if (inTheWay.length > 0)
    throw new ConfigurationError(`${given}: ${inTheWay.join(', ')} is there already`)
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { flag: 'wx' })
    say(`  ${name}`)
  }
  say(`\nNext:${given === '.' ? '' : ` cd ${given} &&`} npm install && npm test && npm start`)
  return EXIT.ok
}

/** Nothing where there is no such folder. @throws ConfigurationError where a file has its name */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') throw new ConfigurationError(`${folder}: is no folder`, { cause })
    throw cause
  }
}

/** What npm takes as a name. */
function packageName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
  return name === '' || name === 'watchpost' ? 'monitoring' : name
}
