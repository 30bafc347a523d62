import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { createTurns } from '../../../src/net/timing/turns.ts'
import { exchangeHttp1 } from '../../../src/net/http/http1.ts'
import { sendOne } from '../../../src/net/http/one-request.ts'
import type { Connection } from '../../../src/net/net.ts'
import { openTestNet } from '../../support/open-net.ts'
import type { TestNet } from '../../support/open-net.ts'
import { scriptedServer } from '../../support/scripted-server.ts'

/** A connection that has ended before it is used. */
async function ended(): Promise<{ net: TestNet; connection: Connection; url: URL }> {
  const { port } = await scriptedServer(() => undefined)
  const net = openTestNet()
  const connection = await net.connect({ host: '127.0.0.1', port })
  connection.close()
  await once(connection.socket, 'close')
  return { net, connection, url: new URL(`http://127.0.0.1:${port}/`) }
}

// Such a socket has no event left to tell by.
describe('a connection that has ended before it is used', () => {
  it('fails the exchange', async () => {
    const { net, connection, url } = await ended()
    const turns = createTurns(systemClock)
    const exchange = exchangeHttp1(
      connection,
      { url, method: 'GET', headers: [], body: undefined },
      {
        trace: net.trace,
        clock: systemClock,
        signal: new AbortController().signal,
        bodyLimit: 1000,
        inTurns: (steps) => turns.run(new AbortController().signal, steps),
        turns,
        wantsBody: () => true,
      },
    )
    await expect(exchange).rejects.toMatchObject({ code: 'closed_early' })
  })

  it('fails a single request', async () => {
    const { connection, url } = await ended()
    const request = { url, method: 'POST', headers: [], body: new Uint8Array(), keep_bytes: 100 }
    const sent = sendOne(connection, request, new AbortController().signal)
    await expect(sent).rejects.toMatchObject({ code: 'closed_early' })
  })
})
