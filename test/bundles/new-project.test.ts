import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { commandLine, folder } from '../support/command-line.ts'
import { packPackage } from '../support/packed.ts'
import { startRegistry } from '../support/registry.ts'

const watchpost = commandLine()
const execute = promisify(execFile)

it('a new project installs, passes its test and serves, with nothing but the package', async () => {
  const packed = await packPackage()
  onTestFinished(() => packed.remove())
  const registry = await startRegistry([packed])
  onTestFinished(() => registry.close())
  const place = folder()
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: place,
    npm_config_registry: registry.url,
    npm_config_cache: join(place, '.npm'),
  }
  await execute('npm', ['exec', '--yes', '--', 'watchpost', 'init', 'our-watch'], {
    cwd: place,
    env,
  })
  const project = join(place, 'our-watch')
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as object
  expect(manifest).toMatchObject({ name: 'our-watch', dependencies: { watchpost: '^0.1.0' } })

  const options = { cwd: project, env }
  await execute('npm', ['install', '--no-audit', '--no-fund'], options)
  const { stdout } = await execute('npm', ['test'], options)
  expect(stdout).toMatch(/^(?:#|ℹ) pass 1$/m)
  expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m)

  const child = execFile(process.execPath, ['start.mjs'], {
    cwd: project,
    env: { ...env, PORT: '0', SITE_URL: registry.url },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  const listening = new Promise<string>((resolve) => {
    child.stdout?.on('data', (text: string) => {
      said += text
      const [, url] = /^Listening on (http:\S+)$/m.exec(said) ?? []
      if (url !== undefined) resolve(url)
    })
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  const url = await Promise.race([listening, ended.then(() => Promise.reject(new Error(said)))])
  const [, key = ''] = /^API key: (\S+)$/m.exec(said) ?? []
  const headers = { Authorization: `Bearer ${key}`, Connection: 'close' }
  const monitors = await (await fetch(`${url}/api/v1/monitors`, { headers })).json()
  expect(monitors).toMatchObject({ monitors: [{ name: 'Our site', type: 'http' }] })
  // No URL, and no reason to end.
  const nowhere = await fetch(`${url}//`, { headers: { Connection: 'close' } })
  expect(nowhere.status).toBe(404)
  const page = await fetch(`${url}/sign-in`, { headers: { Connection: 'close' } })
  expect(page.headers.get('content-type')).toContain('text/html')
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
}, 300_000)

it('a file that is there is never changed, and nothing is written beside it', async () => {
  const place = folder()
  writeFileSync(join(place, 'monitors.mjs'), 'mine')
  const { code, stderr } = await watchpost.run(['init'], { cwd: place })
  expect({ code, stderr }).toEqual({
    code: 64,
    stderr: 'watchpost: .: monitors.mjs is there already\n',
  })
  expect(readdirSync(place)).toEqual(['monitors.mjs'])
  expect((await watchpost.run(['init', 'a', 'b'], { cwd: place })).code).toBe(64)
  expect((await watchpost.run(['init', 'monitors.mjs'], { cwd: place })).code).toBe(64)
})
