/**
 * Programs of `children/`, built once per run of the suite and run as processes of their own: under `unshare`,
 * `strace`, `prlimit`, `faketime`, or as they are.
 *
 * @module
 */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'tsup'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { WASM_AS_IT_COMES } from '../../../scripts/steps.mjs'
import { artifact } from '../../support/shared-artifacts.ts'
import type { Command, EngineChildOptions, Order, Said } from './protocol.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }

/** Path of a program of `children/`, once the tests run. */
export function childProgram(name: string): () => string {
  let folder = ''
  beforeAll(async () => {
    folder = await artifact(`child-${name}`, async (outDir) => {
      await build({
        entry: [join(import.meta.dirname, 'children', `${name}.ts`)],
        outDir,
        outExtension: () => ({ js: '.mjs' }),
        format: 'esm',
        target: 'es2023',
        platform: 'node',
        skipNodeModulesBundle: true,
        removeNodeProtocol: false,
        config: false,
        silent: true,
      })
    })
  })
  return () => join(folder, `${name}.mjs`)
}

/** Why a command cannot be run here, `undefined` where it can. */
export function refusalOf(command: string): string | undefined {
  const tried = spawnSync('sh', ['-c', command], { encoding: 'utf8', timeout: 20_000 })
  if (tried.status === 0) return undefined
  const reason = tried.error?.message ?? tried.stderr.trim().split('\n').at(-1) ?? ''
  return `"${command}" cannot be run here: ${reason}`
}

/** An empty folder for the test that runs. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-machine-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface EngineChild {
  readonly pid: number
  /** Everything it said so far. */
  readonly said: readonly Said[]
  /** What it wrote to stderr. */
  readonly stderr: () => string
  /** Lines of one kind. */
  all(kind: Said['kind']): readonly Said[]
  /** Resolves with the first line after the first `from` ones that is as wanted. */
  hears(wanted: (line: Said) => boolean, from?: number): Promise<Said>
  tell<T = unknown>(order: Order): Promise<T>
  /** A call of the REST API. */
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Answer }>
  /** In order; resolves with its exit code. */
  end(): Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<void>
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into it freely
type Answer = any

export interface StartOptions {
  /** Shell words before the program, such as `unshare -n` or `prlimit --nofile=64`. */
  readonly under?: string
  /** Shell commands before that, in the same shell. */
  readonly first?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Starts an engine in another process; it is ready when this resolves, and gone when the test ends. */
export async function startEngine(
  program: string,
  given: EngineChildOptions,
  { under = '', first = 'true', env = {} }: StartOptions = {},
): Promise<EngineChild> {
  const line = `${first} && exec ${under} '${process.execPath}' ${WASM_AS_IT_COMES} '${program}' '${JSON.stringify(given)}'`
  const child = spawn('sh', ['-c', line], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const said: Said[] = []
  const waiting = new Map<number, (line: Said) => void>()
  let stderr = ''
  let orders = 0
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (text) => {
    const one = JSON.parse(text) as Said
    said.push(one)
    if (one.kind === 'answer') waiting.get(one['id'] as number)?.(one)
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  let pid = 0
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    // Its own pid: what runs it may be a tracer, which would leave it behind.
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal)
    await closed
  }
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    if (pid !== 0) process.kill(pid, 'SIGKILL')
    else child.kill('SIGKILL')
    await closed
  })

  async function hears(wanted: (line: Said) => boolean, from = 0): Promise<Said> {
    let found: Said | undefined
    await expect
      .poll(() => {
        found = said.slice(from).find(wanted)
        if (found === undefined && child.exitCode !== null)
          throw new Error(`The engine has ended (${child.exitCode}): ${stderr}`)
        return found !== undefined
      }, PATIENCE)
      .toBe(true)
    return found as Said
  }

  async function tell<T>(order: Order): Promise<T> {
    const id = ++orders
    const answered = new Promise<Said>((resolve) => waiting.set(id, resolve))
    child.stdin.write(`${JSON.stringify({ ...order, id } satisfies Command)}\n`)
    const answer = await Promise.race([answered, closed.then(() => ({ failed: 'it has ended' }))])
    if ('failed' in answer) throw new Error(String(answer.failed))
    return answer['value'] as T
  }

  pid = Number((await hears(({ kind }) => kind === 'ready'))['pid'])
  return {
    pid,
    said,
    stderr: () => stderr,
    all: (wanted) => said.filter(({ kind }) => kind === wanted),
    hears,
    tell,
    call: (method, path, body) => tell({ do: 'call', method, path: `/api/v1${path}`, body }),
    async end() {
      child.stdin.end()
      return (await closed)[0]
    },
    kill,
  }
}
