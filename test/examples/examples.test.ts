import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { buildPackage } from './build.ts'
import type { Build } from './build.ts'

// The examples as a user runs them: by node, against a build of their own.

const LIMIT_MS = 15_000
const files = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.m?js$/.test(name),
)
let build: Build

beforeAll(async () => {
  build = await buildPackage()
  cpSync(join(root, 'examples'), join(build.folder, 'examples'), { recursive: true })
})

afterAll(() => build.remove())

describe('the example', () => {
  it.concurrent.each(files)('%s runs', { timeout: 2 * LIMIT_MS }, async (name) => {
    const { code, output, address } = await runExample(name)
    if (address !== undefined) expect(output).toContain(address)
    expect({ code, output }).toEqual({ code: 0, output })
    expect(output).not.toBe('')
  })
})

interface Ending {
  /** 0 for one that listens: it was stopped by us, and said where it listens. */
  readonly code: number | null
  readonly output: string
  readonly address: string | undefined
}

/** Runs until it ends by itself, or until it says where it listens; there it is asked for something, and stopped. */
async function runExample(name: string): Promise<Ending> {
  const child = spawn(process.execPath, [join(build.folder, 'examples', name)], {
    cwd: build.folder,
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      WATCHPOST_DATA: join(build.folder, 'data.db'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let address: string | undefined
  const listening = new Promise<string>((resolve) => {
    const hear = (chunk: Buffer): void => {
      output += chunk.toString('utf8')
      const found = /https?:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(output)?.[0]
      if (found !== undefined && /listen/i.test(output)) resolve(found)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const ended = endOf(child)
  const first = await Promise.race([ended, listening])
  if (typeof first === 'string') {
    address = first
    expect((await fetch(address)).status).toBeLessThan(500)
    child.kill('SIGTERM')
  }
  const { code, signal } = await ended
  clearTimeout(timer)
  return { code: address !== undefined && signal === 'SIGTERM' ? 0 : code, output, address }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })))
}
