import { createSocket } from 'node:dgram'
import type { Socket } from 'node:dgram'
import { once } from 'node:events'
import { dns as dnsChecker } from '../../src/checkers/dns/index.ts'
import type { Benchmark } from '../harness/benchmark.ts'
import { inFlight } from '../harness/benchmark.ts'
import { startFarm } from '../harness/farm.ts'
import { checkOf, CONCURRENCY } from './checking.ts'

const OURS = 'watchpost dns check'
const SHARED = 'bare query, one socket for all'
const OWN = 'bare query, a socket each'

export const dns: Benchmark = {
  name: 'dns',
  about: 'one dns check against the query alone',
  unit: 'check',
  async prepare(stage) {
    const { dns: port } = await startFarm(stage)
    const units = Math.round(2000 * stage.scale)
    const check = checkOf(dnsChecker(), {
      dns_name: 'shop.example',
      rrtype: 'A',
      nameserver: [`127.0.0.1:${port}`],
    })
    const shared = createSocket('udp4')
    shared.connect(port, '127.0.0.1')
    await once(shared, 'connect')
    stage.onEnd(() => shared.close())
    const ask = sharing(shared)
    return {
      baseline: SHARED,
      contenders: [
        { name: OURS, units, run: (count) => inFlight(count, CONCURRENCY, check) },
        { name: SHARED, units, run: (count) => inFlight(count, CONCURRENCY, ask) },
        { name: OWN, units, run: (count) => inFlight(count, CONCURRENCY, () => alone(port)) },
      ],
      goals: [
        { of: OURS, against: SHARED, at_most: 2 },
        { of: OURS, against: OWN, at_most: 2 },
      ],
    }
  },
}

/** A for shop.example, recursion desired. */
function query(id: number): Buffer {
  const message = Buffer.from(
    '\0\0\x01\0\0\x01\0\0\0\0\0\0\x04shop\x07example\0\0\x01\0\x01',
    'latin1',
  )
  message.writeUInt16BE(id)
  return message
}

/** Answers find their question by its id. */
function sharing(socket: Socket): () => Promise<void> {
  const waiting = new Map<number, () => void>()
  let last = 0
  socket.on('message', (answer) => {
    const id = answer.readUInt16BE()
    waiting.get(id)?.()
    waiting.delete(id)
  })
  return () =>
    new Promise((resolve) => {
      last = (last + 1) % 65_536
      waiting.set(last, resolve)
      socket.send(query(last))
    })
}

/** A port of its own for each question, which is what keeps strangers from answering it (RFC 5452). */
function alone(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    socket.once('error', reject)
    socket.once('message', () => socket.close(() => resolve()))
    socket.connect(port, '127.0.0.1', () => socket.send(query(1)))
  })
}
