/**
 * G14: answers of a GiB, plain, in chunks, packed and as headers, to checks and to a webhook: what the process
 * grows by, beyond what a whole page of 4 MiB took before, and what its end of the connection took. Option: --mib 1024,
 * how large they are.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createGzip } from 'node:zlib'
import { content } from '../../src/checkers/content/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { systemClock } from '../../src/clock.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { silentLogger } from '../../src/logger.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import { deliveryOf } from '../../src/webhook/contact-kind.ts'
import { freezePayload } from '../../src/webhook/payload.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

const { values } = parseArgs({
  options: { mib: { type: 'string', default: '1024' }, serve: { type: 'boolean', default: false } },
})
const MIB = 1024 * 1024
/** A search of 64 MiB leaves more to collect than a page that is cut at 4 MiB, and no more than this of a GiB. */
const LIMIT_MIB = { http: 32, content: 16, webhook: 16 }
/** What `content` keeps of a page, to judge it as bytes and as text. The memory for it is not given back. */
const WHOLE_MIB = 4
const size = Number(values.mib) * MIB

type Way = keyof typeof LIMIT_MIB

/** In a process of its own, so that what it takes is not counted. */
async function serve(): Promise<void> {
  let taken = 0
  const server = createServer((request, response) => {
    const kind = request.url?.slice(1)
    if (kind === 'small') return void response.end('small')
    if (kind === 'whole') return void response.end(Buffer.alloc(WHOLE_MIB * MIB, 'a'))
    if (kind === 'taken') {
      response.end(String(taken))
      taken = 0
      return
    }
    const { socket } = request
    socket.on('close', () => (taken = socket.bytesWritten))
    if (kind === 'plain') response.setHeader('Content-Length', size)
    if (kind === 'packed') response.setHeader('Content-Encoding', 'gzip')
    if (kind === 'headers') response.setHeader('X-Large', 'x'.repeat(MIB))
    response.setHeader('Content-Type', 'text/plain')
    pour(
      kind === 'packed' ? createGzip().on('data', (piece) => response.write(piece)) : response,
      response,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
}

/** As fast as it is taken. */
function pour(into: NodeJS.WritableStream, response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, 'a')
  let left = size
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= piece.length
      if (!into.write(piece) || response.writableNeedDrain) {
        into.once('drain', more)
        return
      }
    }
    into.end()
    if (into !== response) into.once('end', () => response.end())
  }
  response.on('error', () => undefined)
  more()
}

async function measure(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const child = spawn(process.execPath, [process.argv[1] ?? '', '--serve', '--mib', values.mib], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const base = `http://127.0.0.1:${Number(line.toString())}`
  const kind = webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })
  const ways: Readonly<Record<Way, (url: string) => Promise<string | null>>> = {
    http: async (url) => (await runCheck(http, { url, keyword_present: 'zebra' })).cause_code,
    content: async (url) => (await runCheck(content, { url })).cause_code,
    webhook: async (url) => (await deliver(kind, url)).error,
  }
  for (const each of Object.values(ways)) {
    for (let n = 0; n < 20; n++) await each(`${base}/small`)
    for (let n = 0; n < 5; n++) await each(`${base}/whole`)
  }
  for (const answer of ['plain', 'chunked', 'packed', 'headers']) {
    for (const [name, run] of Object.entries(ways) as [Way, (typeof ways)[Way]][]) {
      collect()
      const before = process.memoryUsage().rss
      let peak = before
      const sample = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5)
      const from = performance.now()
      const found = await run(`${base}/${answer}`)
      clearInterval(sample)
      const added = Math.max(peak, process.memoryUsage().rss) - before
      if (added >= LIMIT_MIB[name] * MIB) process.exitCode = 1
      const took_ms = Math.round(performance.now() - from)
      const taken_mib = Math.round((await takenFrom(base)) / MIB)
      const added_mib = Math.round(added / MIB)
      console.log({ answer, to: name, found, added_mib, taken_mib, took_ms })
    }
  }
  child.kill()
}

/** What was written before the connection was closed; much of it waited in the buffers of the system. */
async function takenFrom(base: string): Promise<number> {
  for (;;) {
    const bytes = Number(await (await fetch(`${base}/taken`)).text())
    if (bytes > 0) return bytes
    await systemClock.sleep(20)
  }
}

function deliver(kind: ReturnType<typeof webhookContact>, url: string) {
  const { policy } = kind
  const row = { id: 1, event: 'test', incident_id: null, sent_at: 0 }
  const payload = freezePayload({ event: 'test', monitor: null, incident: null })
  return kind.deliver(
    {
      clock: systemClock,
      log: silentLogger,
      signal: new AbortController().signal,
      network: createNetwork({ clock: systemClock, policy }),
    },
    { url, method: 'POST' },
    deliveryOf({ ...row, payload }),
  )
}

await (values.serve ? serve() : measure())
