/** The demonstration shows nothing that the checks of this build cannot find: it is held against real ones. */

import { once } from 'node:events'
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { ping } from '../../src/checkers/ping.ts'
import { systemPing } from '../../src/net/icmp/system-ping.ts'
import { resources } from '../../src/checkers/resources/index.ts'
import { smtp } from '../../src/checkers/smtp.ts'
import { ssl } from '../../src/checkers/ssl/index.ts'
import type { Json, JsonObject, Outcome } from '../../src/model.ts'
import { resourcesAgent } from '../../src/resources-agent/index.ts'
import { certificates } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { programFolder } from '../support/ping-program.ts'
import { freePorts } from '../support/servers/ports.ts'
import { NOW } from './demo.ts'
import { outages, services } from './demo-data.ts'
import type { Outage } from './demo-data.ts'

const CHECKERS = builtinCheckers()
const HOSTS = { 'shop.example.test': ['127.0.0.1'] }

async function webServer(
  handler: (req: IncomingMessage, res: ServerResponse) => unknown,
): Promise<number> {
  const { chain: cert, key } = certificates().good
  const server = createServer({ cert, key }, handler).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const answering = (status: number) => (_: IncomingMessage, res: ServerResponse) =>
  res.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end('<p>hello</p>')

const webCheck = async (
  handler: Parameters<typeof webServer>[0],
  timeout_ms = 30_000,
): Promise<Outcome> => {
  const url = `https://shop.example.test:${await webServer(handler)}/`
  return check(http(), { url }, { hosts: HOSTS, timeout_ms })
}

/** `tls.protocol: string`, … of everything in it. */
function shapeOf(value: Json, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value}`]
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((each) => shapeOf(each, `${path}[]`))
  return Object.entries(value).flatMap(([name, inner]) =>
    shapeOf(inner ?? null, path === '' ? name : `${path}.${name}`),
  )
}

const shown = (name: string): { readonly details: JsonObject; readonly phases: object } => {
  const service = services.find((each) => each.name === name)
  return { details: service?.details?.(NOW) ?? {}, phases: service?.phases ?? {} }
}

describe('the demonstration', () => {
  it.each<[string, () => Promise<Outcome>]>([
    ['Storefront', () => webCheck(answering(200))],
    [
      'fjord.example certificate',
      async () => {
        const port = await webServer(answering(200))
        return check(ssl(), { host: 'shop.example.test', port }, { hosts: HOSTS })
      },
    ],
    ['Warehouse link', () => check(ping(), { host: '127.0.0.1' })],
    [
      'App server',
      async () => {
        const secret = 'a-long-secret-of-the-agent'
        const agent = resourcesAgent({ secret })
        const port = await webServer(agent)
        const url = `https://shop.example.test:${port}/`
        const settings = {
          url,
          secret,
          cpu_max: 100,
          ram_max: 100,
          disk_max: 100,
          load_max: 10_000,
        }
        return check(resources(), settings, { hosts: HOSTS })
      },
    ],
  ])('%s has only details and phases that a real check has', async (name, real) => {
    const { verdict, details, phases } = await real()
    expect(verdict).toBe('ok')
    expect(shapeOf(details)).toEqual(expect.arrayContaining([...shapeOf(shown(name).details)]))
    expect(Object.keys(phases)).toEqual(expect.arrayContaining(Object.keys(shown(name).phases)))
  })

  it('says the version of HTTP, the protocol of TLS and the cipher that a real check says', async () => {
    const { details } = await webCheck(answering(200))
    const { http_version, tls } = shown('Storefront').details as Record<string, JsonObject>
    const { protocol, cipher, alpn } = tls as Record<string, Json>
    expect(details).toMatchObject({ http_version, tls: { protocol, cipher, alpn } })
  })

  it.each(services.map(({ name, input }) => [name, input.type] as const))(
    '%s: the type %s declares what is shown',
    (name, type) => {
      const checker = CHECKERS.find((each) => each.type === type)
      expect(Object.keys(checker?.measurements ?? {})).toEqual(
        expect.arrayContaining(Object.keys(shown(name).details)),
      )
    },
  )

  const failures: Readonly<Record<string, (deadline_ms: number) => Promise<Outcome>>> = {
    'http http_status 502': () => webCheck(answering(502)),
    'http http_status 503': () => webCheck(answering(503)),
    'http http_response_timeout': (deadline_ms) => webCheck(() => undefined, deadline_ms),
    'smtp connect_refused': async () => {
      const { port } = await freePorts(['port'])
      return check(smtp(), { host: '127.0.0.1', port })
    },
    // Every address of this machine answers: what the system's ping prints of one that does not.
    'ping ping_no_reply': () => {
      const said = 'echo "5 packets transmitted, 0 received, 100% packet loss, time 0ms"; exit 1'
      const path = programFolder({ ping: said })
      return check(ping(), { host: '192.0.2.44' }, { ping: systemPing({ path }) })
    },
  }

  const seen = new Map<string, Exclude<Outage['cause'], 'paused'>>()
  for (const { name, cause } of outages) {
    if (cause === 'paused') continue
    const type = services.find((each) => each.name === name)?.input.type ?? ''
    const status = cause.details?.['status']
    seen.set(
      `${type} ${cause.code}${status === undefined ? '' : ` ${JSON.stringify(status)}`}`,
      cause,
    )
  }

  it.each([...seen])('%s says what a real check says', async (key, cause) => {
    const [type = ''] = key.split(' ')
    const checker = CHECKERS.find((each) => each.type === type)
    expect(Object.keys({ ...SHARED_CAUSES, ...checker?.causes })).toContain(cause.code)
    await withDeadline(1000, async (deadline_ms) => {
      const real = await failures[key]?.(deadline_ms)
      expect(real).toMatchObject({ verdict: 'fail', cause_code: cause.code, phase: cause.phase })
      expect(written(cause.text)).toBe(written(real?.cause_text ?? ''))
    })
  })
})

/** Addresses, ports and times are those of each. */
function written(text: string): string {
  return text.replace(/[\w.-]+:\d+/g, 'HOST:PORT').replace(/\d+ (?:ms|s)\b/g, 'N s')
}
