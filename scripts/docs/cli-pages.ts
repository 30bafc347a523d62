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
    '`npx watchpost <command>`. A flag overrides the environment variable of the same name; an empty variable counts as not set. An invalid value prints one line on stderr and exits with 64.',
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
      [String(ok), 'success; `check`: the target works; `verify`: the signature is valid'],
      [String(failed), 'failure: no store, no port, an unreadable file'],
      [
        String(failing),
        '`check`: the target fails; `verify`: the signature is invalid; `apply --dry-run`: there are changes',
      ],
      [String(unknown), '`check`: the check could not measure'],
      [
        String(usage),
        'wrong usage, an invalid setting, or a mistake in a file; `EX_USAGE` of sysexits(3)',
      ],
    ],
  )
}

export function importsPage(): string {
  // One that is still to be written is named by test/package/exports.test.ts.
  const written = entries.filter(({ source }) => existsSync(join(root, source)))
  return page(
    'Imports',
    'Each subpath can be imported and required. Types are exported beside the values.',
    ...written.map(({ subpath, source }) =>
      [
        `## watchpost${subpath.slice(1)}`,
        moduleComment(source),
        valueExports(source).map(code).join(', '),
      ].join('\n\n'),
    ),
  )
}
