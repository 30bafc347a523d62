/** Express brings no types; this is what the tests use of it. */

declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  type Middleware = (
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
  ) => void
  interface Application extends RequestListener {
    use(...handlers: readonly Middleware[]): void
    use(path: string, ...handlers: readonly Middleware[]): void
    get(path: string, handler: Middleware): void
  }
  interface Express {
    (): Application
    json(): Middleware
    raw(options: { readonly type: string }): Middleware
    text(options: { readonly type: string }): Middleware
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
