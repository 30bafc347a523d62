/** The examples as apps on free ports, with body parsers of their framework before or behind what is mounted. */

import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import ts from 'typescript'
import { root } from '../../scripts/steps.mjs'
import type { Build } from './build.ts'

/** A change of an example's text, which has to be in it. */
type Change = readonly [from: string, to: string]

export interface Variant {
  /** Below `examples`: a program, or a folder with a `main.ts`. */
  readonly example: string
  readonly changes?: readonly Change[]
}

export interface App {
  readonly origin: string
  readonly key: string
}

export interface RunningApps {
  app(name: string): App
  stop(): Promise<void>
}

export const variants: Readonly<Record<string, Variant>> = {
  'node:http': { example: 'node-http.mjs' },
  'node:http under a prefix': { example: 'node-http.mjs', changes: [prefixed()] },
  ...expressVariants('Express 4', 'express4'),
  ...expressVariants('Express 5', 'express'),
  ...fastifyVariants(),
  ...honoVariants(),
  ...koaVariants(),
  ...nestVariants(),
}

function prefixed(): Change {
  return ['createRest(engine)', "createRest(engine, { basePath: '/monitoring' })"]
}

/** An import beside those of the example. */
function importing(line: string): Change {
  const known = "import { createEngine } from 'watchpost'\n"
  return [known, `${line}\n${known}`]
}

function behind(line: string, added: string): Change {
  return [line, `${line}${added}\n`]
}

function expressVariants(name: string, module: string): Record<string, Variant> {
  const example = 'express.mjs'
  const all = 'app.use(express.json(), express.urlencoded({ extended: true }), express.text())'
  const parsers: Readonly<Record<string, string>> = {
    'json, urlencoded and text': all,
    'simple urlencoded': 'app.use(express.urlencoded({ extended: false }))',
    raw: "app.use(express.raw({ type: '*/*', limit: '1mb' }))",
    'text of any type': "app.use(express.text({ type: '*/*', limit: '1mb' }))",
    multer: 'app.use(multer().none())',
  }
  const base = [
    ["from 'express'", `from '${module}'`] as const,
    importing("import multer from 'multer'"),
  ]
  const app = 'const app = express()\n'
  const mount = 'for (const door of [rest, page, metrics]) app.use(toNodeHandler(door))\n'
  const behindEach = Object.entries(parsers).map(([parser, line]) => [
    `${name} behind ${parser}`,
    { example, changes: [...base, behind(app, line)] },
  ])
  return {
    [name]: { example, changes: base },
    [`${name} before its parsers`]: { example, changes: [...base, behind(mount, all)] },
    [`${name} under a prefix`]: { example, changes: [...base, prefixed(), behind(app, all)] },
    ...(Object.fromEntries(behindEach) as Record<string, Variant>),
  }
}

function fastifyVariants(): Record<string, Variant> {
  const example = 'fastify.mjs'
  const app = 'const app = fastify()\n'
  const plugins = [
    importing("import formbody from '@fastify/formbody'"),
    importing("import multipart from '@fastify/multipart'"),
  ]
  const register =
    'await app.register(formbody)\nawait app.register(multipart, { attachFieldsToBody: true })'
  return {
    'Fastify 5': { example },
    'Fastify 5 with parsers for forms': { example, changes: [...plugins, behind(app, register)] },
    'Fastify 5 under a prefix': {
      example,
      changes: [prefixed(), ["'/api/v1/*', '/hb/*'", "'/monitoring/api/v1/*', '/monitoring/hb/*'"]],
    },
  }
}

function honoVariants(): Record<string, Variant> {
  const example = 'hono.mjs'
  const app = 'const app = new Hono()\n'
  const reading = (how: string): Change =>
    behind(app, `app.use(async (c, next) => { await c.req.${how}.catch(() => {}); await next() })`)
  return {
    'Hono on its Node server': { example },
    'Hono behind text()': { example, changes: [reading('text()')] },
    'Hono behind arrayBuffer()': { example, changes: [reading('arrayBuffer()')] },
    'Hono under a prefix': { example, changes: [prefixed()] },
    'Hono on node:http': {
      example,
      changes: [
        ["import { serve } from '@hono/node-server'", "import { createServer } from 'node:http'"],
        importing("import { toNodeHandler } from 'watchpost/rest/node'"),
        [
          'const server = serve({ fetch: app.fetch, port, hostname: ',
          `const serve = (options, said) => {
  const door = { fetch: async (request) => app.fetch(request), owns: () => true }
  const server = createServer(toNodeHandler(door))
  return server.listen(options.port, options.hostname, () => said(server.address()))
}
const server = serve({ fetch: app.fetch, port, hostname: `,
        ],
      ],
    },
  }
}

function koaVariants(): Record<string, Variant> {
  const example = 'koa.mjs'
  const imported = importing("import bodyParser from 'koa-bodyparser'")
  const app = 'const app = new Koa()\n'
  const parser = "app.use(bodyParser({ enableTypes: ['json', 'form', 'text'] }))"
  return {
    Koa: { example },
    'Koa behind koa-bodyparser': { example, changes: [imported, behind(app, parser)] },
    'Koa before koa-bodyparser': {
      example,
      changes: [imported, behind('// #endregion\n', parser)],
    },
    'Koa under a prefix': { example, changes: [prefixed()] },
  }
}

function nestVariants(): Record<string, Variant> {
  const example = 'nestjs'
  const asynchronous: readonly Change[] = [
    ['WatchpostModule.forRoot({', 'WatchpostModule.forRootAsync({ useFactory: async () => ({'],
    ['      },\n    }),\n  ],\n  controllers', '      },\n    }) }),\n  ],\n  controllers'],
  ]
  return {
    'NestJS, behind its own parsers': { example },
    'NestJS with rawBody': {
      example,
      changes: [['create(AppModule)', 'create(AppModule, { rawBody: true })']],
    },
    'NestJS without parsers, by forRootAsync': {
      example,
      changes: [...asynchronous, ['create(AppModule)', 'create(AppModule, { bodyParser: false })']],
    },
    'NestJS on Fastify': {
      example,
      changes: [
        [
          "import { NestFactory } from '@nestjs/core'",
          "import { NestFactory } from '@nestjs/core'\nimport { FastifyAdapter } from '@nestjs/platform-fastify'",
        ],
        ['create(AppModule)', 'create(AppModule, new FastifyAdapter())'],
      ],
    },
    'NestJS under a prefix': {
      example,
      changes: [
        ['      engine: {\n', "      rest: { basePath: '/monitoring' },\n      engine: {\n"],
      ],
    },
  }
}

/** All variants in one process: each is its own app with its own engine, and starting Node for each takes far longer. */
export async function startVariants(build: Build): Promise<RunningApps> {
  const names = Object.keys(variants)
  const files = Object.values(variants).map((variant, index) => {
    const folder = join(build.folder, 'apps', String(index))
    mkdirSync(folder, { recursive: true })
    writeVariant(folder, variant)
    return join(folder, 'main.mjs')
  })
  const runner = join(build.folder, 'apps', 'run.mjs')
  writeFileSync(runner, `const files = ${JSON.stringify(files)}\n${RUNNER}`)
  const child = spawn(process.execPath, [runner], {
    env: { ...process.env, NODE_ENV: 'production', PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const apps: App[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) apps.push(JSON.parse(line) as App)
    if (apps.length === names.length) break
  }
  return {
    app(name) {
      const app = apps[names.indexOf(name)]
      if (app === undefined) throw new Error(`${name} did not start`)
      return app
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Each file is imported when the one before it has said where it listens, and its first key. */
const RUNNER = `import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
for (const file of files) {
  process.env.WATCHPOST_DATA = join(dirname(file), 'a.db')
  const said = new Promise((resolve) => {
    let output = ''
    console.log = (line) => {
      output += line + '\\n'
      const origin = /http:\\S+:\\d+/.exec(output)?.[0]
      const key = /^API key: (\\S+)$/m.exec(output)?.[1]
      if (origin !== undefined && key !== undefined) resolve({ origin, key })
    }
  })
  await import(pathToFileURL(file).href)
  process.stdout.write(JSON.stringify(await said) + '\\n')
}
`

function writeVariant(folder: string, { example, changes = [] }: Variant): void {
  const source = (name: string): string => readFileSync(join(root, 'examples', name), 'utf8')
  if (example.endsWith('.mjs')) {
    writeFileSync(join(folder, 'main.mjs'), changed(source(example), changes))
    return
  }
  const module = source(`${example}/watchpost.module.ts`)
  writeFileSync(join(folder, 'watchpost.module.mjs'), compiled(module))
  writeFileSync(join(folder, 'main.mjs'), compiled(changed(source(`${example}/main.ts`), changes)))
}

function changed(text: string, changes: readonly Change[]): string {
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`the example has no "${from}"`)
    return before.replace(from, () => to)
  }, text)
}

function compiled(text: string): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
    },
  })
  return outputText.replaceAll('.module.js', '.module.mjs')
}

export interface RunningApp extends App {
  stop(): Promise<void>
}

/** One app as a process of its own, begun when it has said where it listens, and its first key. */
export async function startApp(args: readonly string[], cwd: string): Promise<RunningApp> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', PORT: '0', WATCHPOST_DATA: join(cwd, 'a.db') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<string>((resolve) => child.on('close', () => resolve(output)))
  const begun = new Promise<App>((resolve) => {
    const hear = (chunk: Buffer): void => {
      output += chunk.toString('utf8')
      const origin = /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(output)?.[0]
      const key = /^API key: (\S+)$/m.exec(output)?.[1]
      if (origin !== undefined && key !== undefined) resolve({ origin, key })
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
  })
  const app = await Promise.race([begun, ended])
  if (typeof app === 'string') throw new Error(`the app ended: ${app}`)
  return {
    ...app,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
