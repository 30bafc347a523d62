import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { environmentVariables } from '../../scripts/docs/source-facts.ts'
import { packPackage } from '../support/packed.ts'
import { startRegistry } from '../support/registry.ts'
import { freePorts } from '../support/servers/ports.ts'
import { hireUndertaker } from '../support/servers/undertaker.ts'
import {
  buildScript,
  cannotBuild,
  environmentOf,
  readDockerfile,
  textsOf,
  wordsOf,
} from './dockerfile.ts'

// There is no Docker where this runs: the file is read, and its steps are carried out one by one.

const stages = readDockerfile(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))
const last = stages.at(-1)
const runs = stages.flatMap((stage) => textsOf(stage, 'RUN'))
const healthCheck = textsOf(last, 'HEALTHCHECK')[0] ?? ''
const REASON = cannotBuild()
const KEY = 'a-key-of-the-container'

describe('the Dockerfile', () => {
  it('has two stages of the same image, with a version', () => {
    const [first, second] = stages.map(({ image }) => image)
    expect(stages).toHaveLength(2)
    expect(first).toMatch(/^node:\d+-\w+-slim$/)
    expect(second).toBe(first)
  })

  it('copies from the first stage, by name, what that one installed', () => {
    expect(textsOf(last, 'COPY')).toEqual([`--from=${stages[0]?.name ?? ''} /app ./`])
    expect(textsOf(stages[0], 'COPY')).toEqual(['package.json package-lock.json* ./'])
    expect(runs.join('\n')).toMatch(/npm install --omit=dev --ignore-scripts/)
  })

  it('runs as a user that is not root, whom the data belong to', () => {
    expect(textsOf(last, 'USER')).toEqual(['node'])
    const [volume = ''] = textsOf(last, 'VOLUME')
    expect(dirname(environmentOf(last)['WATCHPOST_DATA'] ?? '')).toBe(volume)
    expect(runs).toContain(`install -d -o node -g node -m 0700 ${volume}`)
    const order = last?.instructions.map(({ name }) => name) ?? []
    expect(order.lastIndexOf('RUN')).toBeLessThan(order.indexOf('USER'))
  })

  it('starts without a shell, so that signals arrive, and listens to all', () => {
    expect(wordsOf(textsOf(last, 'ENTRYPOINT')[0])).toHaveLength(2)
    expect(wordsOf(textsOf(last, 'CMD')[0])).toEqual(['serve'])
    expect(textsOf(last, 'EXPOSE')).toEqual([environmentOf(last)['PORT']])
    expect(environmentOf(last)['HOST']).toBe('0.0.0.0')
    expect(healthCheck).toMatch(
      /^--interval=\d+s --timeout=\d+s --start-period=\d+s --retries=\d CMD \[/,
    )
  })

  it('sets variables that are there, and no secret', () => {
    const names = Object.keys(environmentOf(last)).filter((name) => name !== 'NODE_ENV')
    expect(names.filter((name) => !environmentVariables().includes(name))).toEqual([])
    expect(names.join(' ')).not.toMatch(/KEY|TOKEN|PASSWORD/)
  })

  it('leaves no lists of packages behind, and installs nothing that is not needed', () => {
    const apt = runs.filter((run) => run.includes('apt-get'))
    for (const run of apt)
      expect(run).toMatch(
        /^apt-get update && apt-get install -y --no-install-recommends [\w -]+ && rm -rf \/var\/lib\/apt\/lists\/\*$/,
      )
    expect(apt).toHaveLength(1)
  })

  it('is sent nothing but the packages', () => {
    const ignored = readFileSync(join(root, 'deploy/.dockerignore'), 'utf8').trim().split('\n')
    expect(ignored).toEqual(['*', '!package.json', '!package-lock.json'])
  })
})

describe('the image', () => {
  it('builds, serves, is healthy and stops', { timeout: 300_000 }, async ({ skip }) => {
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
    expect(
      container.execute(['ls', '-d', 'node_modules/bullmq', 'node_modules/pg'], {}).status,
    ).toBe(0)
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
