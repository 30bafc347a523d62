/**
 * watchpost as a module of Nest: one engine that begins and ends with the app, injected with `@InjectEngine()`, and
 * its API, status page and metrics as middleware.
 */

import { Inject, Module, RequestMethod } from '@nestjs/common'
import type {
  DynamicModule,
  FactoryProvider,
  MiddlewareConsumer,
  ModuleMetadata,
  NestModule,
  OnApplicationShutdown,
  OnModuleInit,
} from '@nestjs/common'
import { createEngine } from 'watchpost'
import type { Engine, EngineOptions } from 'watchpost'
import { createMetrics } from 'watchpost/metrics'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import type { RestOptions } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'

export interface WatchpostModuleOptions {
  readonly engine: EngineOptions
  readonly rest?: RestOptions
  /** Where the status page is. Default `/status`. */
  readonly pagePath?: string
  /** Where the metrics are. Default `/metrics`. */
  readonly metricsPath?: string
}

interface WatchpostModuleAsyncOptions {
  readonly imports?: NonNullable<ModuleMetadata['imports']>
  readonly inject?: NonNullable<FactoryProvider['inject']>
  readonly useFactory: (
    ...injected: never[]
  ) => WatchpostModuleOptions | Promise<WatchpostModuleOptions>
}

const OPTIONS = Symbol('watchpost options')
/** For `app.get(ENGINE)`. */
export const ENGINE = Symbol('watchpost engine')

/** Injects the engine: `constructor(@InjectEngine() engine: Engine)`. */
export const InjectEngine = (): ParameterDecorator => Inject(ENGINE)

@Module({})
export class WatchpostModule implements NestModule, OnModuleInit, OnApplicationShutdown {
  readonly #engine: Engine
  readonly #options: WatchpostModuleOptions

  constructor(@Inject(ENGINE) engine: Engine, @Inject(OPTIONS) options: WatchpostModuleOptions) {
    this.#engine = engine
    this.#options = options
  }

  static forRoot(options: WatchpostModuleOptions): DynamicModule {
    return WatchpostModule.forRootAsync({ useFactory: () => options })
  }

  static forRootAsync(options: WatchpostModuleAsyncOptions): DynamicModule {
    const { imports = [], inject = [], useFactory } = options
    return {
      module: WatchpostModule,
      global: true,
      imports,
      providers: [
        { provide: OPTIONS, inject, useFactory },
        {
          provide: ENGINE,
          inject: [OPTIONS],
          useFactory: ({ engine }: WatchpostModuleOptions) => createEngine(engine),
        },
      ],
      exports: [ENGINE],
    }
  }

  configure(consumer: MiddlewareConsumer): void {
    const { rest, pagePath = '/status', metricsPath = '/metrics' } = this.#options
    const doors = [
      createRest(this.#engine, rest),
      createPage(this.#engine, { basePath: pagePath }),
      createMetrics(this.#engine, { path: metricsPath }),
    ]
    for (const door of doors) {
      // Each takes its own paths and passes the others on.
      consumer.apply(toNodeHandler(door)).forRoutes({ path: '{*path}', method: RequestMethod.ALL })
    }
  }

  onModuleInit(): Promise<void> {
    return this.#engine.start()
  }

  onApplicationShutdown(): Promise<void> {
    return this.#engine.stop()
  }
}
