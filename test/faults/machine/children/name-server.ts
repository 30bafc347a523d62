/**
 * The name server of a machine in trouble: 127.0.0.1:53, which every name leads to.
 *
 * @module
 */

import { createSocket } from 'node:dgram'
import { decode, encode } from 'dns-packet'
import type { NameServerMood } from '../protocol.ts'

/** Longer than any check of the test waits. */
const SLOW_MS = 4900

export interface MoodyNameServer {
  mood: NameServerMood
}

export async function startNameServer(): Promise<MoodyNameServer> {
  const server: MoodyNameServer = { mood: 'well' }
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = decode(message)
    const [question] = questions
    if (question === undefined || server.mood === 'silent') return
    const failing = server.mood === 'servfail'
    const known = question.type === 'A' && !failing
    const packet = encode({
      type: 'response',
      id: server.mood === 'wrong-id' ? id ^ 1 : id,
      flags: 0x0180 | (failing ? 2 : 0),
      questions,
      answers: known ? [{ type: 'A', name: question.name, ttl: 0, data: '127.0.0.1' }] : [],
    })
    // The machine may have lost its network meanwhile.
    const answer = (): void => socket.send(packet, from.port, from.address, () => undefined)
    if (server.mood === 'slow') setTimeout(answer, SLOW_MS)
    else answer()
  })
  await new Promise<void>((resolve) => socket.bind(53, '127.0.0.1', resolve))
  return server
}
