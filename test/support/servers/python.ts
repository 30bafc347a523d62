/**
 * Servers of Python libraries, each a few lines around what the library does.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import type { RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import { tlsFiles } from './tls-files.ts'

/** Where Debian and Ubuntu keep the libraries of the Python of the system. */
const LIBRARIES = '/usr/lib/python3/dist-packages'

export const websocketServer = libraryOf('Python websockets', 'websockets')
export const grpcServer = libraryOf('Python gRPC', 'grpc', 'python3-grpcio')

function libraryOf(name: string, folder: string, packages = `python3-${folder}`): ServerNeed {
  const locate = () =>
    existsSync(`${LIBRARIES}/${folder}/__init__.py`)
      ? findBinary(['python3'], ['/usr/bin'])
      : undefined
  return { name, packages, locate }
}

export type PythonServer = RunningServer<'plain' | 'secure'>

/** Serves in clear on the first port, over TLS with the good certificate on the second. */
function startPython(need: ServerNeed, name: string, program: string): Promise<PythonServer> {
  return startServer({
    name,
    binary: required(need),
    ports: ['plain', 'secure'],
    args: ({ dir, ports }) => [
      ...['-I', `${dir}/server.py`],
      ...[String(ports.plain), String(ports.secure), `${dir}/tls`],
    ],
    files: () => ({ 'server.py': program, ...tlsFiles() }),
  })
}

/**
 * https://websockets.readthedocs.io/: `/` echoes; `/hello` says three things first; `/bye` closes with 4000 and a
 * reason; `/private` asks for a bearer token. It speaks the subprotocols `chat.v1` and `chat.v2`, and offers
 * compression as it does by default.
 */
export function startWebSockets(): Promise<PythonServer> {
  return startPython(
    websocketServer,
    'websockets',
    `
import asyncio, http, ssl, sys
import websockets

async def handler(socket, path):
    if path == "/bye":
        await socket.close(4000, "not today")
        return
    if path == "/hello":
        await socket.send("one")
        await socket.send(b"\\x00two\\xff")
        await socket.send("three \\u2713")
    async for message in socket:
        await socket.send(message)

async def judge(path, headers):
    if path == "/private" and headers.get("Authorization") != "Bearer right":
        return http.HTTPStatus.UNAUTHORIZED, [], b"no"

async def main():
    plain, secure, tls = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls + "/chain.pem", tls + "/key.pem")
    options = dict(subprotocols=["chat.v2", "chat.v1"], process_request=judge)
    await websockets.serve(handler, "127.0.0.1", int(plain), **options)
    await websockets.serve(handler, "127.0.0.1", int(secure), ssl=context, **options)
    await asyncio.Future()

asyncio.run(main())
`,
  )
}

/**
 * gRPC of Google (C core) with a health service: the server as a whole and `shop.Cart` serve, `shop.Stock` does
 * not; `private` asks for a bearer token, `broken` ends with INTERNAL. Over TLS it has no health service.
 */
export function startGrpc(): Promise<PythonServer> {
  return startPython(
    grpcServer,
    'grpc',
    `
import sys
from concurrent import futures
import grpc

STATES = {"": 1, "shop.Cart": 1, "shop.Stock": 2, "unsure": 0}

def check(request, context):
    name = request[2:].decode()
    if name == "private" and ("authorization", "Bearer right") not in context.invocation_metadata():
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")
    if name == "broken":
        context.abort(grpc.StatusCode.INTERNAL, "caf\\u00e9 is closed")
    if name != "private" and name not in STATES:
        context.abort(grpc.StatusCode.NOT_FOUND, "unknown service")
    return bytes([8, STATES.get(name, 1)])

class Health(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method == "/grpc.health.v1.Health/Check":
            return grpc.unary_unary_rpc_method_handler(check)

def serve(handlers):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2))
    server.add_generic_rpc_handlers(handlers)
    return server

plain, secure, tls = sys.argv[1:]
one = serve((Health(),))
one.add_insecure_port("127.0.0.1:" + plain)
two = serve(())
read = lambda name: open(tls + name, "rb").read()
two.add_secure_port("127.0.0.1:" + secure,
    grpc.ssl_server_credentials([(read("/key.pem"), read("/chain.pem"))]))
one.start()
two.start()
one.wait_for_termination()
`,
  )
}
