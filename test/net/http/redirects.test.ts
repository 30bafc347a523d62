import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { nextRequest } from '../../../src/net/http/redirect.ts'
import { certificates } from '../../support/certificates.ts'
import { ask, serve, serveRaw } from '../../support/http-exchange.ts'
import type { TestServer } from '../../support/http-exchange.ts'

/** Answers 302 (or what the path says) to `location` on `/`, and 200 elsewhere; keeps what was asked. */
async function redirecting(
  location: string | ((server: () => TestServer) => string),
  status = 302,
): Promise<{ server: TestServer; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const server: TestServer = await serve((request, response) => {
    asked.push(request)
    if (request.url !== '/') return response.end('arrived')
    const to = typeof location === 'string' ? location : location(() => server)
    response.writeHead(status, { Location: to })
    return response.end('a page that nobody reads')
  })
  return { server, asked }
}

describe('a redirect', () => {
  it.each([
    ['/next', '/next'],
    ['next?a=b#c', '/next?a=b'],
    ['?only=query', '/?only=query'],
    ['/with space', '/with%20space'],
    ['  /trimmed  ', '/trimmed'],
    [Buffer.from('/größe', 'utf8').toString('latin1'), '/gr%C3%B6%C3%9Fe'],
    [Buffer.from('/größe', 'latin1').toString('latin1'), '/gr%F6%DFe'],
    ['/a/../b', '/b'],
  ])('to %j leads to %s', async (location, path) => {
    const { server } = await redirecting(location)
    const { exchange } = await ask(`${server.origin}/`)
    expect(exchange?.final_url).toBe(server.origin + path)
    expect(exchange?.hops.map(({ status }) => status)).toEqual([302, 200])
    await server[Symbol.asyncDispose]()
  })

  it('may leave out the scheme, and name a host beyond ASCII', async () => {
    const { server } = await redirecting((self) => `//127.0.0.1:${self().port}/x`)
    expect((await ask(`${server.origin}/`)).exchange?.final_url).toBe(`${server.origin}/x`)
    await server[Symbol.asyncDispose]()
  })

  it.each([
    ['', 'http_redirect_invalid'],
    ['http://', 'http_redirect_invalid'],
    ['http://[::1', 'http_redirect_invalid'],
    ['ftp://127.0.0.1/', 'http_redirect_invalid'],
    ['javascript:alert(1)', 'http_redirect_invalid'],
    ['file:///etc/passwd', 'http_redirect_invalid'],
    ['http://127.0.0.1:0/', 'http_redirect_invalid'],
    ['/', 'http_redirect_loop'],
  ])('to %j is a cause', async (location, cause_code) => {
    const { server } = await redirecting(location)
    expect((await ask(`${server.origin}/`)).cause_code).toBe(cause_code)
    await server[Symbol.asyncDispose]()
  })

  it('without Location is a cause', async () => {
    await using server = await serve((_request, response) => response.writeHead(301).end())
    expect(await ask(server.origin)).toMatchObject({ cause_code: 'http_redirect_invalid' })
  })

  it.each([300, 304, 305])('%d is an answer, not a redirect', async (status) => {
    const { server } = await redirecting('/next', status)
    expect((await ask(`${server.origin}/`)).exchange?.status).toBe(status)
    await server[Symbol.asyncDispose]()
  })

  it('is the answer where none is to be followed', async () => {
    const { server } = await redirecting('/next')
    const { exchange } = await ask({ url: `${server.origin}/`, redirects: 0 })
    expect(exchange).toMatchObject({ status: 302, headers: { location: '/next' } })
    expect(exchange?.text()).toBe('a page that nobody reads')
    await server[Symbol.asyncDispose]()
  })

  it('is followed although its own body never ends', async () => {
    await using server = await serveRaw((socket, request) => {
      if (request.startsWith('GET /end')) socket.end('HTTP/1.1 200 OK\r\n\r\nok')
      else socket.write('HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 100000\r\n\r\nx')
    })
    expect((await ask(`${server.origin}/`)).exchange?.text()).toBe('ok')
    await expect.poll(() => server.open).toBe(0)
  })
})

describe('how long a chain of redirects may be', () => {
  const countdown: RequestListener = (request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) return void response.end('arrived')
    return void response.writeHead(302, { Location: `/${left - 1}` }).end()
  }

  it('ten are followed', async () => {
    await using server = await serve(countdown)
    expect((await ask(`${server.origin}/10`)).exchange?.hops).toHaveLength(11)
  })

  it('eleven are too many', async () => {
    await using server = await serve(countdown)
    expect(await ask(`${server.origin}/11`)).toMatchObject({ cause_code: 'http_redirect_limit' })
    expect(server.accepted).toBe(11)
  })

  it('the same address again is a loop', async () => {
    await using server = await serve((request, response) => {
      response.writeHead(302, { Location: request.url === '/a' ? '/b' : '/a' }).end()
    })
    expect(await ask(`${server.origin}/a`)).toMatchObject({
      cause_code: 'http_redirect_loop',
      cause_text: `The redirects lead back to ${server.origin}/a`,
    })
    expect(server.accepted).toBe(2)
  })

  it('the same address with a new cookie is none', async () => {
    await using server = await serve((request, response) => {
      if (request.headers.cookie === 'seen=yes') return void response.end('welcome')
      return void response.writeHead(302, { Location: '/', 'Set-Cookie': 'seen=yes; Path=/' }).end()
    })
    expect((await ask(`${server.origin}/`)).exchange?.text()).toBe('welcome')
  })

  it('a cookie that changes every time ends at the limit', async () => {
    let count = 0
    await using server = await serve((_request, response) => {
      response.writeHead(302, { Location: '/', 'Set-Cookie': `n=${++count}` }).end()
    })
    expect((await ask(`${server.origin}/`)).cause_code).toBe('http_redirect_limit')
  })
})

describe('what goes along with a redirect', () => {
  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [302, 'PUT', 'PUT', 'data'],
    [301, 'DELETE', 'DELETE', 'data'],
    [307, 'POST', 'POST', 'data'],
    [308, 'POST', 'POST', 'data'],
    [307, 'GET', 'GET', ''],
  ])('%d turns %s into %s', async (status, method, after, body) => {
    const bodies: string[] = []
    const asked: IncomingMessage[] = []
    await using server = await serve((request, response) => {
      let text = ''
      asked.push(request)
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => {
        bodies.push(text)
        response.writeHead(request.url === '/' ? status : 200, { Location: '/next' }).end()
      })
    })
    const bodyless = method === 'GET' || method === 'HEAD'
    await ask({
      url: `${server.origin}/`,
      method,
      headers: [['Content-Type', 'text/x-test']],
      ...(bodyless ? {} : { body: 'data' }),
    })
    expect(asked.map((request) => request.method)).toEqual([method, after])
    expect(bodies).toEqual([bodyless ? '' : 'data', body])
    expect(asked[1]?.headers['content-type']).toBe(after === method ? 'text/x-test' : undefined)
  })

  const credentials = [
    ['Cookie', 'mine=1'],
    ['X-Api-Key', 'k'],
    ['X-Session-Token', 't'],
    ['X-Auth', 'a'],
    ['X-Tok', 'b'],
    ['X-Access-Key', 'c'],
    ['X-Session-Id', 'd'],
    ['Origin', 'https://mine.example'],
    ['Accept-Language', 'h'],
    ['Host', 'virtual.example'],
  ] as const
  const secretsIn = ({ authorization, cookie, host, ...rest }: IncomingHttpHeaders) => ({
    authorization,
    cookie,
    key: rest['x-api-key'],
    token: rest['x-session-token'],
    others: [
      rest['x-auth'],
      rest['x-tok'],
      rest['x-access-key'],
      rest['x-session-id'],
      rest['origin'],
    ],
    harmless: rest['accept-language'],
    virtual: host === 'virtual.example',
  })
  const kept = {
    authorization: `Basic ${Buffer.from('u:p').toString('base64')}`,
    cookie: 'mine=1',
    key: 'k',
    token: 't',
    others: ['a', 'b', 'c', 'd', 'https://mine.example'],
    harmless: 'h',
    virtual: true,
  }
  const dropped = {
    authorization: undefined,
    cookie: undefined,
    key: undefined,
    token: undefined,
    others: [undefined, undefined, undefined, undefined, undefined],
    harmless: 'h',
    virtual: false,
  }

  it('credentials stay within the origin', async () => {
    const { server, asked } = await redirecting('/next')
    await ask({ url: `${server.origin}/`, auth: { user: 'u', pass: 'p' }, headers: credentials })
    expect(asked.map(({ headers }) => secretsIn(headers))).toEqual([kept, kept])
    await server[Symbol.asyncDispose]()
  })

  it('credentials are dropped on the way to another origin, and stay dropped on the way back', async () => {
    const first = await redirecting((self) => `http://localhost:${self().port}/other`)
    await using _closing = first.server
    await ask({
      url: `${first.server.origin}/`,
      auth: { user: 'u', pass: 'p' },
      headers: credentials,
    })
    expect(first.asked.map(({ headers }) => secretsIn(headers))).toEqual([kept, dropped])

    const asked: IncomingMessage[] = []
    await using back: TestServer = await serve((request, response) => {
      asked.push(request)
      const host = request.headers.host ?? ''
      if (request.url === '/end') return void response.end()
      const to = host.startsWith('localhost')
        ? `http://127.0.0.1:${back.port}/end`
        : `http://localhost:${back.port}/`
      return void response.writeHead(307, { Location: to }).end()
    })
    await ask({ url: `${back.origin}/`, auth: { user: 'u', pass: 'p' } })
    expect(asked.map(({ headers }) => headers.authorization !== undefined)).toEqual([
      true,
      false,
      false,
    ])
  })

  it('another port is another origin', async () => {
    const asked: IncomingMessage[] = []
    await using other = await serve((request, response) => {
      asked.push(request)
      response.end()
    })
    await using first = await serve((_request, response) => {
      response.writeHead(302, { Location: other.origin }).end()
    })
    await ask({ url: first.origin, auth: { user: 'u', pass: 'p' }, headers: credentials })
    expect(secretsIn(asked[0]?.headers ?? {})).toEqual(dropped)
  })

  it('another scheme is another origin, up as well as down', async () => {
    const { ca, good } = certificates()
    const asked: IncomingMessage[] = []
    await using plain = await serve((request, response) => {
      asked.push(request)
      const to = request.url === '/' ? `${secure.origin}/` : undefined
      response.writeHead(to === undefined ? 200 : 302, { Location: to ?? '' }).end()
    })
    await using secure: TestServer = await serve((request, response) => {
      asked.push(request)
      response.writeHead(302, { Location: `${plain.origin}/end` }).end()
    }, good)
    const { exchange } = await ask(
      { url: `${plain.origin}/`, auth: { user: 'u', pass: 'p' } },
      { ca },
    )
    expect(exchange?.status).toBe(200)
    expect(asked.map(({ headers }) => headers.authorization !== undefined)).toEqual([
      true,
      false,
      false,
    ])
  })

  it.each([
    ['http://a.example/', 'https://a.example/', true],
    ['http://a.example:80/', 'https://a.example:443/in', true],
    ['http://a.example/', 'https://a.example:8443/', false],
    ['http://a.example:8080/', 'https://a.example/', false],
    ['http://a.example/', 'https://www.a.example/', false],
    ['https://a.example/', 'http://a.example/', false],
    ['https://a.example/', 'https://a.example:443/other', true],
    ['https://a.example/', 'https://a.example./', false],
  ])('from %s to %s secrets go along: %s', (from, to, goAlong) => {
    const headers = [
      ['X-Tok', 't'],
      ['Accept', 'text/html'],
    ] as const
    const request = { url: new URL(from), method: 'GET', headers, body: undefined }
    const next = nextRequest(request, 302, to)
    expect(next.headers).toEqual(goAlong ? headers : [['Accept', 'text/html']])
  })

  it('another origin is told of a Referer no more than where it comes from', () => {
    const headers = [['Referer', 'https://a.example/in/here?key=1']] as const
    const request = { url: new URL('https://a.example/'), method: 'GET', headers, body: undefined }
    expect(nextRequest(request, 302, '/other').headers).toEqual(headers)
    expect(nextRequest(request, 302, 'https://b.example/').headers).toEqual([
      ['Referer', 'https://a.example/'],
    ])
  })

  it('credentials written into a Location are not used', async () => {
    const { server, asked } = await redirecting((self) => `http://u:p@127.0.0.1:${self().port}/x`)
    const { exchange } = await ask(`${server.origin}/`)
    expect(asked[1]?.headers.authorization).toBeUndefined()
    expect(exchange?.final_url).toBe(`${server.origin}/x`)
    await server[Symbol.asyncDispose]()
  })

  it('cookies go to where they belong, behind those of the user', async () => {
    const asked: string[] = []
    await using server = await serve((request, response) => {
      asked.push(`${request.url} ${request.headers.cookie ?? '-'}`)
      const next = { '/': '/in/a', '/in/a': '/out', '/out': '/in/end' }[request.url ?? '']
      if (next === undefined) return void response.end()
      if (request.url === '/') {
        response.setHeader('Set-Cookie', [
          'all=1',
          'in=2; Path=/in',
          'old=3; Max-Age=0',
          'older=4; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
          'safe=5; Secure',
          'foreign=6; Domain=example.com',
          'broken',
        ])
      }
      return void response.writeHead(302, { Location: next }).end()
    })
    await ask({ url: `${server.origin}/`, headers: [['Cookie', 'mine=0']] })
    expect(asked).toEqual([
      '/ mine=0',
      '/in/a mine=0; in=2; all=1',
      '/out mine=0; all=1',
      '/in/end mine=0; in=2; all=1',
    ])
  })
})

it('times every hop, and the guard sees every address', async () => {
  const { server } = await redirecting('http://169.254.169.254/latest/meta-data/')
  expect((await ask(`${server.origin}/`)).cause_code).toBe('connect_blocked')
  await server[Symbol.asyncDispose]()
})
