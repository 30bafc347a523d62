/**
 * The script for fish.
 *
 * @module
 */

import type { Flag, Grammar, Said } from './grammar.ts'

export function fish(commands: Grammar): string {
  const begin = commands.map(
    ({ name, about }) =>
      `complete -c watchpost -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
  )
  return `# watchpost: completion for fish, in ~/.config/fish/completions/watchpost.fish
complete -c watchpost -f
${[...begin, ...commands.flatMap(linesOf)].join('\n')}
`
}

function linesOf({ name, flags, words: { known = {}, repeated, files } }: Said): string[] {
  const within = `__fish_seen_subcommand_from ${name}`
  const names = Object.keys(known).join(' ')
  const before =
    repeated === true ? within : `${within}; and not __fish_seen_subcommand_from ${names}`
  const next = Object.entries(known).filter(([, after]) => after.length > 0)
  return [
    ...flags.map((flag) => flagLine(flag, within)),
    ...(names === '' ? [] : [`complete -c watchpost -n ${quoted(before)} -a ${quoted(names)}`]),
    ...next.map(([word, after]) => {
      const behind = `${within}; and __fish_seen_subcommand_from ${word}`
      return `complete -c watchpost -n ${quoted(behind)} -a ${quoted(after.join(' '))}`
    }),
    ...(files === true ? [`complete -c watchpost -n ${quoted(within)} -F`] : []),
  ]
}

/** `-x`: a value and no file; `-r -F`: a file. */
const VALUES = { nothing: '', text: ' -x', file: ' -r -F' } as const

function flagLine({ name, about, takes }: Flag, within: string): string {
  const values = typeof takes === 'string' ? VALUES[takes] : ` -x -a ${quoted(takes.join(' '))}`
  const meaning = about === '' ? '' : ` -d ${quoted(about)}`
  return `complete -c watchpost -n ${quoted(within)} -l ${name}${values}${meaning}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
