/**
 * What is checked, in a process of its own: its work is not counted as ours. Tells its ports and its
 * certificate as one line of JSON and ends when nobody listens to it any more.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
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

const { key, cert } = certificate()
const ports = {
  http: await listen(createServer(answer)),
  https: await listen(createTlsServer({ key, cert }, answer)),
  tcp: await listen(createTcpServer((socket) => socket.on('error', () => undefined).resume())),
}
console.log(JSON.stringify({ ...ports, ca: cert }))
process.stdin.resume().on('end', () => process.exit())
