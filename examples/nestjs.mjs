/**
 * The REST API inside a Nest app, beside controllers of your own. Decorators are written as the calls that they
 * are, so that it runs as it stands; in TypeScript it is `@Module({ … }) class AppModule`.
 *
 *   npm run build && npm install @nestjs/common @nestjs/core @nestjs/platform-express reflect-metadata rxjs
 *   node examples/nestjs.mjs
 */

import 'reflect-metadata'
import { Controller, Get, Logger, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { sqliteStore } from 'watchpost/store/sqlite'

const engine = createEngine({
  store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/nestjs.db' }),
  checkers: builtinCheckers(),
})

class DownController {
  /** The monitors that are down, as a route of your own. */
  async list() {
    const { items } = await engine.monitors.list({ status: ['down'] })
    return { down: items.map(({ name }) => name) }
  }
}
Controller('/')(DownController)
Get()(DownController.prototype, 'list', { value: DownController.prototype.list })

/** The engine begins and ends with the app. */
class AppModule {
  onModuleInit() {
    return engine.start()
  }

  onApplicationShutdown() {
    return engine.stop()
  }
}
Module({ controllers: [DownController] })(AppModule)

Logger.overrideLogger(['warn', 'error'])
const app = await NestFactory.create(AppModule)
// Takes /api/v1 and /hb, leaves all other paths to Nest. With accounts of your own, give createRest your
// `authenticate`; without it, keys of the engine are asked for.
app.use(toNodeHandler(createRest(engine)))
app.enableShutdownHooks()
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
console.log(`Listening on ${await app.getUrl()}`)

if ((await engine.keys.list()).length === 0) {
  const { key } = await engine.keys.create({ name: 'first' })
  console.log(`API key: ${key}`)
}
