/**
 * G6: one webhook attempt against receivers that hang in each phase, on the real clock; the deadline is 10 s.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { systemClock } from '../../src/clock.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import { createResolver } from '../../src/net/resolve/resolver.ts'
import { httpTransport } from '../../src/webhook/transport.ts'

/** Listens in a process of its own, which then stands still: what its queue cannot take is never answered. */
const FULL = `
  const server = require('node:net').createServer().listen(0, '127.0.0.1', 1, () => {
    require('node:fs').writeSync(1, server.address().port + '\\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
`
const LOW_MS = 9_900
const HIGH_MS = 10_500

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume()
    onSocket(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return (server.address() as AddressInfo).port
}

/** Writes a piece again and again, until the other side has enough. */
function keepWriting(socket: Socket, pieces: () => string, pause_ms: number): void {
  const write = (): void => {
    if (!socket.writable) return
    socket.write(pieces())
    systemClock.timer(pause_ms, write, { background: true })
  }
  write()
}

function letters(text: string): () => string {
  let at = 0
  return () => text[at++] ?? 'x'
}

const names = createSocket('udp4').bind(0, '127.0.0.1')
await once(names, 'listening')
const full = spawn(process.execPath, ['-e', FULL], { stdio: ['ignore', 'pipe', 'inherit'] })
const [line] = (await once(full.stdout, 'data')) as [Buffer]
const fullPort = Number(line.toString())
const fillers = [connect(fullPort, '127.0.0.1'), connect(fullPort, '127.0.0.1')]
await Promise.all(fillers.map((socket) => once(socket, 'connect')))

const silent = await listen(() => undefined)
const early = await listen((socket) =>
  keepWriting(socket, () => 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n', 20),
)
const drip = await listen((socket) =>
  keepWriting(socket, letters('HTTP/1.1 200 OK\r\nX-Slow: '), 100),
)
const phases: Readonly<Record<string, string>> = {
  'name servers are silent': 'http://receiver.test/',
  'SYN is not answered': `http://127.0.0.1:${fullPort}/`,
  'TLS is not answered': `https://127.0.0.1:${silent}/`,
  'no answer': `http://127.0.0.1:${silent}/`,
  'endless 103': `http://127.0.0.1:${early}/`,
  'headers letter by letter': `http://127.0.0.1:${drip}/`,
}

const resolver = createResolver({ nameservers: [`127.0.0.1:${names.address().port}`] })
const network = createNetwork({ clock: systemClock, policy: () => undefined, resolver })
const transport = httpTransport()
const body = Buffer.from('{"event":"down"}')
const rows = await Promise.all(
  Object.entries(phases).map(async ([phase, url]) => {
    const from = performance.now()
    const answer = await transport.send(
      { url, method: 'POST', headers: [['Content-Type', 'application/json']], body },
      { network, clock: systemClock, signal: new AbortController().signal },
    )
    const took_ms = Math.round(performance.now() - from)
    // Name servers are given up before the deadline; that is a failure of its own.
    const until_deadline = answer.error === 'timeout' && took_ms >= LOW_MS
    const kept = took_ms <= HIGH_MS && (until_deadline || answer.error === 'probe_resolver_broken')
    return { phase, took_ms, error: answer.error, kept }
  }),
)
console.table(rows)
full.kill('SIGKILL')
process.exit(rows.every(({ kept }) => kept) ? 0 : 1)
