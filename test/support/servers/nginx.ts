/**
 * nginx: http and https with the same pages.
 *
 * | path | answer |
 * |---|---|
 * | `/` | 200, "watchpost test page" |
 * | `/status/<code>` | that status, for the codes in `STATUS_CODES` |
 * | `/slow` | 200 after `slowMs` |
 * | `/drip` | 100 KiB at `dripBytesPerSec` |
 * | `/big` | 1 MiB of "x", gzipped for those who ask |
 * | `/private` | 200 for u/secret, else 401 |
 * | `/redirect`, `/redirect/twice`, `/redirect/loop` | 302 to `/`, to `/redirect`, to itself |
 * | `/redirect/https`, `/redirect/http` | 301 to `/` on the other port |
 * | `/echo` | method, user agent, referer, content type and X-Test, a line each |
 * | `/post-only` | 200 for POST, else 405 |
 * | `/close` | none: the connection is closed |
 *
 * @module
 */

import { createHash } from 'node:crypto'
import type { TestCertificate } from '../certificates.ts'
import type { Place, RunningServer } from './harness.ts'
import { accepts, startServer } from './harness.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import type { CertificateKind } from './tls-files.ts'
import { tlsFiles } from './tls-files.ts'

export const nginxServer: ServerNeed = {
  name: 'nginx',
  packages: 'nginx-light',
  locate: () => findBinary(['nginx']),
}

/** Statuses that `/status/<code>` can give. */
const STATUS_CODES = [
  200, 201, 202, 204, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 408, 410, 418, 429, 451,
  500, 501, 502, 503, 504, 505, 507, 511, 599,
] as const

export interface NginxOptions {
  /** What https shows. Default `good`. */
  readonly certificate?: CertificateKind | TestCertificate
  /** The OCSP response that https staples, DER. Default: none. */
  readonly staple?: Buffer
  /** Default `['TLSv1.2', 'TLSv1.3']`. */
  readonly tlsVersions?: readonly string[]
  /** Instead of all pages: one status for everything, or `close` for no answer at all. */
  readonly everything?: number | 'close'
  /** Body of `/`. */
  readonly page?: string
  /** Before `/slow` answers; nginx holds the answer back by itself. Default 2000. */
  readonly slowMs?: number
  /** Default 1000. */
  readonly dripBytesPerSec?: number
  /** Connections at the same time from one address; further requests get 503. Default: no bound. */
  readonly maxConnections?: number
  /** Asks for a client certificate and answers 400 to those without. Default `false`. */
  readonly clientCertificate?: boolean
  /** Offers HTTP/2 on https. Default `false`. */
  readonly http2?: boolean
}

export type NginxServer = RunningServer<'http' | 'https'>

export function startNginx(options: NginxOptions = {}): Promise<NginxServer> {
  return startServer({
    name: 'nginx',
    binary: required(nginxServer),
    ports: ['http', 'https'],
    folders: ['www', 'temp'],
    args: ({ dir }) => ['-p', dir, '-e', 'stderr', '-c', `${dir}/nginx.conf`],
    files: (place) => ({
      'nginx.conf': configuration(place, options),
      'www/index.html': options.page ?? '<!doctype html><title>up</title>watchpost test page\n',
      'www/big': 'x'.repeat(1024 * 1024),
      'www/drip': 'd'.repeat(100 * 1024),
      users: `u:{SHA}${createHash('sha1').update('secret').digest('base64')}\n`,
      ...tlsFiles(options.certificate),
      ...(options.staple === undefined ? {} : { 'tls/staple': options.staple }),
    }),
    ready: async ({ ports }) => {
      await accepts(ports.http)
      await accepts(ports.https)
    },
  })
}

type NginxPlace = Place<'http' | 'https'>

function configuration(place: NginxPlace, options: NginxOptions): string {
  const { dir, ports } = place
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const locations = everythingOrPages(place, options)
  return `
worker_processes 1;
daemon off;
pid ${dir}/pid;
error_log stderr info;
events { worker_connections 256; }
http {
  ${temp.map((name) => `${name}_temp_path ${dir}/temp/${name};`).join('\n  ')}
  access_log off;
  default_type text/html;
  server_tokens off;
  gzip on;
  gzip_types *;
  limit_conn_zone $binary_remote_addr zone=clients:1m;
  ${options.maxConnections === undefined ? '' : `limit_conn clients ${options.maxConnections};`}
  root ${dir}/www;
  server {
    listen 127.0.0.1:${ports.http};
    ${locations}
  }
  server {
    listen 127.0.0.1:${ports.https} ssl${options.http2 === true ? ' http2' : ''};
    ssl_certificate ${dir}/tls/chain.pem;
    ssl_certificate_key ${dir}/tls/key.pem;
    ssl_protocols ${(options.tlsVersions ?? ['TLSv1.2', 'TLSv1.3']).join(' ')};
    ${options.staple === undefined ? '' : `ssl_stapling on; ssl_stapling_file ${dir}/tls/staple;`}
    ssl_ciphers ALL:@SECLEVEL=0;
    ${options.clientCertificate === true ? `ssl_verify_client on; ssl_client_certificate ${dir}/tls/ca.pem;` : ''}
    ${locations}
  }
}
`
}

function everythingOrPages(place: NginxPlace, options: NginxOptions): string {
  const { everything } = options
  if (everything === undefined) return pages(place, options)
  return `location / { return ${everything === 'close' ? 444 : everything}; }`
}

function pages({ dir, ports }: NginxPlace, options: NginxOptions): string {
  const echo =
    '$request_method\\n$http_user_agent\\n$http_referer\\n$content_type\\n$http_x_test\\n'
  // nginx cannot sleep, but it holds back a 401; shown as a 200 that is a slow page.
  const holdBack = `auth_basic slow; auth_basic_user_file ${dir}/users; auth_delay ${options.slowMs ?? 2000}ms;`
  return `
    location / { }
    ${STATUS_CODES.map((code) => `location = /status/${code} { return ${code} "${code}\\n"; }`).join('\n    ')}
    location = /slow { ${holdBack} error_page 401 =200 /index.html; }
    location = /drip { gzip off; limit_rate ${options.dripBytesPerSec ?? 1000}; }
    location = /private { auth_basic private; auth_basic_user_file ${dir}/users; try_files /index.html =404; }
    location = /redirect { return 302 /; }
    location = /redirect/twice { return 302 /redirect; }
    location = /redirect/loop { return 302 /redirect/loop; }
    location = /redirect/https { return 301 https://localhost:${ports.https}/; }
    location = /redirect/http { return 301 http://localhost:${ports.http}/; }
    location = /echo { default_type text/plain; return 200 "${echo}"; }
    location = /post-only { if ($request_method != POST) { return 405; } return 200 "posted\\n"; }
    location = /close { return 444; }`
}
