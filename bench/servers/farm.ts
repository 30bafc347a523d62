/**
 * What is checked, in a process of its own: its work is not counted as ours. Tells its ports and its
 * certificate as one line of JSON and ends when nobody listens to it any more.
 */

import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createSecureServer as createHttp2Server } from 'node:http2'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PAGE = `<!doctype html><title>Shop</title><p>${'All is well. '.repeat(150)}</p>`

const answer: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    if (request.method === 'POST') response.writeHead(204).end()
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE)
  })
}

const http2Answer = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(PAGE)
  })
}

function certificate(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-farm-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
  const subject = ['-subj', '/CN=localhost', '-addext', names, '-days', '30']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert]
  try {
    execFileSync('openssl', [...made, ...subject], { stdio: 'pipe' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
      resolve((server.address() as AddressInfo).port),
    )
  })
}

/** A name server that knows one address for every name. */
function nameServer(): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    // The question ends with an empty label, its type and its class.
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
    const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 192, 0, 2, 1])
    socket.send(Buffer.concat([header, question, record]), port, address)
  })
  return new Promise((resolve) => {
    socket.bind(0, '127.0.0.1', () => resolve(socket.address().port))
  })
}

const { key, cert } = certificate()
const ports = {
  http: await listen(createServer(answer)),
  https: await listen(createTlsServer({ key, cert }, answer)),
  http2: await listen(createHttp2Server({ key, cert, allowHTTP1: true }, http2Answer)),
  dns: await nameServer(),
  tcp: await listen(createTcpServer((socket) => socket.on('error', () => undefined).resume())),
}
console.log(JSON.stringify({ ...ports, ca: cert }))
process.stdin.resume().on('end', () => process.exit())
