import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import express from 'express'
import Fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { resourcesAgent } from '../../src/resources-agent/index.ts'
import type { ResourcesAgent, ResourcesReport } from '../../src/resources-agent/index.ts'
import { systemClock } from '../../src/clock.ts'

const SECRET = 'correct-horse-battery'
const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })

async function onNode(agent: ResourcesAgent): Promise<string> {
  const server = createServer(agent)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

describe('an agent is not made', () => {
  it.each([
    undefined,
    null,
    '',
    'short',
    'fifteen-chars-x',
    'a secret with spaces',
    'pässwörter-pässwörter',
    42,
  ])('with the secret %j', (secret) => {
    expect(() => resourcesAgent({ secret: secret as never })).toThrow(ConfigurationError)
  })
  it('without telling the secret', () => {
    expect(() => resourcesAgent({ secret: 'hush hush hush hush' })).not.toThrow(/hush/)
  })
  it.each([[['']], [[3]]])('with the disks %j', (disks) => {
    expect(() => resourcesAgent({ secret: SECRET, disks: disks as never })).toThrow(
      ConfigurationError,
    )
  })
  it('with less than 16 characters, but with 16', () => {
    expect(typeof resourcesAgent({ secret: 'x'.repeat(16) })).toBe('function')
  })
})

describe('an agent', () => {
  it('reports in the simple form', async () => {
    const url = await onNode(resourcesAgent({ secret: SECRET }))
    const response = await fetch(url, bearer(SECRET))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const report = (await response.json()) as ResourcesReport
    expect(Object.keys(report).sort()).toEqual(['at', 'cores', 'cpu', 'disk', 'load', 'ram'])
    expect(report.cpu).toBeGreaterThanOrEqual(0)
    expect(report.cpu).toBeLessThanOrEqual(100)
    expect(report.ram).toBeGreaterThan(0)
    expect(report.ram).toBeLessThan(100)
    expect(report.disk.length).toBeGreaterThan(0)
    for (const { mount, used_pct } of report.disk) {
      expect(mount).not.toBe('')
      expect(used_pct).toBeGreaterThan(0)
      expect(used_pct).toBeLessThanOrEqual(100)
    }
    expect(Math.abs(Date.parse(report.at) - Date.now())).toBeLessThan(60_000)
  })

  it.each([
    ['no header', {}, 401],
    ['another scheme', { authorization: `Basic ${SECRET}` }, 401],
    ['no token', { authorization: 'Bearer' }, 401],
    ['a wrong one', { authorization: 'Bearer wrong-horse-battery' }, 403],
    ['the beginning of it', { authorization: `Bearer ${SECRET.slice(0, -1)}` }, 403],
    ['more than it', { authorization: `Bearer ${SECRET}x` }, 403],
    ['one in other letters', { authorization: `Bearer ${SECRET.toUpperCase()}` }, 403],
    ['the right one, in a scheme of other letters', { authorization: `bearer ${SECRET}` }, 200],
  ])('asked with %s answers %s', async (_, headers, status) => {
    const agent = resourcesAgent({ secret: SECRET })
    const url = await onNode(agent)
    const response = await fetch(url, { headers })
    expect(response.status).toBe(status)
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    const text = await response.text()
    expect(text).not.toContain(SECRET)
    if (status !== 200) expect(text).not.toContain('cpu')
    expect((await agent.fetch(new Request(url, { headers }))).status).toBe(status)
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s, even with a body', async (method) => {
    const url = await onNode(resourcesAgent({ secret: SECRET }))
    const body = method === 'OPTIONS' ? undefined : 'x'.repeat(100_000)
    const response = await fetch(url, { method, ...bearer(SECRET), ...(body && { body }) })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('answers HEAD with the headers alone', async () => {
    const agent = resourcesAgent({ secret: SECRET })
    const response = await fetch(await onNode(agent), { method: 'HEAD', ...bearer(SECRET) })
    expect(response.status).toBe(200)
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10)
    expect(await response.text()).toBe('')
    const request = new Request('http://x.example/', { method: 'HEAD', ...bearer(SECRET) })
    expect(await (await agent.fetch(request)).text()).toBe('')
  })

  it('lives in Express and in Fastify', async () => {
    const agent = resourcesAgent({ secret: SECRET })
    const app = express()
    app.use('/resources', agent)
    const server = createServer(app)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const inExpress = await fetch(`http://127.0.0.1:${port}/resources`, bearer(SECRET))
    expect(await inExpress.json()).toHaveProperty('ram')
    server.close()

    const fastify = Fastify()
    fastify.get('/resources', (request, reply) => {
      reply.hijack()
      agent(request.raw, reply.raw)
    })
    const origin = await fastify.listen({ host: '127.0.0.1', port: 0 })
    const inFastify = await fetch(`${origin}/resources`, bearer(SECRET))
    expect(await inFastify.json()).toHaveProperty('ram')
    await fastify.close()
  })

  it('measures the named disks only, and says of one that is not there that it is not known', async () => {
    const agent = resourcesAgent({ secret: SECRET, disks: ['/', '/no/such/place'] })
    const response = await agent.fetch(new Request('http://x.example/', bearer(SECRET)))
    const { disk } = (await response.json()) as ResourcesReport
    expect(disk).toEqual([
      { mount: '/', used_pct: expect.any(Number) as unknown },
      { mount: '/no/such/place', used_pct: null },
    ])
  })

  it('measures once for all who ask at the same time, and lets others have their turn', async () => {
    const agent = resourcesAgent({ secret: SECRET })
    let turns = 0
    const ticking = systemClock.timer(10, () => (turns += 1))
    const reports = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await agent.fetch(new Request('http://x.example/', bearer(SECRET)))
        return response.text()
      }),
    )
    ticking.cancel()
    expect(new Set(reports).size).toBe(1)
    expect(turns).toBe(1)
  })

  it('is not upset by a caller who has gone', async () => {
    const url = await onNode(resourcesAgent({ secret: SECRET }))
    const stop = new AbortController()
    const asking = fetch(url, { ...bearer(SECRET), signal: stop.signal })
    systemClock.timer(20, () => stop.abort())
    await expect(asking).rejects.toThrow()
    expect((await fetch(url, bearer(SECRET))).status).toBe(200)
  })
})
