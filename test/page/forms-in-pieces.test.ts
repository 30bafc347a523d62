/** A form or a body that comes byte by byte: the pieces are not kept, each with a hundred times its size. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { readBytes } from '../../src/rest/body.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { ORIGIN, site } from './visit.ts'

const BYTES = 20_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** The text in pieces of one byte, and how many of them are kept before the last one is sent. */
function inPieces(text: string) {
  const bytes = new TextEncoder().encode(text)
  const pieces: WeakRef<Uint8Array>[] = []
  const seen = { kept: Infinity }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const at = pieces.length
        if (at === bytes.length) {
          controller.close()
          return
        }
        if (at === bytes.length - 1) {
          // A piece that was looked at is held until its turn ends.
          await new Promise(setImmediate)
          collect()
          seen.kept = pieces.filter((piece) => piece.deref() !== undefined).length
        }
        const piece = bytes.slice(at, at + 1)
        pieces.push(new WeakRef(piece))
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
  return { body, seen }
}

it('a form of a signed-in user', async () => {
  const made = await site()
  const visit = made.visitor()
  await visit.signIn()
  const { body, seen } = inPieces(`type=scripted&f.host=fine.test&f.name=${'x'.repeat(BYTES)}`)
  const headers = {
    cookie: [...visit.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const init = { method: 'POST', headers, body, duplex: 'half' } as const
  const answer = await made.page.fetch(new Request(new URL('/monitors/new', ORIGIN), init))
  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain('x'.repeat(BYTES))
  expect(seen.kept).toBeLessThan(1000)
})

it('a body of a request to the API', async () => {
  const { body, seen } = inPieces('x'.repeat(BYTES))
  const request = new Request(ORIGIN, { method: 'POST', body, duplex: 'half' })
  const limits = { clock: simulatedClock(), max_bytes: BYTES, overflow: 'refuse' } as const
  expect((await readBytes(request, limits)).length).toBe(BYTES)
  expect(seen.kept).toBeLessThan(1000)
})
