/**
 * The script for zsh: as a file of `fpath`, or sourced.
 *
 * @module
 */

import { valuedFlags } from './grammar.ts'
import type { Grammar, Said } from './grammar.ts'

export function zsh(commands: Grammar): string {
  return `#compdef watchpost
# watchpost: completion for zsh. Once: watchpost completion zsh > "\${fpath[1]}/_watchpost"

_watchpost() {
  local -a list
  local first="" i
  if ((CURRENT == 2)); then
    list=(${commands.map(({ name, about }) => described(name, about)).join(' ')})
    _describe -t commands command list
    return
  fi

  case "$words[2] $words[CURRENT-1]" in
${commands.flatMap(valueArms).join('\n')}
  esac

  if [[ "$words[CURRENT]" == -* ]]; then
    case "$words[2]" in
${commands.map(flagArm).join('\n')}
    esac
    _describe -t options option list
    return
  fi

  for ((i = 3; i < CURRENT; i++)); do
    [[ "$words[i]" == -* ]] && continue
    case "$words[2] $words[i-1]" in
      ${valuedFlags(commands)}) continue ;;
    esac
    first="$words[i]"
    break
  done
  case "$words[2] $first" in
${commands.flatMap(wordArms).join('\n')}
  esac
}

if [ "$funcstack[1]" = "_watchpost" ]; then
  _watchpost "$@"
else
  compdef _watchpost watchpost
fi
`
}

function valueArms({ name, flags }: Said): string[] {
  return flags.flatMap(({ name: flag, takes }) => {
    if (takes === 'nothing') return []
    const at = `    "${name} --${flag}")`
    if (takes === 'file') return [`${at} _files; return ;;`]
    if (takes === 'text') return [`${at} return ;;`]
    return [`${at} compadd -- ${takes.join(' ')}; return ;;`]
  })
}

function flagArm({ name, flags }: Said): string {
  const list = flags.map((flag) => described(`--${flag.name}`, flag.about)).join(' ')
  return `      ${name}) list=(${list}) ;;`
}

function wordArms({ name, words: { known = {}, repeated, files } }: Said): string[] {
  const names = Object.keys(known).join(' ')
  const begin = names === '' ? [] : [`    "${name} ") compadd -- ${names} ;;`]
  if (repeated === true) return [...begin, `    "${name} "*) compadd -- ${names} ;;`]
  const next = Object.entries(known)
    .filter(([, after]) => after.length > 0)
    // No space behind the "=" of a setting.
    .map(([word, after]) => `    "${name} ${word}") compadd -S '' -- ${after.join(' ')} ;;`)
  return [...begin, ...next, ...(files === true ? [`    "${name} "*) _files ;;`] : [])]
}

/** `name:description`, a colon of the name escaped; as one word of the shell. */
function described(name: string, about: string): string {
  const text = about === '' ? name : `${name}:${about}`
  return `'${text.replaceAll("'", `'\\''`)}'`
}
