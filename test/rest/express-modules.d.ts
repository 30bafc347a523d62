/** Express and Koa bring no types; this is what tests, examples and documentation use of them. */

declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Request extends IncomingMessage {
    /** What a parser before made of the body. */
    readonly body?: unknown
  }
  interface Response extends ServerResponse {
    sendStatus(status: number): void
  }
  type Middleware = (req: Request, res: Response, next: (error?: unknown) => void) => void
  interface Application extends RequestListener {
    use(...handlers: readonly Middleware[]): void
    use(path: string, ...handlers: readonly Middleware[]): void
    get(path: string, handler: Middleware): void
    post(path: string, ...handlers: readonly Middleware[]): void
  }
  interface Express {
    (): Application
    json(): Middleware
    raw(options: { readonly type: string; readonly limit?: string }): Middleware
    text(options: { readonly type: string }): Middleware
    urlencoded(options: { readonly extended: boolean }): Middleware
  }
  const express: Express
  export type { Application, Express }
  export default express
}

declare module 'express4' {
  import type { Express } from 'express'

  const express: Express
  export default express
}

declare module 'koa' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Context {
    readonly req: IncomingMessage
    readonly res: ServerResponse
    readonly path: string
    readonly request: { readonly body?: unknown; readonly rawBody?: string }
    body: unknown
    respond?: boolean
  }
  export default class Koa {
    use(middleware: (ctx: Context, next: () => Promise<void>) => unknown): this
    callback(): RequestListener
  }
}
