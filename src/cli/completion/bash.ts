/**
 * The script for bash, 3.2 (macOS) and later.
 *
 * @module
 */

import { valuedFlags } from './grammar.ts'
import type { Grammar, Said } from './grammar.ts'

export function bash(commands: Grammar): string {
  return `# watchpost: completion for bash. In ~/.bashrc: source <(watchpost completion bash)

_watchpost_reply() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
  # A setting goes on behind its "=".
  if [[ \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}

# Nothing to offer; without this, bash would offer files.
_watchpost_nothing() { compopt +o default 2>/dev/null; }

_watchpost() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}" first="" value="" i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _watchpost_reply "${commands.map(({ name }) => name).join(' ')}"
    return
  fi

  # bash takes "=" and "@=" for words of their own.
  if [[ $cur == "=" || $cur == "@=" ]]; then
    cur="" value=1
  elif [[ $prev == "=" || $prev == "@=" ]]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}" value=1
  fi
  case "$command $prev" in
${commands.flatMap(valueArms).join('\n')}
  esac
  if [[ -n $value ]]; then
    _watchpost_nothing
    return
  fi

  if [[ $cur == -* ]]; then
    case "$command" in
${commands.map(flagArm).join('\n')}
    esac
    return
  fi

  for ((i = 2; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      -* | = | @=) continue ;;
    esac
    case "$command \${COMP_WORDS[i-1]}" in
      *" =" | *" @=" | ${valuedFlags(commands)}) continue ;;
    esac
    first="\${COMP_WORDS[i]}"
    break
  done
  case "$command $first" in
${commands.flatMap(wordArms).join('\n')}
    *) _watchpost_nothing ;;
  esac
}

complete -o default -F _watchpost watchpost
`
}

/** Files are what bash offers where we have nothing. */
function valueArms({ name, flags }: Said): string[] {
  return flags.flatMap(({ name: flag, takes }) => {
    if (takes === 'nothing') return []
    const [at, end] = [`    "${name} --${flag}")`, 'return ;;']
    if (takes === 'file') return [`${at} ${end}`]
    if (takes === 'text') return [`${at} _watchpost_nothing; ${end}`]
    return [`${at} _watchpost_reply "${takes.join(' ')}"; ${end}`]
  })
}

function flagArm({ name, flags }: Said): string {
  return `      ${name}) _watchpost_reply "${flags.map((flag) => `--${flag.name}`).join(' ')}" ;;`
}

function wordArms({ name, words: { known = {}, repeated, files } }: Said): string[] {
  const names = Object.keys(known).join(' ')
  const begin = names === '' ? [] : [`    "${name} ") _watchpost_reply "${names}" ;;`]
  if (repeated === true) return [...begin, `    "${name} "*) _watchpost_reply "${names}" ;;`]
  const next = Object.entries(known)
    .filter(([, after]) => after.length > 0)
    .map(([word, after]) => `    "${name} ${word}") _watchpost_reply "${after.join(' ')}" ;;`)
  return [...begin, ...next, ...(files === true ? [`    "${name} "*) ;;`] : [])]
}
