#!/usr/bin/env node
/**
 * `watchpost`: finds the command, reads its flags, and turns what it throws into one clear line and an
 * exit code. A command is loaded when it is called, so that `check` starts fast.
 *
 * @module
 */

import { parseArgs } from 'node:util'
import { systemClock } from '../clock.ts'
import { ConfigurationError, isWatchpostError, ValidationError } from '../errors.ts'
import { VERSION } from '../version.ts'
import { EXIT } from './command.ts'
import type { Command, Flags } from './command.ts'
import { COMMANDS } from './commands.ts'
import { extraTypesHint } from './providers.ts'
import { printError, outliveReaders, printable, problemLines, say } from './terminal.ts'

const USAGE_CHARACTERS = 44

function help(): string {
  const rows = Object.values(COMMANDS).map(
    ({ usage, about }) => `  ${`watchpost ${usage}`.padEnd(USAGE_CHARACTERS)} ${about}`,
  )
  return `watchpost ${VERSION}: uptime monitoring

${rows.join('\n')}

  watchpost check http url=https://example.com     a first look
  watchpost serve                                  then a server, with a page at http://127.0.0.1:8080

Each has a --help of its own, with examples. Exit codes: 0 done, 1 it could not be done, 64 wrong usage;
of check and verify 2 failing or not genuine, of check 3 unknown, of apply --dry-run 2 would change.`
}

/** A handle that was not closed must not keep a finished command alive. */
const LINGER_MS = 1000

outliveReaders()
process.exitCode = await main(process.argv.slice(2))
systemClock.timer(LINGER_MS, () => process.exit(), { background: true })

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v') {
    say(VERSION)
    return EXIT.ok
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    say(help())
    return EXIT.ok
  }
  const found = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (found === undefined) {
    const problem = name === undefined ? 'a command is expected' : `there is no command "${name}"`
    printError(`${problem}; there are ${Object.keys(COMMANDS).join(', ')} (see watchpost --help)`)
    return EXIT.usage
  }
  try {
    const { command } = await found.load()
    return await perform(command, args)
  } catch (error) {
    return explain(error, name ?? '')
  }
}

async function perform(command: Command, args: readonly string[]): Promise<number> {
  const help = { help: { type: 'boolean', short: 'h' } } as const
  const options = { ...command.options, ...help }
  const parsed = parse(() =>
    parseArgs({ args: [...args], options, allowPositionals: true, strict: true }),
  )
  const flags = parsed.values as Flags
  if (flags['help'] === true) {
    say(command.help)
    return EXIT.ok
  }
  return command.run({ flags, words: parsed.positionals, env: process.env })
}

function parse<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    // After its first sentence Node's message gives advice about "--", which does not apply.
    const [problem] = (cause instanceof Error ? cause.message : String(cause)).split(/\.? To |\n/)
    throw new ConfigurationError(`${problem ?? ''} (see --help)`, { cause })
  }
}

function explain(error: unknown, name: string): number {
  if (error instanceof ValidationError) {
    process.stderr.write(`${printable(problemLines(error.fields).join('\n'))}\n`)
    return EXIT.usage
  }
  if (error instanceof ConfigurationError) {
    printError(error.message + extraTypesHint(error))
    return EXIT.usage
  }
  const foreseen = isWatchpostError(error)
  const stack = error instanceof Error ? error.stack : undefined
  printError(foreseen ? error.message : `this is a mistake of ours: ${stack ?? String(error)}`)
  // A plugin that could not do its work has nothing to say about the target.
  return name === 'check' ? EXIT.unknown : EXIT.failed
}
