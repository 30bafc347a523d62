/**
 * Every checker and the webhook against names that lead inside, in a network of its own where every inner
 * address has a trap. Prints what was tried and who walked into a trap, as JSON.
 */

import { createSocket } from 'node:dgram'
import { writeSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { decode, encode } from 'dns-packet'
import type { Answer } from 'dns-packet'
import { blacklist } from '../../../../src/checkers/blacklist/index.ts'
import { domain } from '../../../../src/checkers/domain/index.ts'
import { builtinCheckers } from '../../../../src/checkers/index.ts'
import type { AnyChecker } from '../../../../src/checkers/checker.ts'
import { systemClock } from '../../../../src/clock.ts'
import {
  builtinContacts,
  pagerdutyContact,
  telegramContact,
} from '../../../../src/contacts/index.ts'
import { emailContact } from '../../../../src/contacts/email/index.ts'
import { executeCheck } from '../../../../src/engine/checks/execute-check.ts'
import { parseSettings } from '../../../../src/engine/checks/run-check.ts'
import { parse, decodeSettings } from '../../../../src/fields/parse.ts'
import { silentLogger } from '../../../../src/logger.ts'
import type { JsonObject } from '../../../../src/model.ts'
import { targetPolicy } from '../../../../src/net/guard/guard.ts'
import type { TargetRule } from '../../../../src/net/guard/guard.ts'
import { createNetwork } from '../../../../src/net/create-net.ts'
import { createResolver } from '../../../../src/net/resolve/resolver.ts'
import { deliveryOf } from '../../../../src/webhook/contact-kind.ts'
import type { AnyContactKind } from '../../../../src/webhook/contact-kind.ts'
import { freezePayload } from '../../../../src/webhook/payload.ts'
import { ANSWERS, INNER, OUTER, PORTS, REDIRECTS, REFERRALS } from '../rebinding.ts'
import type { RebindingReport, Tried } from '../rebinding.ts'

const WHOIS_PORT = 43

const hits: string[] = []
const queries = new Map<string, number>()

/** Listens on all addresses; whoever comes to another one than the outer has walked into a trap. */
async function setTraps(): Promise<void> {
  for (const port of PORTS) {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      const at = (socket.localAddress ?? '').replace(/^::ffff:/, '')
      if (at !== OUTER) {
        hits.push(`tcp ${at}:${port}`)
        socket.destroy()
        return
      }
      serve(socket, port)
    })
    await new Promise<void>((resolve) => server.listen(port, '::', resolve))
    server.unref()
  }
  for (const address of INNER) {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    socket.on('message', () => hits.push(`udp ${address}:53`))
    await new Promise<void>((resolve) => socket.bind(53, address, resolve))
    socket.unref()
  }
}

/** What is outside speaks HTTP and WHOIS and sends its visitors inside; to everybody else it says goodbye. */
function serve(socket: Socket, port: number): void {
  socket.on('data', (bytes: Buffer) => {
    if (port === WHOIS_PORT) {
      const [, referral = ''] = /^refer-(\d+)/.exec(bytes.toString('latin1')) ?? []
      const where = REFERRALS[Number(referral || NaN)]
      socket.end(where === undefined ? 'no\r\n' : `refer: ${where}\r\nwhois: ${where}\r\n`)
      return
    }
    const [, index] = /^GET \/to\/(\d+)/.exec(bytes.toString('latin1')) ?? []
    const where = index === undefined ? undefined : REDIRECTS[Number(index)]
    socket.end(
      where === undefined
        ? 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
        : `HTTP/1.1 302 Found\r\nLocation: ${where}\r\nContent-Length: 0\r\n\r\n`,
    )
  })
}

async function startNameServer(): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = decode(message)
    const [question] = questions
    if (question === undefined) return
    const name = question.name.toLowerCase()
    const count = queries.get(`${question.type} ${name}`) ?? 0
    queries.set(`${question.type} ${name}`, count + 1)
    const answers: Answer[] = ANSWERS[name]?.(question.type, count) ?? []
    const packet = encode({ type: 'response', id, flags: 0x0180, questions, answers })
    socket.send(packet, from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  socket.unref()
  return `127.0.0.1:${socket.address().port}`
}

/** Settings that make a checker of each type dial `host`; `null`: it dials nobody that its settings name. */
const SETTINGS: Readonly<Record<string, ((host: string) => JsonObject) | null>> = {
  http: (host) => ({ url: `http://${host}/` }),
  content: (host) => ({ url: `http://${host}/` }),
  ping: (host) => ({ host: bare(host), count: 1 }),
  tcp: (host) => ({ host: bare(host), port: 80 }),
  dns: (host) => ({ dns_name: 'asked.test', nameserver: host }),
  ssl: (host) => ({ host: bare(host) }),
  domain: () => ({ domain: 'example.test' }),
  smtp: (host) => ({ host: bare(host), tls: 'none' }),
  pop3: (host) => ({ host: bare(host), tls: 'none' }),
  imap: (host) => ({ host: bare(host), tls: 'none' }),
  ftp: (host) => ({ host: bare(host), tls: 'none' }),
  mysql: (host) => ({ host: bare(host), user: 'u' }),
  postgres: (host) => ({ host: bare(host), user: 'u' }),
  resources: (host) => ({ url: `http://${host}/` }),
  heartbeat: null,
  blacklist: (host) => ({ target: host }),
  grpc: (host) => ({ host: bare(host), port: 80 }),
  redis: (host) => ({ host: bare(host) }),
  websocket: (host) => ({ url: `ws://${host}/` }),
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** Those whose servers are options and not settings are made for each host. */
function checkersFor(host: string): AnyChecker[] {
  return builtinCheckers({ extra: true }).map((checker): AnyChecker => {
    if (checker.type === 'domain') {
      const whois = host.includes(':') ? null : host
      const servers = { rdapServers: { test: `http://${host}/` }, whoisServers: { test: whois } }
      return domain({ bootstrapUrl: null, whoisRoot: null, ...servers, gapMs: 0, cacheMs: 0 })
    }
    if (checker.type === 'blacklist')
      return blacklist({ lists: [{ id: 'bl', zone: 'bl.test' }], paceMs: 0 })
    return checker
  })
}

function networkFor(nameserver: string, targets: TargetRule) {
  const resolver = createResolver({ nameservers: [nameserver], hostsFile: '/nonexistent' })
  const policy = targetPolicy(targets)
  return createNetwork({ clock: systemClock, policy, resolver, nameservers: [nameserver] })
}

interface At {
  readonly nameserver: string
  readonly targets: TargetRule
}

async function tryChecker(
  checker: AnyChecker,
  settings: JsonObject,
  { nameserver, targets }: At,
): Promise<Tried | undefined> {
  const what = `${checker.type} ${JSON.stringify(settings)}`
  let stored: JsonObject
  try {
    stored = parseSettings(checker, settings)
  } catch {
    // A host that the field refuses is dialled by nobody.
    return undefined
  }
  const check = (timeout_ms: number) =>
    executeCheck(checker, stored, {
      clock: systemClock,
      network: networkFor(nameserver, targets),
      timeout_ms,
      location: { id: 1, name: 'inside' },
      log: silentLogger,
    })
  let { outcome } = await check(1000)
  // The name server knows it: nobody but a busy machine kept the check from the answer.
  if (/^(?:dns|probe)_/.test(outcome.cause_code ?? '') && what.includes('inner.test'))
    outcome = (await check(20_000)).outcome
  return { what, type: checker.type, cause_code: outcome.cause_code, remote_ip: outcome.remote_ip }
}

/** Each with settings, or options, that make it call `host`. */
function contactsFor(host: string, path: string): (readonly [AnyContactKind, JsonObject])[] {
  const url = `http://${host}${path}`
  const own = { baseUrl: `http://${host}` }
  return builtinContacts().map((kind): readonly [AnyContactKind, JsonObject] => {
    if (kind.kind === 'telegram') {
      return [telegramContact(own), { token: `1:${'x'.repeat(35)}`, chat_id: '1' }]
    }
    if (kind.kind === 'pagerduty') return [pagerdutyContact(own), { routing_key: 'k'.repeat(32) }]
    if (kind.kind === 'ntfy') return [kind, { server: url, topic: 'topic' }]
    if (kind.kind !== 'email') return [kind, { url }]
    const mail = { from: 'a@shop.example', to: ['b@shop.example'], tls: 'none' }
    return [
      emailContact({ deadlineMs: host === 'inner.test' ? 12_000 : 500 }),
      { host: bare(host), ...mail },
    ]
  })
}

async function tryContact(
  [kind, settings]: readonly [AnyContactKind, JsonObject],
  what: string,
  nameserver: string,
): Promise<Tried | undefined> {
  const parsed = parse(kind.fields, settings)
  if (!parsed.ok) return undefined
  const resolver = createResolver({ nameservers: [nameserver], hostsFile: '/nonexistent' })
  const end = await kind.deliver(
    {
      clock: systemClock,
      log: silentLogger,
      signal: new AbortController().signal,
      network: createNetwork({ clock: systemClock, policy: kind.policy, resolver }),
    },
    decodeSettings(kind.fields, parsed.value),
    deliveryOf({
      ...{ id: 1, event: 'test', incident_id: null, sent_at: 0 },
      payload: freezePayload({ event: 'test', monitor: null, incident: null }),
    }),
  )
  return { what: `${kind.kind} ${what}`, type: kind.kind, cause_code: end.error, remote_ip: null }
}

/** The registry outside sends those who ask it inside, by RDAP and by WHOIS. */
async function tryRegistries(at: At): Promise<(Tried | undefined)[]> {
  const options = { bootstrapUrl: null, whoisRoot: null, gapMs: 0, cacheMs: 0 }
  const redirected = REDIRECTS.map((_, index) => {
    const rdapServers = { test: `http://${OUTER}/to/${index}/` }
    const listed = `http://${OUTER}/to/${index}`
    return [
      domain({ ...options, rdapServers, whoisServers: { test: null } }),
      domain({ ...options, bootstrapUrl: listed, whoisServers: { test: null } }),
    ]
  })
  const referred = REFERRALS.map(() => {
    const whoisServers = { test: OUTER }
    return [
      domain({ ...options, rdapServers: { test: [] }, whoisServers }),
      domain({ ...options, rdapServers: { test: [] }, whoisRoot: OUTER }),
    ]
  })
  const tried: (Tried | undefined)[] = []
  // One at a time: none must miss its trap because the machine is busy.
  for (const all of [redirected, referred]) {
    for (const [index, checkers] of all.entries()) {
      const settings = { domain: `refer-${index}.test` }
      for (const checker of checkers) tried.push(await tryChecker(checker, settings, at))
    }
  }
  return tried
}

async function tryAll(nameserver: string, targets: TargetRule): Promise<Tried[]> {
  const at = { nameserver, targets }
  const hosts = [...Object.keys(ANSWERS), ...INNER.map((ip) => (ip.includes(':') ? `[${ip}]` : ip))]
  hosts.push('localhost', '0x7f.2', '2130706434', '127.2', '[::ffff:127.0.0.2]', '0.0.0.0', '[::]')
  const tried: (Tried | undefined)[] = []
  // More than once: the next answer of the name server may be another one.
  for (const host of [...hosts, ...hosts]) {
    const checks = checkersFor(host).map((checker) => {
      const settings = SETTINGS[checker.type]
      // Those beyond the specification dial through the same door.
      return settings === undefined || settings === null
        ? undefined
        : tryChecker(checker, settings(host), at)
    })
    const contacts = contactsFor(host, '/').map((each) => tryContact(each, host, nameserver))
    tried.push(...(await Promise.all([...checks, ...contacts])))
  }
  for (const index of REDIRECTS.keys()) {
    const url = `http://${OUTER}/to/${index}`
    const checks = builtinCheckers({ extra: true })
      .filter(({ type }) => SETTINGS[type]?.('x')['url'] !== undefined)
      .map((checker) => tryChecker(checker, { url }, at))
    const contacts = contactsFor(OUTER, `/to/${index}`).map((each) =>
      tryContact(each, url, nameserver),
    )
    tried.push(...(await Promise.all([...checks, ...contacts])))
  }
  tried.push(...(await tryRegistries(at)))
  return tried.filter((one) => one !== undefined)
}

await setTraps()
const nameserver = await startNameServer()
const tried = await tryAll(nameserver, 'public')
const guarded = hits.splice(0)
// The traps themselves are tried as well: without a guard somebody walks into them.
const open = () => undefined
for (const checker of checkersFor('inner.test')) {
  const settings = SETTINGS[checker.type] ?? null
  if (settings === null) continue
  await tryChecker(checker, settings('inner.test'), { nameserver, targets: open })
}
const unguarded = new Set(hits.splice(0))
await tryRegistries({ nameserver, targets: open })
const referred = new Set(hits)
writeSync(
  1,
  JSON.stringify({
    tried,
    hits: guarded,
    unguarded: [...unguarded],
    referred: [...referred],
  } satisfies RebindingReport),
)
process.exit(0)
