/**
 * Commands that are run one after the other in a process that stays: a tenth of the CPU of a process for each.
 *
 * @module
 */

import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Ended } from './command-line.ts'

export interface WarmCommands {
  /** `undefined` while another command runs: then it needs a process of its own. */
  run(args: readonly string[], options: WarmOptions): Promise<Ended> | undefined
  /** Ends the processes. */
  end(): void
}

interface WarmOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

const PROGRAM = fileURLToPath(new URL('warm-command.mjs', import.meta.url))

/** What Node reads when it starts. */
const ofNode = (env: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(env).filter(([name]) => /^(?:NODE_|SSL_|TZ$|LC_|LANG$)/.test(name)))

/** `program`: the path of the built command line. The processes end with this one at the latest. */
export function warmCommands(program: string, execArgv: readonly string[]): WarmCommands {
  const processes = new Map<string, { readonly child: ChildProcess; busy: boolean }>()

  function processFor(env: Readonly<Record<string, string>>) {
    const key = ofNode(env)
    const known = processes.get(key)
    if (known !== undefined) return known
    const child = fork(PROGRAM, [program], {
      env,
      execArgv: [...execArgv],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const made = { child, busy: false }
    processes.set(key, made)
    child.once('exit', () => processes.delete(key))
    return made
  }

  return {
    run(args, options) {
      const chosen = processFor(options.env)
      if (chosen.busy) return undefined
      chosen.busy = true
      return answer(chosen.child, { args, ...options }).finally(() => (chosen.busy = false))
    },
    end() {
      for (const { child } of processes.values()) child.kill('SIGKILL')
    },
  }
}

async function answer(child: ChildProcess, order: object): Promise<Ended> {
  child.ref()
  child.channel?.ref()
  const over = new AbortController()
  const { signal } = over
  try {
    const ended = once(child, 'exit', { signal }).then(([code, by]) => {
      throw new Error(
        `The process of the commands ended with ${code ?? by}: ${JSON.stringify(order)}`,
      )
    })
    ended.catch(() => undefined)
    const answered = once(child, 'message', { signal })
    child.send(order)
    const [said] = (await Promise.race([answered, ended])) as [Omit<Ended, 'signal'>]
    return { ...said, signal: null }
  } finally {
    over.abort()
    child.unref()
    child.channel?.unref()
  }
}
