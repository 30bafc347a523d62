import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestContext } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { signWebhook } from '../../src/webhook/verify.ts'
import { headings, parsePage, section } from '../package/markdown.ts'
import { buildPackage } from './build.ts'
import type { Build } from './build.ts'

// Every recipe of the page, run: a genuine webhook is taken, a changed, an old and an unsigned one are not.

const PAGE = 'docs/guide/receiving-webhooks.md'
/** Against what hangs: seven programs that start beside each other take half a minute on a busy machine. */
const LIMIT_MS = 170_000
const SECRET = 's3cret ü'
const STANDARD = 'Standard Webhooks'
const STANDARD_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const page = parsePage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
const recipe = (heading: string) => parsePage(PAGE, section(page, heading)).blocks[0]?.text ?? ''

/** What is put behind a recipe so that `ask(body, header)` resolves with the status it answers. */
const DRIVERS: Readonly<Record<string, (code: string) => string>> = {
  'node:http': (code) =>
    `${code.replace('createServer(async', 'const server = createServer(async').replace('.listen(3000)', '.listen(0)')}
const ask = over(server)`,
  Express: (code) => `${code}
import { createServer } from 'node:http'
const ask = over(createServer(app).listen(0))`,
  Fastify: (code) => `${code}
await app.listen({ port: 0 })
const ask = over(app.server)`,
  Hono: (code) => `${code}\nconst ask = within((request) => app.fetch(request))`,
  'Next.js': (code) => `${code}\nconst ask = within(POST)`,
  [STANDARD]: (code) => `${code}\nconst ask = within(POST)`,
  'Workers, Deno, Bun': (code) =>
    `${code.replace('export default', 'const worker =')}\nconst ask = within((request) => worker.fetch(request, process.env))`,
}

const HARNESS = `
function over(server) {
  const listening = server.listening ? undefined : new Promise((resolve) => server.once('listening', resolve))
  return async (body, headers) => {
    await listening
    const url = 'http://127.0.0.1:' + server.address().port + '/hook'
    return (await fetch(url, { method: 'POST', body, headers })).status
  }
}
function within(fetch) {
  return async (body, headers) =>
    (await fetch(new Request('http://localhost/hook', { method: 'POST', body, headers }))).status
}
const statuses = []
for (const { body, header, headers = {} } of JSON.parse(process.env.REQUESTS)) {
  const signature = header === null ? headers : { 'x-service-signature': header }
  statuses.push(await ask(body, { 'content-type': 'application/json', ...signature }))
}
console.log('statuses', statuses.join())
process.exit()
`

interface Sent {
  readonly body: string
  readonly header: string | null
}

/** The first is genuine, the others are not. */
function requests(): Sent[] {
  const body = bodyOf(0)
  const old = bodyOf(3600)
  return [
    { body, header: signWebhook(SECRET, body) },
    { body: body.replace('Größe', 'Grosse'), header: signWebhook(SECRET, body) },
    { body: old, header: signWebhook(SECRET, old) },
    { body, header: null },
  ]
}

function bodyOf(age_sec: number): string {
  const sent_at = new Date(Date.now() - age_sec * 1000).toISOString()
  return JSON.stringify({ event: 'down', monitor: { name: 'Größe' }, sent_at, notification_id: 7 })
}

describe('the recipe for', () => {
  let build: Build
  beforeAll(async () => {
    build = await buildPackage()
  })
  afterAll(() => build.remove())

  it.concurrent.each(Object.entries(DRIVERS))('%s', async (name, drive) => {
    const { outputText } = ts.transpileModule(drive(recipe(name)) + HARNESS, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    })
    const file = join(build.folder, `${name.replace(/\W/g, '-')}.mjs`)
    writeFileSync(file, outputText)
    const sent = name === STANDARD ? standardRequests() : requests()
    expect(await outputOf(file, sent)).toContain('statuses 204,401,401,401')
  })
})

/** By the specification of Standard Webhooks 1.0.0: the first is genuine, the others are changed, old and unsigned. */
function standardRequests(): (Sent & { readonly headers: Readonly<Record<string, string>> })[] {
  const body = bodyOf(0)
  const signed = (age_sec: number) => {
    const timestamp = String(Math.floor(Date.now() / 1000) - age_sec)
    const signature = createHmac('sha256', Buffer.from(STANDARD_SECRET.slice(6), 'base64'))
      .update(`msg_1.${timestamp}.${body}`)
      .digest('base64')
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    }
  }
  return [
    { body, header: null, headers: signed(0) },
    { body: `${body} `, header: null, headers: signed(0) },
    { body, header: null, headers: signed(3600) },
    { body, header: null, headers: {} },
  ]
}

describe('the recipe for Python', () => {
  it('takes the genuine one alone', (test) => {
    need('python3', test)
    const code = `${recipe('Python')}
import sys
for request in json.load(sys.stdin):
    print("taken" if verify(request["body"].encode(), request["header"]) else "refused")
`
    expect(lines('python3', ['-c', code], JSON.stringify(requests()))).toEqual([
      'taken',
      ...['refused', 'refused', 'refused'],
    ])
  })
})

describe('the recipe for PHP', () => {
  it('takes the genuine one alone', (test) => {
    need('php', test)
    const [verify = ''] = recipe('PHP').replace('<?php', '').split('$payload = verify(')
    const code = `${verify}
foreach (json_decode(stream_get_contents(STDIN), true) as $request)
    echo verify($request['body'], $request['header']) ? "taken\\n" : "refused\\n";`
    expect(lines('php', ['-r', code], JSON.stringify(requests()))).toEqual([
      'taken',
      ...['refused', 'refused', 'refused'],
    ])
  })
})

describe('the recipe for a shell', () => {
  it('takes the genuine one alone; it does not look at the age', (test) => {
    need('openssl', test)
    const script = recipe('Shell').replace('<body.json', '')
    const said = requests().map(({ body, header }) =>
      lines('sh', ['-c', script], body, { HTTP_X_SERVICE_SIGNATURE: header ?? '' }).join(),
    )
    expect(said).toEqual(['genuine', '', 'genuine', ''])
  })
})

it('of any language is run here, but for Go, which would be compiled first', () => {
  const known = [...Object.keys(DRIVERS), 'Python', 'PHP', 'Shell']
  const told = headings(page.prose, 2).filter((heading) => recipe(heading) !== '')
  expect(told.filter((heading) => !known.includes(heading))).toEqual(['Go'])
})

function outputOf(file: string, sent: readonly Sent[]): Promise<string> {
  const child = spawn(process.execPath, [file], {
    env: {
      ...process.env,
      WEBHOOK_SECRET: SECRET,
      STANDARD_WEBHOOK_SECRET: STANDARD_SECRET,
      REQUESTS: JSON.stringify(sent),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  return new Promise((resolve) => child.on('close', () => resolve(output)))
}

function lines(
  command: string,
  args: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv = {},
): string[] {
  const { stdout, stderr } = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    env: { ...process.env, WEBHOOK_SECRET: SECRET, ...env },
  })
  return (stdout + stderr).split('\n').filter((line) => line !== '')
}

function need(command: string, test: TestContext): void {
  const missing = spawnSync(command, ['-h'], { timeout: LIMIT_MS }).error !== undefined
  if (missing) test.skip(`${command} is not installed`)
}
