/** A receiver of the examples, started as it is, or carried by a few lines where it only exports itself. */

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signWebhook } from '../../src/webhook/verify.ts'
import type { Build } from './build.ts'

export const SECRET = 's3cret ü'

/** From an export to a function from `Request` to `Response`. */
const CARRIED: Readonly<Record<string, string>> = {
  'webhook-receiver-hono.mjs': 'const fetch = async (request) => receiver.default.fetch(request)',
  'webhook-receiver-nextjs.mjs':
    'const fetch = async (request) => receiver[request.method]?.(request) ?? new Response(null, { status: 405 })',
  'webhook-receiver-workers.mjs':
    'const fetch = (request) => receiver.default.fetch(request, { WEBHOOK_SECRET: process.env.WEBHOOK_SECRET })',
}

export interface Receiver {
  /** The status of the answer; `cut` where the connection was ended instead. */
  send(sent: Sent): Promise<number | 'cut'>
  /** Ends it once it printed `last`, which it may do after its answer, and tells all that it printed. */
  stopAfter(last: string): Promise<string>
}

export interface Sent {
  readonly body: Uint8Array
  readonly signature?: string
  readonly method?: string
}

export async function startReceiver(build: Build, name: string): Promise<Receiver> {
  const child = spawn(process.execPath, [programOf(build, name)], {
    cwd: build.folder,
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Against what hangs: six start beside each other, and a busy machine takes its time.
    timeout: 170_000,
  })
  let output = ''
  let heard = (): void => undefined
  const closed = new Promise<string>((resolve) => child.on('close', () => resolve(output)))
  const address = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      output += chunk.toString('utf8')
      const found = /Listening on (http:\S+)\n/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
      heard()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void closed.then(() => reject(new Error(`${name} ended: ${output}`)))
  })
  return {
    async send({ body, signature, method = 'POST' }) {
      const headers = {
        'content-type': 'application/json',
        ...(signature === undefined ? {} : { 'x-service-signature': signature }),
      }
      const init = method === 'GET' ? { headers } : { method, body, headers }
      return fetch(`${address}/hook`, init).then(
        ({ status }) => status,
        () => 'cut',
      )
    },
    stopAfter(last) {
      // One that never prints it ends with the child's own time limit.
      heard = () => void (output.includes(last) && child.kill('SIGKILL'))
      heard()
      return closed
    },
  }
}

function programOf({ folder }: Build, name: string): string {
  const carried = CARRIED[name]
  if (carried === undefined) return join(folder, 'examples', name)
  const file = join(folder, `carrier-of-${name}`)
  writeFileSync(
    file,
    `import { createServer } from 'node:http'
import { toNodeHandler } from 'watchpost/rest/node'
import * as receiver from './examples/${name}'
${carried}
const server = createServer(toNodeHandler({ fetch, owns: () => true })).listen(0, '127.0.0.1', () => {
  console.log('Listening on http://127.0.0.1:' + server.address().port)
})
`,
  )
  return file
}

/** A body as the sender writes it. */
export function bodyOf(options: { readonly id: number; readonly age_sec?: number }): Uint8Array {
  const { id, age_sec = 0 } = options
  return new TextEncoder().encode(
    JSON.stringify({
      event: 'down',
      monitor: { id: 1, name: `Größe ${id}`, type: 'http', target: 'https://shop.example/' },
      incident: null,
      sent_at: new Date(Date.now() - age_sec * 1000).toISOString(),
      notification_id: id,
    }),
  )
}

export function signed(body: Uint8Array, secret: string = SECRET): Sent {
  return { body, signature: signWebhook(secret, body) }
}
