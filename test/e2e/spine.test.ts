import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { verifyWebhook } from '../../src/webhook/verify.ts'
import type { VerifiedWebhook } from '../../src/webhook/verify.ts'
import { commandLine, folder } from '../support/command-line.ts'
import type { Server } from '../support/command-line.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'
import { nginxServer, startNginx } from '../support/servers/nginx.ts'

const watchpost = commandLine()

const KEY = 'the-key-of-this-test'
const SECRET = 'the-secret-of-this-test'
const PATIENCE = { timeout: 60_000, interval: 50 }

describeWithServer(nginxServer, 'the whole story', () => {
  it('of an outage: pending, up, down, kill -9 of the watcher, up; told, signed, and on record', async () => {
    const nginx = await forThisTest(startNginx())
    const receiver = await webhookReceiver()
    const start = serviceIn(folder(), receiver.url)

    const first = await start()
    const { monitor } = await ask(first, '/monitors', {
      type: 'http',
      name: 'Shop',
      url: `http://127.0.0.1:${nginx.ports.http}/`,
      // Checks come when they are asked for: one that falls into the stop of nginx would meet another end of it.
      interval_sec: 3600,
      timeout_ms: 30_000,
      fail_threshold: 1,
    })
    expect(monitor).toMatchObject({ id: 1, state: 'pending' })
    expect(await checkUntil(first, 'up')).toMatchObject({ verdict: 'ok', details: { status: 200 } })

    await nginx.halt()
    expect(await checkUntil(first, 'down')).toMatchObject({ cause_code: 'connect_refused' })
    const down = await receiver.next()
    expect(down.event).toBe('down')
    const { incident } = down.payload
    expect(down.payload).toMatchObject({
      monitor: { id: 1, name: 'Shop', type: 'http', target: monitor.url },
      incident: { cause_code: 'connect_refused' },
    })

    expect(await first.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    const second = await start()
    expect((await ask(second, '/monitors/1/status')).status).toMatchObject({
      state: 'down',
      incident: { id: incident?.id, started_at: incident?.started_at },
    })

    // Long enough to be a second of downtime in any rounding.
    const began = Date.parse(incident?.started_at ?? '')
    await expect.poll(() => systemClock.now() - began, PATIENCE).toBeGreaterThan(1100)
    await nginx.restart()
    await checkUntil(second, 'up')
    const up = await receiver.next()
    expect(up).toMatchObject({ event: 'up', payload: { incident: { id: incident?.id } } })
    expect(up.notificationId).toBeGreaterThan(down.notificationId)

    const { incidents } = await ask(second, '/monitors/1/incidents')
    expect(incidents).toMatchObject([
      {
        id: incident?.id,
        state: 'closed',
        closed_reason: 'recovered',
        cause_code: 'connect_refused',
        started_at: incident?.started_at,
      },
    ])
    const { results } = await ask(second, '/monitors/1/results')
    const verdicts = (results as { verdict: string }[]).map(({ verdict }) => verdict)
    expect(verdicts.filter((verdict, i) => verdict !== verdicts[i - 1])).toEqual([
      'ok',
      'fail',
      'ok',
    ])
    // Two, since the outage may have been before midnight.
    const { uptime } = await ask(second, '/monitors/1/uptime?days=2')
    expect(uptime.down_sec).toBeGreaterThan(0)
    expect(uptime.overall).toBeLessThan(100)
    expect(uptime.incidents).toBe(1)

    expect(await second.stop()).toMatchObject({ code: 0 })
    // Nothing else was told.
    expect(receiver.pending()).toEqual([])
  })
})

/** Starts the same service again and again: one data file, one key, one contact. */
function serviceIn(cwd: string, url: string): () => Promise<Server> {
  const contact = { kind: 'webhook', name: 'ops', url, secret: SECRET, all_monitors: true }
  writeFileSync(join(cwd, 'contacts.json'), JSON.stringify([contact]))
  const env = {
    WATCHPOST_API_KEY: KEY,
    WATCHPOST_CONTACTS: 'contacts.json',
    WATCHPOST_WEBHOOK_ALLOW: '127.0.0.1/32',
    LOG_LEVEL: 'debug',
  }
  return () => watchpost.serve({ cwd, env })
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are of every shape
async function ask(server: Server, path: string, body?: unknown): Promise<any> {
  const answer = await server.call(`/api/v1${path}`, { key: KEY, body })
  expect(answer.body).toMatchObject({ ok: true })
  return answer.body
}

/** Checks at once until the monitor is in that state; the last result. */
async function checkUntil(server: Server, state: string): Promise<unknown> {
  let last: unknown
  await expect
    .poll(async () => {
      const { monitor, results } = await ask(server, '/monitors/1/check?wait=1', {})
      last = (results as unknown[])[0]
      return (monitor as { state: string }).state
    }, PATIENCE)
    .toBe(state)
  return last
}

/** Somebody's receiver, written as the documentation says. What does not verify is refused. */
async function webhookReceiver() {
  const genuine: VerifiedWebhook[] = []
  // A sender that was killed before it could note the delivery sends again, under the same id.
  const seen = new Set<number>()
  const server = createServer((req, res) => {
    void bodyOf(req).then((body) => {
      const header = req.headers['x-service-signature']
      const result = verifyWebhook({ body, header, secret: SECRET })
      if (result.ok && !seen.has(result.notificationId)) {
        seen.add(result.notificationId)
        genuine.push(result)
      }
      res.writeHead(result.ok ? 204 : 400).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    pending: () => genuine.map(({ event }) => event),
    async next(): Promise<VerifiedWebhook> {
      await expect.poll(() => genuine.length, PATIENCE).toBeGreaterThan(0)
      return genuine.shift()!
    },
  }
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
