/**
 * The REST API, the status page and the metrics inside a Koa app, beside middleware of your own.
 *
 *   npm run build && npm install koa && node examples/koa.mjs
 */

import { createServer } from 'node:http'
import Koa from 'koa'
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { createMetrics } from 'watchpost/metrics'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { toNodeHandler } from 'watchpost/rest/node'
import { sqliteStore } from 'watchpost/store/sqlite'

const engine = createEngine({
  store: sqliteStore({ file: process.env['WATCHPOST_DATA'] ?? 'data/koa.db' }),
  checkers: builtinCheckers(),
})
const metrics = createMetrics(engine)
await engine.start()
const rest = createRest(engine)
const page = createPage(engine, { basePath: '/status' })

// #region mount
const app = new Koa()
for (const door of [rest, page, metrics]) {
  const handler = toNodeHandler(door)
  app.use(async (ctx, next) => {
    if (!door.owns(ctx.path)) {
      await next()
      return
    }
    ctx.respond = false
    // What koa-bodyparser has read, if it stands before this.
    const { body, rawBody } = ctx.request
    handler(Object.assign(ctx.req, { body, rawBody }), ctx.res)
  })
}
// #endregion
app.use((ctx) => {
  ctx.body = 'An app with monitoring inside: see /status/\n'
})

const server = createServer(app.callback())
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  console.log(`Listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})

if ((await engine.keys.list()).length === 0) {
  const { key } = await engine.keys.create({ name: 'first' })
  console.log(`API key: ${key}`)
}

process.once('SIGTERM', () => {
  server.close()
  void engine.stop()
})
