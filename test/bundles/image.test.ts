/** The image of `deploy/Dockerfile`. There is no Docker where this runs: its steps are carried out one by one. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { buildScript, cannotBuild, readDockerfile, textsOf, wordsOf } from '../deploy/dockerfile.ts'
import { packPackage } from '../support/packed.ts'
import { startRegistry } from '../support/registry.ts'
import { freePorts } from '../support/servers/ports.ts'
import { hireUndertaker } from '../support/servers/undertaker.ts'

const stages = readDockerfile(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))
const last = stages.at(-1)
const healthCheck = textsOf(last, 'HEALTHCHECK')[0] ?? ''
const REASON = cannotBuild()
const KEY = 'a-key-of-the-container'

it('the image builds, serves, is healthy and stops', { timeout: 300_000 }, async ({ skip }) => {
  if (REASON !== undefined) skip(REASON)
  const place = mkdtempSync(join(tmpdir(), 'watchpost-image-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const packed = await packPackage()
  onTestFinished(() => packed.remove())
  const registry = await startRegistry([packed])
  onTestFinished(() => registry.close())
  const context = join(place, 'context')
  cpSync(join(root, 'deploy'), context, { recursive: true })
  const { http } = await freePorts(['http'])

  const container = await run({ place, context, registry: registry.url, port: http })
  const command = wordsOf(/ CMD (\[.*)$/.exec(healthCheck)?.[1])
  expect(container.execute(command, { PORT: `${http}` }).status).toBe(0)
  expect(container.execute(command, { PORT: '1' }).status).toBe(1)
  expect(container.said()).toMatch(/^Listening on http:.*, data in \/data\/watchpost\.db$/m)
  expect(container.execute(['stat', '-c', '%u %a', '/data'], {}).stdout).toBe('1000 700\n')
  expect(container.execute(['ls', '/app'], {}).stdout).toBe(
    'node_modules\npackage-lock.json\npackage.json\n',
  )
  // The optional packages are there, and a ping needs no root.
  expect(container.execute(['ls', '-d', 'node_modules/bullmq', 'node_modules/pg'], {}).status).toBe(
    0,
  )
  const created = await fetch(`http://127.0.0.1:${http}/api/v1/monitors`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'ping', host: '127.0.0.1' }),
  })
  expect(created.status).toBe(201)
  const check = await fetch(`http://127.0.0.1:${http}/api/v1/monitors/1/check?wait=1`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEY}` },
  })
  expect(await check.json()).toMatchObject({ results: [{ verdict: 'ok' }] })
  expect(await container.stop()).toBe(0)
})

interface Container {
  said(): string
  execute(
    words: readonly string[],
    env: Readonly<Record<string, string>>,
  ): { readonly status: number | null; readonly stdout: string }
  /** As `docker stop` does; the exit code. */
  stop(): Promise<number | null>
}

interface Image {
  readonly place: string
  readonly context: string
  readonly registry: string
  readonly port: number
}

async function run({ place, context, registry, port }: Image): Promise<Container> {
  const build = join(place, 'build')
  const script = join(place, 'build.sh')
  const npm = { npm_config_registry: registry, npm_config_cache: '/tmp/npm', HOME: '/tmp' }
  const entry = wordsOf(textsOf(last, 'ENTRYPOINT')[0])
  writeFileSync(
    script,
    `mkdir ${build}\n${buildScript({
      stages,
      context,
      place: build,
      env: npm,
      // Its packages are on this machine.
      skips: (text) => text.startsWith('apt-get '),
      command: [...entry, ...wordsOf(textsOf(last, 'CMD')[0])],
      variables: { PORT: `${port}`, HOST: '127.0.0.1', WATCHPOST_API_KEY: KEY },
    })}\n`,
  )
  const child = spawn('unshare', ['-m', 'sh', '-e', script], { detached: true })
  const undertaker = hireUndertaker(place)
  undertaker.watch(child.pid)
  const closed = once(child, 'close') as Promise<[number | null]>
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
    await undertaker.dismiss()
  })
  let text = ''
  const listening = new Promise<void>((resolve) => {
    const hear = (chunk: Buffer): void => {
      text += chunk.toString('utf8')
      if (text.includes('Listening on')) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
  })
  await Promise.race([listening, closed])
  if (!text.includes('Listening on')) throw new Error(`It does not serve:\n${text}`)
  return {
    said: () => text,
    execute(words, env) {
      const inside = ['-t', `${child.pid ?? 0}`, '-m', '-r', '-S', '1000', '-G', '1000']
      return spawnSync('nsenter', [...inside, 'sh', '-c', 'cd /app; exec "$@"', 'sh', ...words], {
        env: { PATH: process.env['PATH'] ?? '', ...env },
        encoding: 'utf8',
        timeout: 30_000,
      })
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = await closed
      return code
    },
  }
}
