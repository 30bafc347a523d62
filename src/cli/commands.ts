/**
 * The commands by name: listed by `--help`, completed by shells, and loaded when
 * one is called.
 *
 * @module
 */

import type { Command } from './command.ts'

interface Entry {
  /** How it is called, in short. */
  readonly usage: string
  /** One line. */
  readonly about: string
  load(): Promise<{ readonly command: Command }>
}

export const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: {
    usage: 'serve',
    about: 'the REST API and the status page, data in an SQLite file',
    load: () => import('./serve/index.ts'),
  },
  check: {
    usage: 'check <type> key=value …',
    about: 'one check now, or repeatedly with --watch',
    load: () => import('./check/index.ts'),
  },
  types: {
    usage: 'types [type …]',
    about: 'the types of checks with their fields',
    load: () => import('./types.ts'),
  },
  init: {
    usage: 'init [folder]',
    about: 'a small project: engine, monitor, contacts, test',
    load: () => import('./init/index.ts'),
  },
  keys: {
    usage: 'keys create|list|revoke',
    about: 'API keys',
    load: () => import('./keys.ts'),
  },
  apply: {
    usage: 'apply <file>',
    about: 'creates and updates monitors from a file',
    load: () => import('./apply/index.ts'),
  },
  export: {
    usage: 'export <file>',
    about: 'an account with its monitors, to move it',
    load: () => import('./export.ts'),
  },
  import: {
    usage: 'import <tool> <file>',
    about: "such a file from another tool's configuration, or an export",
    load: () => import('./import/index.ts'),
  },
  backup: {
    usage: 'backup <file>',
    about: 'a copy of the data file, beside a running server',
    load: () => import('./backup.ts'),
  },
  restore: {
    usage: 'restore <backup>',
    about: 'puts a backup in the place of the data file',
    load: () => import('./restore.ts'),
  },
  probe: {
    usage: 'probe --location <name>',
    about: 'runs the checks of a location elsewhere, over Redis',
    load: () => import('./probe.ts'),
  },
  verify: {
    usage: 'verify --header <h> [file]',
    about: 'is this webhook genuine?',
    load: () => import('./verify.ts'),
  },
  docs: {
    usage: 'docs [topic]',
    about: 'a page of the documentation',
    load: () => import('./docs.ts'),
  },
  completion: {
    usage: 'completion bash|zsh|fish',
    about: 'a script that completes commands in your shell',
    load: () => import('./completion/index.ts'),
  },
}
