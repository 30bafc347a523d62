/**
 * `watchpost docs`: prints a page of the documentation that is installed with the package.
 *
 * @module
 */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ConfigurationError, StorageError } from '../errors.ts'
import { EXIT } from './command.ts'
import type { Call, Command } from './command.ts'
import { say, table } from './terminal.ts'

export const command: Command = {
  help: `watchpost docs [topic]

The documentation of this version, as Markdown: without a topic the list of pages, else one page.

  watchpost docs
  watchpost docs http
  watchpost docs guide/production | less

A topic is the name of a page, with its folder or without.

Exit code: 0 printed, 1 the documentation is not installed, 64 there is no such page.`,
  options: {},
  run,
}

/** In the package the documentation is next to `dist`, which contains this file after the build. */
const FOLDER = new URL('../docs/', import.meta.url)

function run({ words: [topic, ...more] }: Call): Promise<number> {
  const all = pages()
  if (all.length === 0)
    throw new StorageError(`there is no documentation in ${fileURLToPath(FOLDER)}`)
  if (more.length > 0) throw new ConfigurationError('one topic is expected')
  if (topic === undefined) say(table(all.map((page) => [page, title(page)])).join('\n'))
  else say(read(find(topic, all)).trimEnd())
  return Promise.resolve(EXIT.ok)
}

/** The paths without `.md`; empty if the installation has no documentation. */
function pages(): string[] {
  try {
    return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && !path.endsWith('README.md'))
      .map((path) => path.replaceAll('\\', '/').slice(0, -'.md'.length))
      .sort()
  } catch {
    return []
  }
}

function find(topic: string, all: readonly string[]): string {
  const name = topic.replace(/\.md$/, '')
  const page = all.find((one) => one === name) ?? all.find((one) => one.endsWith(`/${name}`))
  if (page === undefined)
    throw new ConfigurationError(`there is no page "${topic}"; "watchpost docs" lists them`)
  return page
}

function title(page: string): string {
  return /^# (.+)$/m.exec(read(page))?.[1] ?? ''
}

function read(page: string): string {
  return readFileSync(new URL(`${page}.md`, FOLDER), 'utf8')
}
