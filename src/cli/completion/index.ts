/**
 * `watchpost completion`: a script for a shell, generated from the tables by which commands are parsed.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import { EXIT } from '../command.ts'
import type { Call, Command } from '../command.ts'
import { bash } from './bash.ts'
import { fish } from './fish.ts'
import { grammar } from './grammar.ts'
import type { Grammar } from './grammar.ts'
import { zsh } from './zsh.ts'

const SHELLS: Readonly<Record<string, (commands: Grammar) => string>> = { bash, zsh, fish }

export const command: Command = {
  help: `watchpost completion bash|zsh|fish

Prints a script that completes commands, flags and their values, types of checks and their settings.

  source <(watchpost completion bash)                                  in ~/.bashrc
  watchpost completion zsh > "\${fpath[1]}/_watchpost"                  once, before compinit
  watchpost completion fish > ~/.config/fish/completions/watchpost.fish

It completes the word "watchpost", so that has to be found: npm install --global watchpost.
Exit code: 0 printed, 64 wrong usage.`,
  options: {},
  words: () => ({ known: Object.fromEntries(Object.keys(SHELLS).map((name) => [name, []])) }),
  run,
}

async function run({ words }: Call): Promise<number> {
  const [name = '', ...more] = words
  const write = Object.hasOwn(SHELLS, name) ? SHELLS[name] : undefined
  if (write === undefined || more.length > 0) {
    throw new ConfigurationError(
      `completion takes one of ${Object.keys(SHELLS).join(', ')} (see --help)`,
    )
  }
  process.stdout.write(write(await grammar()))
  return EXIT.ok
}
