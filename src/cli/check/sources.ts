/**
 * Values that do not stand on the command line, where every user of the machine can read them in the list
 * of processes, and the shell keeps them in its history.
 *
 * @module
 */

import { createReadStream } from 'node:fs'
import { systemClock } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Environment } from '../command.ts'

/** More than any field takes. */
const LIMIT_BYTES = 256 * 1024
/** A program that writes to the pipe may have to ask a person first, for a password for example. */
const TIMEOUT_MS = 60_000

export interface ValueSources {
  /** The value that `env:NAME`, `file:PATH` or `-` (stdin) stands for. @throws ConfigurationError */
  read(key: string, source: string): Promise<string>
}

export function valueSources(env: Environment): ValueSources {
  let stdinTakenBy: string | undefined

  async function read(key: string, source: string): Promise<string> {
    // What names no source may be the value itself.
    const named = /^(?:env:|file:|-$)/.test(source) ? source : ''
    const wrong = (problem: string): ConfigurationError =>
      new ConfigurationError(`${key}@=${named}: ${problem}`)
    const text = await textOf(key, source, wrong)
    // Editors and `echo` end a file with a line break, which is not part of the value.
    const value = text.replace(/\r?\n$/, '')
    if (value === '') throw wrong('it is empty')
    return value
  }

  async function textOf(
    key: string,
    source: string,
    wrong: (problem: string) => ConfigurationError,
  ): Promise<string> {
    const [, kind, rest = ''] = /^(env|file):(.+)$/s.exec(source) ?? []
    if (kind === 'file') return readAll(createReadStream(rest), wrong)
    if (kind === 'env') {
      const value = env[rest]
      if (value === undefined) throw wrong('there is no such variable in the environment')
      return value
    }
    if (source !== '-') throw wrong('env:NAME, file:PATH or - (stdin) is expected behind @=')
    if (stdinTakenBy !== undefined) throw wrong(`${stdinTakenBy} is read from stdin already`)
    stdinTakenBy = key
    if (process.stdin.isTTY) throw wrong('stdin is a terminal, which would show it: pipe it in')
    return readAll(process.stdin, wrong)
  }

  return { read }
}

async function readAll(
  stream: NodeJS.ReadableStream & { destroy(error?: Error): unknown },
  wrong: (problem: string) => ConfigurationError,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const late = systemClock.timer(TIMEOUT_MS, () => {
    stream.destroy(new Error(`nothing more came for ${TIMEOUT_MS / 1000} s`))
  })
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk)
      chunks.push(bytes)
      size += bytes.length
      if (size > LIMIT_BYTES) throw new Error(`it has more than ${LIMIT_BYTES} bytes`)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw wrong(
      `cannot be read: ${code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : message}`,
    )
  } finally {
    late.cancel()
  }
}
