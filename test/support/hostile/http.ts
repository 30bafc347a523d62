/**
 * Misbehaviour of web servers in the head of an answer. Those in the body are in `http-body.ts`.
 *
 * @module
 */

import { cutOff, hostile, SSH_BANNER, TLS_ALERT } from './any.ts'
import type { Peer } from './peer.ts'
import type { HostileServer, Script } from './rig.ts'

const protocol = 'http'

/** Waits for the end of the request's head. */
export const request = async (peer: Peer): Promise<string> => await peer.hear(/\r\n\r\n/)

/** Says this after each request, on one connection after the other. */
function answering(says: string | Uint8Array): Script {
  return async (peer) => {
    for (;;) {
      await request(peer)
      await peer.say(says)
    }
  }
}

/** A row that answers with these bytes and then leaves the connection open. */
export function answer(
  does: string,
  says: string | Uint8Array,
  expect?: HostileServer['expect'],
): HostileServer {
  return hostile({ protocol, does, script: answering(says), ...(expect && { expect }) })
}

/** A row that says the first part once and the second without end. */
export function endless(does: string, first: string, again: string): HostileServer {
  return hostile({
    protocol,
    does,
    async script(peer) {
      await request(peer)
      await peer.say(first)
      await peer.flood(again)
    },
  })
}

const OK = 'HTTP/1.1 200 OK\r\n'
const BODY = 'Content-Length: 2\r\n\r\nhi'
const FILLER = 'v'.repeat(1000)

const BROKEN: HostileServer['expect'] = ['protocol_error']

const CUT_OFF: readonly HostileServer[] = [
  ...cutOff(protocol, 'after the request', async (peer) => void (await request(peer))),
  ...cutOff(protocol, 'in the middle of the status line', async (peer) => {
    await request(peer)
    await peer.say('HTTP/1.1 20')
  }),
  ...cutOff(protocol, 'in the middle of the headers', async (peer) => {
    await request(peer)
    await peer.say(`${OK}Content-Type: text/html\r\nX-Half: `)
  }),
  hostile({
    protocol,
    does: 'goes silent after the request',
    expect: ['http_response_timeout'],
    script: async (peer) => void (await request(peer)),
  }),
  hostile({
    protocol,
    does: 'goes silent in the middle of the headers',
    expect: ['http_response_timeout'],
    async script(peer) {
      await request(peer)
      await peer.say(`${OK}X-Half: `)
    },
  }),
  hostile({
    protocol,
    does: 'drips its headers',
    expect: ['http_response_timeout'],
    async script(peer) {
      await request(peer)
      await peer.drip(OK + `X-Slow: ${FILLER}\r\n`.repeat(100))
    },
  }),
]

const TOO_MUCH: readonly HostileServer[] = [
  endless('sends headers without end', OK, `X-Header: ${FILLER}\r\n`),
  endless('sends one header without end', `${OK}X-Long: `, FILLER),
  answer('sends a header of 1 MB', `${OK}X-Long: ${'v'.repeat(1024 * 1024)}\r\n${BODY}`),
  answer('sends 20 000 headers', `${OK}${'X-A: b\r\n'.repeat(20_000)}${BODY}`),
  answer('sends a status text of 1 MB', `HTTP/1.1 200 ${'v'.repeat(1024 * 1024)}\r\n${BODY}`),
  endless('sends 103 without end', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  endless('sends 100 without end', '', 'HTTP/1.1 100 Continue\r\n\r\n'),
  endless('sends empty lines in place of a status line without end', '', '\r\n'.repeat(1000)),
  answer('sets 5000 cookies', `${OK}${'Set-Cookie: a=b\r\n'.repeat(5000)}${BODY}`),
  hostile({
    protocol,
    does: 'sends a 103 every 50 ms and nothing else',
    expect: ['http_response_timeout'],
    async script(peer) {
      await request(peer)
      for (;;) {
        await peer.say('HTTP/1.1 103 Early Hints\r\n\r\n')
        await peer.pause(50)
      }
    },
  }),
]

const NOT_HTTP: readonly HostileServer[] = [
  answer('answers with status 999', `HTTP/1.1 999 What\r\n${BODY}`),
  answer('answers with status 000', `HTTP/1.1 000 What\r\n${BODY}`),
  answer('answers with a negative status', `HTTP/1.1 -20 What\r\n${BODY}`, BROKEN),
  answer('answers with a status of nine digits', `HTTP/1.1 200000000 OK\r\n${BODY}`, BROKEN),
  answer('answers without a status line', `Content-Type: text/html\r\n${BODY}`, BROKEN),
  answer('answers in HTTP/0.9', '<html>hi</html>', BROKEN),
  answer('answers in HTTP/7.3', `HTTP/7.3 200 OK\r\n${BODY}`, BROKEN),
  answer('answers with zero bytes in a header', `${OK}X-Zero: a\0b\r\n${BODY}`, BROKEN),
  answer('answers with zero bytes alone', new Uint8Array(1000), BROKEN),
  answer('answers with a header that has no colon', `${OK}nonsense\r\n${BODY}`, BROKEN),
  answer('answers with a header that has no name', `${OK}: value\r\n${BODY}`, BROKEN),
  answer('answers with a space before the colon', `${OK}X-Space : a\r\n${BODY}`),
  answer('answers with folded headers', `${OK}X-Fold: a\r\n b\r\n${BODY}`),
  answer('ends its lines with LF alone', `${OK}X-A: b\r\n${BODY}`.replaceAll('\r', '')),
  answer('ends its lines with CR alone', `${OK}X-A: b\r\n${BODY}`.replaceAll('\n', '')),
  answer('answers as SMTP', '220 mx.example.test ESMTP\r\n', BROKEN),
  answer('answers with a TLS alert', TLS_ALERT, BROKEN),
  answer('answers with an HTTP/2 settings frame', Buffer.from('0000000400000000', 'hex'), BROKEN),
  answer('switches to another protocol (101)', 'HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\n'),
  hostile({
    protocol,
    does: 'greets as SSH before the request',
    expect: BROKEN,
    script: (peer) => peer.say(SSH_BANNER),
  }),
  hostile({
    protocol,
    does: 'answers before the request',
    script: (peer) => peer.say(OK + BODY),
  }),
  answer('answers twice', `${OK}${BODY}${OK}${BODY}`),
]

const REDIRECTS: readonly HostileServer[] = [
  hostile({
    protocol,
    does: 'redirects to itself without end',
    async script(peer) {
      for (;;) {
        const path = /^\S+ (\S+)/.exec(await request(peer))?.[1] ?? '/'
        await peer.say(redirect(path))
      }
    },
  }),
  hostile({
    protocol,
    does: 'redirects to an ever longer path',
    async script(peer) {
      for (;;) {
        const path = /^\S+ (\S+)/.exec(await request(peer))?.[1] ?? '/'
        await peer.say(redirect(`${path}x`))
      }
    },
  }),
  answer('redirects to a file', redirect('file:///etc/passwd')),
  answer('redirects to a script', redirect('javascript:alert(1)')),
  answer('redirects to data', redirect('data:text/html,hi')),
  answer('redirects to a place of 100 KB', redirect(`/${'a'.repeat(100 * 1024)}`)),
  answer('redirects to nonsense', redirect('http://[::bad]:99999/%%%')),
  answer('redirects to an empty place', redirect('')),
  answer('redirects without a place', 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n'),
  answer('redirects to two places', redirect('/a\r\nLocation: /b')),
  answer('redirects to the metadata of a cloud', redirect('http://169.254.169.254/latest/')),
  answer('redirects to another protocol', redirect('gopher://127.0.0.1:25/_MAIL')),
  answer('redirects with control characters', redirect('/\x01\x7f\xff')),
  endless(
    'redirects with a body without end',
    'HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n',
    FILLER,
  ),
]

function redirect(place: string): string {
  return `HTTP/1.1 302 Found\r\nLocation: ${place}\r\nContent-Length: 0\r\n\r\n`
}

export const HTTP_HEAD: readonly HostileServer[] = [
  ...CUT_OFF,
  ...TOO_MUCH,
  ...NOT_HTTP,
  ...REDIRECTS,
]
