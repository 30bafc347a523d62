/**
 * A DNS server (UDP) on this machine that answers as the test says.
 *
 * @module
 */

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode } from 'dns-packet'
import type { Answer, Question } from 'dns-packet'
import { onTestFinished } from 'vitest'

export interface DnsReply {
  /** Default 0 (NOERROR); 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  readonly rcode?: number
  readonly answers?: readonly Answer[]
  /** Default: that of the question. */
  readonly id?: number
}

export interface ScriptedDns {
  /** `127.0.0.1:port`. */
  readonly address: string
  /** `TYPE name` of every question so far. */
  readonly questions: readonly string[]
}

/** `undefined` stays silent. Closed when the test ends. */
export async function scriptedDns(
  reply: (question: Question) => DnsReply | undefined,
): Promise<ScriptedDns> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const query = decode(message)
    const question = query.questions?.[0]
    if (question === undefined) return
    questions.push(`${question.type} ${question.name}`)
    const said = reply(question)
    if (said === undefined) return
    const packet = encode({
      type: 'response',
      id: said.id ?? query.id ?? 0,
      flags: 0x0180 | (said.rcode ?? 0),
      questions: [question],
      answers: [...(said.answers ?? [])],
    })
    socket.send(packet, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void socket.close(resolve)))
  return { address: `127.0.0.1:${socket.address().port}`, questions }
}
