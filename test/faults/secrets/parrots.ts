/**
 * Servers that repeat what they are told, as some do in their error texts: a password that is sent to one
 * comes back in its answer.
 *
 * @module
 */

import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Parrot {
  readonly port: number
  /** Everything that it was told. */
  heard(): Buffer
}

type Talk = (line: string, say: (text: string) => void) => void

/** The last word as it came, unpacked, and packed in other ways. */
function inEveryForm(line: string): string {
  const word = line.split(' ').at(-1) ?? ''
  const plain = Buffer.from(word, 'base64')
  return [
    line,
    plain.toString('latin1').replaceAll('\0', ':'),
    plain.toString('hex'),
    Buffer.from(word).toString('hex').toUpperCase(),
    Buffer.from(`me:${word}`).toString('base64url'),
    word.slice(0, -3),
  ].join(' ')
}

/** What each protocol says first, and to each line. */
const TALKS: Readonly<Record<string, { readonly greeting?: string; readonly talk: Talk }>> = {
  smtp: {
    greeting: '220 parrot ESMTP\r\n',
    talk(line, say) {
      if (/^EHLO/i.test(line)) say('250-parrot\r\n250 AUTH PLAIN LOGIN\r\n')
      else say(`535 5.7.8 no: ${inEveryForm(line)}\r\n`)
    },
  },
  pop3: {
    greeting: '+OK parrot\r\n',
    talk(line, say) {
      if (/^CAPA/i.test(line)) say('+OK\r\nUSER\r\n.\r\n')
      else say(/^USER/i.test(line) ? '+OK\r\n' : `-ERR no: ${inEveryForm(line)}\r\n`)
    },
  },
  imap: {
    greeting: '* OK [CAPABILITY IMAP4rev1] parrot\r\n',
    talk(line, say) {
      const [tag = '*'] = line.split(' ')
      if (/CAPABILITY/i.test(line)) say(`* CAPABILITY IMAP4rev1\r\n${tag} OK\r\n`)
      else say(`${tag} NO [AUTHENTICATIONFAILED] no: ${inEveryForm(line)}\r\n`)
    },
  },
  redis: {
    talk(line, say) {
      if (!/^[*$]|^AUTH$/.test(line)) say(`-ERR no: ${inEveryForm(line)}\r\n`)
    },
  },
  ftp: {
    greeting: '220 parrot\r\n',
    talk(line, say) {
      if (/^USER/i.test(line)) say('331 and?\r\n')
      else say(`530 no: ${inEveryForm(line)}\r\n`)
    },
  },
}

/** Closed when the test ends. `kind` is a protocol of the table, `postgres`, or else HTTP. */
export async function parrot(kind: string, status = 500): Promise<Parrot> {
  const heard: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => heard.push(bytes))
    const talk = TALKS[kind]
    if (kind === 'postgres') postgres(socket)
    else if (talk === undefined) web(socket, status)
    else {
      socket.write(talk.greeting ?? '')
      socket.on('data', (bytes: Buffer) => {
        for (const line of bytes.toString('latin1').split('\r\n').filter(Boolean)) {
          talk.talk(line, (said) => socket.write(said))
        }
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => Buffer.concat(heard),
  }
}

/** Repeats the whole request, in the reason phrase, a header and the body. */
function web(socket: Socket, status: number): void {
  let text = ''
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
    const [head = ''] = text.split('\r\n\r\n')
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    if (!text.includes('\r\n\r\n') || text.length < head.length + 4 + length) return
    const said = text.replaceAll('\r\n', ' ')
    socket.end(
      `HTTP/1.1 ${status} ${said.slice(0, 400)}\r\nX-Said: ${said.slice(0, 2000)}\r\n` +
        `Content-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    )
  })
}

/** Asks for the password in clear, and repeats it in its refusal. */
function postgres(socket: Socket): void {
  let step = 0
  socket.on('data', (bytes: Buffer) => {
    const isRequestForTls = bytes.length === 8
    if (isRequestForTls) socket.write('N')
    else if (step++ === 0) socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
    else {
      const said = `SFATAL\0C28P01\0Mno: ${bytes.toString('latin1', 5).replace('\0', '')}\0\0`
      const message = Buffer.alloc(5)
      message.write('E')
      message.writeInt32BE(said.length + 4, 1)
      socket.end(Buffer.concat([message, Buffer.from(said, 'latin1')]))
    }
  })
}
