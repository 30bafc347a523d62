import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ServerPlan } from './harness.ts'
import { accepts, startServer } from './harness.ts'
import { forThisTest } from './need.ts'
import { kill, processesIn } from './process.ts'

/** A server of ours, since these tests are about the harness: `nc`-like, in Node. */
function plan(script: string, change: Partial<ServerPlan<'main'>> = {}): ServerPlan<'main'> {
  return {
    name: 'script',
    binary: process.execPath,
    ports: ['main'],
    args: ({ dir, ports }) => [`${dir}/script.cjs`, String(ports.main)],
    files: () => ({ 'script.cjs': script }),
    ...change,
  }
}

/** The look whether it is ready may cut the connection. */
const LISTEN = `require('node:net').createServer((s) => s.on('error', () => {}).end('hi')).listen(+process.argv[2], '127.0.0.1')\n`

/** Dead, even if its parent has not asked for its end yet. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return /^\d+ \([^)]*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return true
  }
}

describe('the harness of the servers', () => {
  it('gives the reason and the log of a server that ends instead of starting', async () => {
    const script = `console.error('the disk is on fire'); process.exit(3)`
    await expect(startServer(plan(script))).rejects.toThrow(/ended with 3\n[^]*the disk is on fire/)
  })

  it('starts it with nothing of our environment, and not as root', async () => {
    vi.stubEnv('WATCHPOST_CANARY', 'of our environment')
    onTestFinished(() => void vi.unstubAllEnvs())
    const script = `${LISTEN}console.log(JSON.stringify(process.env), 'uid=' + process.getuid())`
    const server = await forThisTest(startServer(plan(script)))
    await expect.poll(() => server.log()).toContain('uid=')
    expect(server.log()).not.toContain('CANARY')
    expect(server.log()).not.toContain('uid=0')
  })

  it('takes other ports where somebody was faster', async () => {
    let attempts = 0
    let blocked: number | undefined
    const blocker = createServer()
    onTestFinished(() => void blocker.close())
    const server = await forThisTest(
      startServer(
        plan(LISTEN, {
          async prepare({ ports }) {
            attempts++
            if (attempts > 1) return
            blocked = ports.main
            blocker.listen(ports.main, '127.0.0.1')
            await once(blocker, 'listening')
          },
          // Our own blocker accepts as well: only the server itself says "hi".
          ready: async ({ ports }) => {
            if (ports.main === blocked) throw new Error('not ours')
          },
        }),
      ),
    )
    expect(attempts).toBe(2)
    expect(server.ports.main).not.toBe(blocked)
  })

  it('ends children that left the process group and ignore signals', async () => {
    const script = `
      const { spawn } = require('node:child_process')
      const sleeper = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"
      spawn(process.execPath, ['-e', sleeper], { detached: true, stdio: 'ignore' })
        .on('error', (error) => console.log(error))
        .on('exit', (code, signal) => console.log('the child ended', code, signal))
      process.on('SIGTERM', () => process.exit(0))
      ${LISTEN}`
    const server = await forThisTest(startServer(plan(script)))
    // On a busy machine it may say that it is ready while its child is still being made.
    await expect.poll(() => [processesIn(server.dir).length, server.log()]).toEqual([2, ''])
    const children = processesIn(server.dir).filter((pid) => pid !== server.pid)
    expect(children).toHaveLength(1)
    await server.stop()
    expect(children.every(isGone)).toBe(true)
    expect(existsSync(server.dir)).toBe(false)
  })

  it('is down only once nobody accepts a connection on its ports', async () => {
    // As a child of Exim that is killed: no longer found by its directory, and slow to end.
    const child = `${LISTEN}process.stdin.resume().on('end', () => setTimeout(process.exit, 500))`
    const script = `
      const options = { detached: true, cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'ignore'] }
      const source = ${JSON.stringify(child)}
      require('node:child_process').spawn(process.execPath, ['-e', source, 'x', process.argv[2]], options)`
    const server = await forThisTest(startServer(plan(script)))
    await server.halt()
    await expect(accepts(server.ports.main)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('may be stopped twice', async () => {
    const server = await startServer(plan(LISTEN))
    await server.stop()
    await server.stop()
    expect(existsSync(server.dir)).toBe(false)
  })
})

describe('the undertaker', () => {
  it('kills the group and removes the directory when its owner is killed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'watchpost-undertaker-'))
    const source = await readFile(new URL('undertaker.ts', import.meta.url), 'utf8')
    const module = ts.ModuleKind.ESNext
    const target = ts.ScriptTarget.ES2022
    const { outputText } = ts.transpileModule(source, { compilerOptions: { module, target } })
    await writeFile(join(dir, 'undertaker.mjs'), outputText)
    const owner = `
      const { hireUndertaker } = await import(${JSON.stringify(pathToFileURL(join(dir, 'undertaker.mjs')).href)})
      const { spawn } = await import('node:child_process')
      const undertaker = hireUndertaker(${JSON.stringify(dir)})
      const server = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
      undertaker.watch(server.pid)
      console.log(server.pid)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', owner])
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const sleeper = Number(line.toString())
    onTestFinished(() => kill(sleeper))
    expect(isGone(sleeper)).toBe(false)

    child.kill('SIGKILL')
    await expect.poll(() => existsSync(dir)).toBe(false)
    await expect.poll(() => isGone(sleeper)).toBe(true)
  })
})
