/**
 * `node scripts/result-path.mjs`: runs one HTTP check that fails, with its webhook, on the memory store, and says which
 * files of `src` have a function that is called from the due time to the recorded attempt. Fails if a numbered file of
 * docs/design/architecture.md is not among them.
 */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './steps.mjs'

// Node 22.18 and later reads TypeScript by itself.
if (!('typescript' in process.features && process.features.typescript)) {
  register('./docs/read-typescript.mjs', import.meta.url)
}

const { createEngine } = await import('../src/engine/engine.ts')
const { memoryStore } = await import('../src/store/memory.ts')
const { http } = await import('../src/checkers/http/index.ts')
const { webhookContact } = await import('../src/webhook/webhook-kind.ts')
const { createGuard } = await import('../src/net/guard/guard.ts')

let status = 200
const target = await listen((response) => response.writeHead(status).end())
const receiver = await listen((response) => response.end())
const guard = createGuard({ allowCidrs: ['127.0.0.0/8'] })
const engine = createEngine({
  store: memoryStore(),
  checkers: [http()],
  contacts: [webhookContact({ guard })],
})
await engine.start()
await engine.contacts.create({
  kind: 'webhook',
  name: 'receiver',
  url: receiver.url,
  all_monitors: true,
})
const settings = { interval_sec: 10, fail_threshold: 1 }
await engine.monitors.create({ type: 'http', url: target.url, ...settings })
await new Promise((resolve) => engine.once('round', resolve))

status = 500
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await new Promise((resolve) => engine.once('notification', resolve))
const { result } = await session.post('Profiler.takePreciseCoverage')
await engine.stop()
for (const { server } of [target, receiver]) server.close()

const source = pathToFileURL(join(root, 'src/')).href
const used = result
  .filter(({ url, functions }) => url.startsWith(source) && functions.some(isCalled))
  .map(({ url }) => url.slice(source.length))
  .sort()
const page = readFileSync(join(root, 'docs/design/architecture.md'), 'utf8')
const numbered = new Set(
  [...page.matchAll(/\b\d+ ([\w/-]+\.ts)\b/g)].flatMap(([, path]) => path ?? []),
)
const missing = [...numbered].filter((path) => !used.includes(path))
for (const path of used) console.log(`${numbered.has(path) ? '* ' : '  '}${path}`)
console.log(`${used.length} files in use; * numbered in architecture.md: ${numbered.size}`)
for (const path of missing) console.log(`numbered and not in use: ${path}`)
process.exitCode = missing.length > 0 ? 1 : 0

/** @param {import('node:inspector').Profiler.FunctionCoverage} of */
function isCalled({ functionName, ranges }) {
  return functionName !== '' && (ranges[0]?.count ?? 0) > 0
}

/** @param {(response: import('node:http').ServerResponse) => void} answer */
async function listen(answer) {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => answer(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { server, url: `http://127.0.0.1:${port}/` }
}
