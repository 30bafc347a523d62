/**
 * What may be typed, as the commands declare it.
 *
 * @module
 */

import type { Command, Words } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import { LOG_LEVELS } from '../logger.ts'

export interface Flag {
  /** Without its dashes. */
  readonly name: string
  readonly about: string
  /** `nothing` for a switch; a list where only some words are known. */
  readonly takes: 'nothing' | 'text' | 'file' | readonly string[]
}

export interface Said {
  readonly name: string
  readonly about: string
  readonly flags: readonly Flag[]
  readonly words: Words
}

export type Grammar = readonly Said[]

/** Flags whose values are few, whichever command has them. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'log-level': LOG_LEVELS,
  targets: ['open', 'public'],
  unlisted: ['leave', 'pause', 'remove'],
}

const FILES: ReadonlySet<string> = new Set(['data', 'contacts', 'monitors', 'prometheus'])

export function grammar(): Promise<Grammar> {
  return Promise.all(
    Object.entries(COMMANDS).map(async ([name, { about, load }]) => {
      const { command } = await load()
      return { name, about, flags: flagsOf(command), words: (await command.words?.()) ?? {} }
    }),
  )
}

function flagsOf({ options, help }: Command): Flag[] {
  const abouts = describedIn(help)
  const own = Object.entries(options).map(([name, { type }]): Flag => {
    const takes = type === 'boolean' ? 'nothing' : (CHOICES[name] ?? textOrFile(name))
    return { name, about: abouts.get(name) ?? '', takes }
  })
  return [...own, { name: 'help', about: 'What it does, with examples', takes: 'nothing' }]
}

function textOrFile(name: string): 'text' | 'file' {
  return FILES.has(name) ? 'file' : 'text'
}

/** Lines of a help text such as `  --port    PORT    Port to listen on`. */
export function describedIn(help: string): ReadonlyMap<string, string> {
  const lines = help.matchAll(/^ {2}--([a-z-]+) +(?:[A-Z][A-Z_]+ +)?(\S.*)$/gm)
  return new Map([...lines].map(([, name = '', about = '']) => [name, about]))
}

/** A pattern of bash and zsh: `command --flag` of every flag behind which its value stands. */
export function valuedFlags(commands: Grammar): string {
  const valued = ({ takes }: Flag): boolean => takes !== 'nothing'
  return commands
    .flatMap(({ name, flags }) => flags.filter(valued).map((flag) => `"${name} --${flag.name}"`))
    .join(' | ')
}
