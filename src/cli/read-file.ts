/**
 * Files that an operator names on the command line or in the environment: bounded, and never quoted in
 * what is said about them, since they may hold secrets.
 *
 * @module
 */

import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { ConfigurationError, MissingDependencyError } from '../errors.ts'
import { YamlError, parseYaml } from './parse-yaml.ts'

const MIB = 1024 * 1024

const LIMIT_MIB = 16
/** Its parser takes about a second a MiB, in one turn. Ten thousand monitors of Gatus have 2 to 4 MiB. */
const YAML_LIMIT_MIB = 6

interface Limit {
  readonly mib: number
  /** What to do with a larger file. */
  readonly hint?: string
}

/** @throws ConfigurationError */
async function readText(path: string, { mib, hint }: Limit): Promise<string> {
  // Not repeated: it may hold a password.
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(path))
    throw new ConfigurationError('a file is expected, and this is an address')
  try {
    const chunks: Buffer[] = []
    let size = 0
    // Not by its size: that of a pipe or a device is 0.
    for await (const chunk of createReadStream(path)) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size > mib * MIB)
        throw new Error(`more than ${mib} MiB${hint === undefined ? '' : `; ${hint}`}`)
    }
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
  } catch (cause) {
    throw new ConfigurationError(`${path}: cannot be read: ${messageOf(cause)}`, { cause })
  }
}

/** @throws ConfigurationError */
export async function readJson(path: string): Promise<unknown> {
  const text = await readText(path, { mib: LIMIT_MIB })
  try {
    return JSON.parse(text)
  } catch (error) {
    // Node repeats a piece of the text.
    const place = /(?:line \d+ column \d+|position \d+)/.exec(messageOf(error))?.[0]
    throw new ConfigurationError(
      `${path}: is not valid JSON${place === undefined ? '' : ` at ${place}`}`,
    )
  }
}

/** JSON where it is called so; the parser of YAML is an optional package. @throws ConfigurationError, MissingDependencyError */
export async function readYaml(path: string): Promise<unknown> {
  if (extname(path).toLowerCase() === '.json') return readJson(path)
  const hint = `divide the file, or write it as JSON (.json), of which ${LIMIT_MIB} MiB are read`
  const text = await readText(path, { mib: YAML_LIMIT_MIB, hint })
  const yaml = await loadYaml()
  try {
    return parseYaml(yaml, text)
  } catch (error) {
    const what = error instanceof YamlError ? error.message : codeOf(error)
    throw new ConfigurationError(`${path}: is not valid YAML (${what})`)
  }
}

async function loadYaml(): Promise<typeof import('yaml')> {
  try {
    return await import('yaml')
  } catch (cause) {
    throw new MissingDependencyError('yaml', { cause })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** `BAD_INDENT`, …: the message quotes the text. */
function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : 'unreadable'
}
