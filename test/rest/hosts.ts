/** The servers that the API can be mounted on, each in the few lines that a user writes. */

import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express5 from 'express'
import type { Express } from 'express'
import express4 from 'express4'
import { fastify } from 'fastify'
import type { FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import type { Rest } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'

export interface RunningHost {
  fetch(path: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

type Host = (rest: Rest) => Promise<RunningHost>

/** What all hosts answer at `/` themselves. */
export const OWN_ANSWER = 'the host itself'

export const hosts: Readonly<Record<string, Host>> = {
  fetch: async ({ fetch }) => ({
    fetch: async (path, init) => {
      if (path === '/') return new Response(OWN_ANSWER)
      return fetch(new Request(new URL(path, 'http://localhost'), init))
    },
    close: async () => undefined,
  }),

  'node:http': (rest) => {
    const handler = toNodeHandler(rest)
    return listen((req, res) => handler(req, res, () => res.end(OWN_ANSWER)))
  },

  'Express 4': (rest) => expressHost(express4, rest),
  'Express 4 behind json()': (rest) => expressHost(express4, rest, 'json'),
  'Express 4 behind raw()': (rest) => expressHost(express4, rest, 'raw'),
  'Express 4 behind text()': (rest) => expressHost(express4, rest, 'text'),
  'Express 4 under a path': (rest) => expressHost(express4, rest, 'mounted'),
  'Express 5': (rest) => expressHost(express5, rest),
  'Express 5 behind json()': (rest) => expressHost(express5, rest, 'json'),
  'Express 5 behind raw()': (rest) => expressHost(express5, rest, 'raw'),
  'Express 5 behind text()': (rest) => expressHost(express5, rest, 'text'),
  'Express 5 under a path': (rest) => expressHost(express5, rest, 'mounted'),

  'Fastify with its own parsers': async (rest) => {
    const app = fastify()
    app.get('/', () => OWN_ANSWER)
    const handler = toNodeHandler(rest)
    for (const path of ['/api/v1/*', '/hb/*']) {
      app.all(path, (request, reply) => {
        reply.hijack()
        handler(Object.assign(request.raw, { body: request.body }), reply.raw)
      })
    }
    return fastifyHost(app)
  },

  'Fastify without parsers': async (rest) => {
    const app = fastify()
    app.get('/', () => OWN_ANSWER)
    const handler = toNodeHandler(rest)
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
      for (const path of ['/api/v1/*', '/hb/*']) {
        scope.all(path, (request, reply) => {
          reply.hijack()
          handler(request.raw, reply.raw)
        })
      }
    })
    return fastifyHost(app)
  },

  Hono: (rest) => {
    const app = new Hono()
    app.get('/', (c) => c.text(OWN_ANSWER))
    app.all('/api/v1/*', (c) => rest.fetch(c.req.raw))
    app.all('/hb/*', (c) => rest.fetch(c.req.raw))
    // Hono needs a server of its own; ours carries any function from Request to Response.
    const server = { fetch: async (request: Request) => app.fetch(request), owns: () => true }
    return listen(toNodeHandler(server))
  },

  'Next route functions': async (rest) => {
    const h = rest.fetch
    const route: Readonly<Record<string, typeof h>> = {
      GET: h,
      HEAD: h,
      POST: h,
      PATCH: h,
      DELETE: h,
    }
    return {
      fetch: async (path, init) => {
        if (path === '/') return new Response(OWN_ANSWER)
        const request = new Request(new URL(path, 'http://localhost'), init)
        return (await route[request.method]?.(request)) ?? new Response(null, { status: 405 })
      },
      close: async () => undefined,
    }
  },
}

function expressHost(
  express: Express,
  rest: Rest,
  way?: 'json' | 'raw' | 'text' | 'mounted',
): Promise<RunningHost> {
  const app = express()
  if (way === 'json') app.use(express.json())
  if (way === 'raw') app.use(express.raw({ type: '*/*' }))
  if (way === 'text') app.use(express.text({ type: '*/*' }))
  for (const path of way === 'mounted' ? ['/api', '/hb'] : ['/']) {
    app.use(path, toNodeHandler(rest))
  }
  app.get('/', (_req, res) => void res.end(OWN_ANSWER))
  return listen(app)
}

async function fastifyHost(app: FastifyInstance): Promise<RunningHost> {
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    fetch: (path, init) => fetch(origin + path, init),
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

export async function listen(
  listener: RequestListener,
): Promise<RunningHost & { readonly port: number; readonly server: Server }> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    server,
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
