/**
 * Receivers of webhooks in a process of their own, one on each of so many addresses of this machine, all well: they
 * check each signature, count each notification, and tell of it when asked.
 * Usage: node counting.mjs <addresses> <secret>
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '../../../src/webhook/verify.ts'
import type { Counts } from './counting.ts'

const [, , addresses = '1', secret = ''] = process.argv
/** Arrivals of each notification, epoch ms with fractions. */
const arrivals = new Map<number, number[]>()
/** The last row of each monitor at each contact. */
const lastRow = new Map<string, number>()
let unverified = 0
let out_of_order = 0

interface Told {
  readonly notification_id: number
  readonly monitor: { readonly id: number }
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const at = performance.timeOrigin + performance.now()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('error', () => undefined)
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    const header = String(request.headers['x-service-signature'] ?? '')
    if (!verifyWebhook({ body, header, secret, toleranceSec: 0 }).ok) unverified++
    count(JSON.parse(body.toString()) as Told, `${request.url}`, at)
    response.end('ok')
  })
}

function count({ notification_id: id, monitor }: Told, path: string, at: number): void {
  const seen = arrivals.get(id)
  if (seen !== undefined) return void seen.push(at)
  arrivals.set(id, [at])
  const whose = `${monitor.id} ${path}`
  if ((lastRow.get(whose) ?? 0) > id) out_of_order++
  lastRow.set(whose, id)
}

const ports: number[] = []
for (let nth = 1; nth <= Number(addresses); nth++) {
  const server = createServer(receive).listen(0, `127.0.0.${nth}`)
  await once(server, 'listening')
  ports.push((server.address() as AddressInfo).port)
}
process.on('message', () => {
  const counts: Counts = { arrivals: [...arrivals], unverified, out_of_order }
  process.send?.(counts)
})
// Whoever started it is gone.
process.on('disconnect', () => process.exit(0))
process.send?.({ ports })
