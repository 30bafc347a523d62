/**
 * A Nest app with monitoring inside. `watchpost.module.ts` goes into yours as it is; your tsconfig has
 * `experimentalDecorators`, as every project of Nest.
 *
 *   npm install @nestjs/common @nestjs/core @nestjs/platform-express reflect-metadata rxjs
 */

import 'reflect-metadata'
import { Controller, Get, Logger, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Engine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { sqliteStore } from 'watchpost/store/sqlite'
import { ENGINE, InjectEngine, WatchpostModule } from './watchpost.module.js'

@Controller()
class DownController {
  readonly #engine: Engine

  constructor(@InjectEngine() engine: Engine) {
    this.#engine = engine
  }

  /** The monitors that are down, as a route of your own. */
  @Get()
  async list(): Promise<{ readonly down: readonly string[] }> {
    const { items } = await this.#engine.monitors.list({ status: ['down'] })
    return { down: items.map(({ name }) => name) }
  }
}

Logger.overrideLogger(['warn', 'error'])

// #region mount
@Module({
  imports: [
    WatchpostModule.forRoot({
      engine: {
        store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/nestjs.db' }),
        checkers: builtinCheckers(),
      },
    }),
  ],
  controllers: [DownController],
})
class AppModule {}

const app = await NestFactory.create(AppModule)
app.enableShutdownHooks()
// #endregion
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
console.log(`Listening on ${await app.getUrl()}`)

const engine = app.get<Engine>(ENGINE)
if ((await engine.keys.list()).length === 0) {
  const { key } = await engine.keys.create({ name: 'first' })
  console.log(`API key: ${key}`)
}
