/**
 * The command line as its users have it: built as for a release, run as a process of its own.
 *
 * @module
 */

import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsup'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { cli } from '../../scripts/entries.mjs'
import { root, SHORT_LIVED, WASM_AS_IT_COMES } from '../../scripts/steps.mjs'
import { systemClock } from '../../src/clock.ts'
import { hireUndertaker } from './servers/undertaker.ts'
import { artifact } from './shared-artifacts.ts'
import { warmCommands } from './warm-commands.ts'
import type { WarmCommands } from './warm-commands.ts'

const RUN_LIMIT_MS = 150_000
const START_LIMIT_MS = 150_000

export interface RunOptions {
  /** Beside PATH and HOME alone. */
  readonly env?: Readonly<Record<string, string>>
  /** Given on stdin, which is empty otherwise. */
  readonly input?: string
  readonly cwd?: string
  /** Shell command that runs the rest of its line, such as that of a network namespace. */
  readonly under?: string
  /** In a process of its own, for what is said about processes. `start` and `serve` always have one. */
  readonly own?: boolean
}

/** How a process ended, and what it said. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<Ended>
  /** Resolves once stdout or stderr match; rejects when the process ends first, or in 50 s. */
  says(pattern: RegExp): Promise<RegExpExecArray>
}

export interface Server extends Running {
  /** Where it listens. */
  readonly url: string
  /** The key it printed, empty where it printed none. */
  readonly key: string
  stop(signal?: NodeJS.Signals): Promise<Ended>
  /** One call of its API; the parsed answer with its status. */
  call(path: string, options?: CallOptions): Promise<Answer>
}

export interface CallOptions {
  readonly method?: string
  readonly body?: unknown
  /** Instead of the one it printed. */
  readonly key?: string
}

export interface Answer {
  readonly status: number
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into it freely
  readonly body: any
}

export interface CommandLine {
  /** In a process that earlier commands have warmed up, unless it is busy or `own`, `input` or `under` ask for another. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>
  start(args: readonly string[], options?: RunOptions): Running
  /** `serve` on a free port, ready to be called. */
  serve(options?: RunOptions & { readonly args?: readonly string[] }): Promise<Server>
}

export interface CommandLineOptions {
  /** Packages that were left out of the installation. */
  readonly without?: readonly string[]
  /** Every command in a process of its own. Default: `false`. */
  readonly own?: boolean
}

/** Builds once for this run of the suite. */
export function commandLine({ without = [], own = false }: CommandLineOptions = {}): CommandLine {
  let dir = ''
  let warm: WarmCommands | undefined
  beforeAll(async () => {
    const built = await artifact('cli', buildProgram)
    dir = without.length === 0 ? built : installedWithout(without, built)
    if (!own) warm = warmCommands(join(dir, 'dist/cli.js'), [WASM_AS_IT_COMES])
  })
  afterAll(() => {
    warm?.end()
    if (without.length > 0) rmSync(dir, { recursive: true, force: true })
  })

  const start: CommandLine['start'] = (args, options = {}) =>
    launch([join(dir, 'dist/cli.js'), ...args], options)

  return {
    start,
    async run(args, options = {}) {
      const ended = runWarm(warm, args, options)
      if (ended !== undefined) return ended
      const running = start(args, options)
      const late = systemClock.timer(RUN_LIMIT_MS, () => running.child.kill('SIGKILL'))
      return running.ended.finally(() => late.cancel())
    },
    serve: ({ args = [], ...options } = {}) =>
      serve(start(['serve', '--port', '0', ...args], options)),
  }
}

function runWarm(
  warm: WarmCommands | undefined,
  args: readonly string[],
  { env = {}, cwd, input, under, own = false }: RunOptions,
): Promise<Ended> | undefined {
  if (own || input !== undefined || under !== undefined) return undefined
  const place = cwd ?? folder()
  return warm?.run(args, { cwd: place, env: environmentOf(place, env) })
}

function environmentOf(home: string, env: Readonly<Record<string, string>>) {
  return { PATH: process.env['PATH'] ?? '', HOME: home, ...env }
}

async function buildProgram(dir: string): Promise<void> {
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(root, 'docs'), join(dir, 'docs'))
  await build({
    config: false,
    entry: { cli: join(root, cli.source) },
    outDir: join(dir, 'dist'),
    format: 'esm',
    target: 'node20.19',
    platform: 'node',
    splitting: true,
    skipNodeModulesBundle: true,
    removeNodeProtocol: false,
    silent: true,
  })
}

/** A copy of the program beside the packages of an installation that lacks some. */
function installedWithout(without: readonly string[], built: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'watchpost-cli-'))
  cpSync(built, dir, { recursive: true })
  mkdirSync(join(dir, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (without.includes(name)) continue
    symlinkSync(join(root, 'node_modules', name), join(dir, 'node_modules', name))
  }
  return dir
}

/** An empty folder for this test. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'watchpost-data-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function launch(
  args: readonly string[],
  { env = {}, input = '', cwd, under }: RunOptions,
): Running {
  const place = cwd ?? mkdtempSync(join(tmpdir(), 'watchpost-data-'))
  const [file = '', ...words] = [
    ...(under?.split(' ') ?? []),
    process.execPath,
    ...SHORT_LIVED,
    ...args,
  ]
  const child = spawn(file, words, {
    cwd: place,
    env: environmentOf(place, env),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text))
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }))
  buryAfterTest(child, ended, cwd === undefined ? place : undefined)
  const text = () => texts.stdout + texts.stderr
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
    says: (pattern) => heard(child, pattern, text),
  }
}

/** However the test ends, and however this process ends, the child does not outlive it. */
function buryAfterTest(
  child: ChildProcess,
  ended: Promise<unknown>,
  place: string | undefined,
): void {
  const shelter = place ?? mkdtempSync(join(tmpdir(), 'watchpost-data-'))
  const undertaker = hireUndertaker(shelter)
  undertaker.watch(child.pid)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(shelter, { recursive: true, force: true })
    await undertaker.dismiss()
  })
}

function heard(child: ChildProcess, pattern: RegExp, text: () => string): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const stopListening = (): void => {
      late.cancel()
      child.stdout?.off('data', look)
      child.stderr?.off('data', look)
      child.off('close', give)
    }
    const look = (): void => {
      const found = pattern.exec(text())
      if (found === null) return
      stopListening()
      resolve(found)
    }
    const give = (): void => {
      stopListening()
      reject(new Error(`It never said ${String(pattern)}:\n${text()}`))
    }
    const late = systemClock.timer(START_LIMIT_MS, give)
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.on('close', give)
    look()
  })
}

async function serve(running: Running): Promise<Server> {
  const [, url = ''] = await running.says(/^Listening on (http:\S+?),? /m)
  const key = /^API key: (svc_\w+)$/m.exec(running.stdout())?.[1] ?? ''
  return {
    ...running,
    url,
    key,
    stop(signal = 'SIGTERM') {
      running.child.kill(signal)
      return running.ended
    },
    async call(path, options = {}) {
      const response = await fetch(url + path, {
        method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
        headers: {
          Authorization: `Bearer ${options.key ?? key}`,
          'Content-Type': 'application/json',
          // A kept one may be closed by the server just when it is used again.
          Connection: 'close',
        },
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      })
      const text = await response.text()
      return { status: response.status, body: JSON.parse(text === '' ? 'null' : text) as unknown }
    },
  }
}
