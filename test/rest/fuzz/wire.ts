/** Sends bytes over a real socket and reads the answers, however the server ends them. */

import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface WireAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

interface Sending {
  /** HEAD: an answer without a body. */
  readonly head: boolean
  /** On a connection of its own, which is closed behind the bytes; any number of answers may come. */
  readonly alone: boolean
}

export interface Lane {
  /** Rejects when the server neither answers nor closes. */
  send(bytes: Buffer, sending: Sending): Promise<readonly WireAnswer[]>
  close(): void
}

/** Far beyond what any request here takes on a busy machine. */
const PATIENCE_MS = 20_000

/** A client with one connection, kept alive between requests. */
export function lane(port: number): Lane {
  let kept: Socket | undefined

  return {
    async send(bytes, { head, alone }) {
      const socket = alone || kept === undefined || kept.destroyed ? connectTo(port) : kept
      if (!alone) kept = undefined
      const answers = await answersOn(
        socket,
        () => (alone ? socket.end(bytes) : socket.write(bytes)),
        {
          head,
          alone,
        },
      )
      const last = answers.at(-1)
      if (!alone && last !== undefined && !/close/i.test(last.headers.get('connection') ?? '')) {
        kept = socket
      } else {
        // A reset leaves no port waiting: hundreds of thousands are opened in a long run.
        socket.resetAndDestroy()
      }
      return answers
    },
    close: () => void kept?.destroy(),
  }
}

function connectTo(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  return socket
}

function answersOn(
  socket: Socket,
  begin: () => void,
  sending: Sending,
): Promise<readonly WireAnswer[]> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0)
    const settle = (closed: boolean): void => {
      try {
        const answers = parseAnswers(seen, sending.head, closed)
        if (closed || answers.length > 0) resolve(answers)
        else return
      } catch (error) {
        reject(error)
      }
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose)
    }
    const onData = (chunk: Buffer): void => {
      seen = Buffer.concat([seen, chunk])
      if (!sending.alone) settle(false)
    }
    const onClose = (): void => settle(true)
    const timer = setTimeout(() => {
      reject(new Error(`no answer and no end; so far: ${seen.toString('latin1')}`))
    }, PATIENCE_MS)
    socket.on('data', onData).on('close', onClose)
    begin()
  })
}

/** Complete answers but for interim ones (1xx); `closed`: no more bytes will come. */
function parseAnswers(seen: Buffer, head: boolean, closed: boolean): WireAnswer[] {
  const answers: WireAnswer[] = []
  let at = 0
  for (;;) {
    const end = seen.indexOf('\r\n\r\n', at)
    if (end === -1) return answers
    const [first = '', ...lines] = seen.toString('latin1', at, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? NaN)
    if (Number.isNaN(status)) throw new Error(`not an answer: ${first}`)
    const headers = new Map(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    at = end + 4
    if (status < 200) continue
    const length = bodyLength({ seen, at, head, closed, status, headers })
    if (length === undefined || seen.length < at + length) return answers
    // Node answers an unknown `Expect` in chunks, of which there are none; nothing else here comes so.
    const chunked = headers.has('transfer-encoding')
    answers.push({ status, headers, body: chunked ? '' : seen.toString('utf8', at, at + length) })
    at += length
  }
}

function bodyLength(told: {
  readonly seen: Buffer
  readonly at: number
  readonly head: boolean
  readonly closed: boolean
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
}): number | undefined {
  const { seen, at, head, closed, status, headers } = told
  if (head || status === 304) return 0
  if (headers.has('transfer-encoding')) return '0\r\n\r\n'.length
  const length = headers.get('content-length')
  if (length !== undefined) return Number(length)
  // Answers to HEAD among spoilt requests have no length either.
  if (seen.toString('latin1', at, at + 5) === 'HTTP/') return 0
  return closed ? seen.length - at : undefined
}
