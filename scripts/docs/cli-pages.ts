/** The command line and the subpaths of the package, as they describe themselves. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EXIT } from '../../src/cli/command.ts'
import type { Command } from '../../src/cli/command.ts'
import { entries } from '../entries.mjs'
import { root } from '../steps.mjs'
import { block, code, page, table } from './markdown.ts'
import { commandFiles, moduleComment, valueExports } from './source-facts.ts'

export async function cliPage(): Promise<string> {
  const parts: string[] = []
  for (const [name, path] of commandFiles()) {
    const file = pathToFileURL(join(root, path)).href
    const { command } = (await import(/* @vite-ignore */ file)) as { readonly command: Command }
    parts.push(`## ${name}`, block('text', command.help))
  }
  return page(
    'Command line',
    '`npx watchpost <command>`. A flag wins over the variable of the environment of the same name; an empty variable counts as one that is not set. A wrong value is one line on stderr and exit code 64.',
    exitCodes(),
    ...parts,
  )
}

/** Beside what each command says of its own. */
function exitCodes(): string {
  const { ok, failed, failing, unknown, usage } = EXIT
  return table(
    ['Exit code', 'Meaning'],
    [
      [String(ok), 'done; of `check`: the target works; of `verify`: genuine'],
      [String(failed), 'it could not be done: no store, no port, a file that cannot be read'],
      [
        String(failing),
        'of `check`: failing; of `verify`: not genuine; of `apply --dry-run`: it would change something',
      ],
      [String(unknown), 'of `check`: our side could not measure'],
      [
        String(usage),
        'wrong usage, a wrong setting, or a mistake in a file; `EX_USAGE` of sysexits(3)',
      ],
    ],
  )
}

export function importsPage(): string {
  // One that is still to be written is named by test/package/exports.test.ts.
  const written = entries.filter(({ source }) => existsSync(join(root, source)))
  return page(
    'Imports',
    'Each subpath can be imported and required. Types stand beside the values; an editor shows them.',
    ...written.map(({ subpath, source }) =>
      [
        `## watchpost${subpath.slice(1)}`,
        moduleComment(source),
        valueExports(source).map(code).join(', '),
      ].join('\n\n'),
    ),
  )
}
