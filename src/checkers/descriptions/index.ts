/**
 * Descriptions of the settings and measurements of every checker, for editors.
 * Made by `npm run docs` from the sources. Change those, not this.
 *
 * @module
 */

import type * as http from './http.ts'
import type * as content from './content.ts'
import type * as ping from './ping.ts'
import type * as tcp from './tcp.ts'
import type * as dns from './dns.ts'
import type * as ssl from './ssl.ts'
import type * as domain from './domain.ts'
import type * as smtp from './smtp.ts'
import type * as pop3 from './pop3.ts'
import type * as imap from './imap.ts'
import type * as ftp from './ftp.ts'
import type * as mysql from './mysql.ts'
import type * as postgres from './postgres.ts'
import type * as resources from './resources.ts'
import type * as heartbeat from './heartbeat.ts'
import type * as blacklist from './blacklist.ts'
import type * as group from './group.ts'
import type * as grpc from './grpc.ts'
import type * as redis from './redis.ts'
import type * as websocket from './websocket.ts'

export interface CheckerDescriptions {
  readonly http: { readonly settings: http.Settings; readonly measurements: http.Measurements }
  readonly content: {
    readonly settings: content.Settings
    readonly measurements: content.Measurements
  }
  readonly ping: { readonly settings: ping.Settings; readonly measurements: ping.Measurements }
  readonly tcp: { readonly settings: tcp.Settings; readonly measurements: tcp.Measurements }
  readonly dns: { readonly settings: dns.Settings; readonly measurements: dns.Measurements }
  readonly ssl: { readonly settings: ssl.Settings; readonly measurements: ssl.Measurements }
  readonly domain: {
    readonly settings: domain.Settings
    readonly measurements: domain.Measurements
  }
  readonly smtp: { readonly settings: smtp.Settings; readonly measurements: smtp.Measurements }
  readonly pop3: { readonly settings: pop3.Settings; readonly measurements: pop3.Measurements }
  readonly imap: { readonly settings: imap.Settings; readonly measurements: imap.Measurements }
  readonly ftp: { readonly settings: ftp.Settings; readonly measurements: ftp.Measurements }
  readonly mysql: { readonly settings: mysql.Settings; readonly measurements: mysql.Measurements }
  readonly postgres: {
    readonly settings: postgres.Settings
    readonly measurements: postgres.Measurements
  }
  readonly resources: {
    readonly settings: resources.Settings
    readonly measurements: resources.Measurements
  }
  readonly heartbeat: {
    readonly settings: heartbeat.Settings
    readonly measurements: heartbeat.Measurements
  }
  readonly blacklist: {
    readonly settings: blacklist.Settings
    readonly measurements: blacklist.Measurements
  }
  readonly group: { readonly settings: group.Settings; readonly measurements: group.Measurements }
  readonly grpc: { readonly settings: grpc.Settings; readonly measurements: grpc.Measurements }
  readonly redis: { readonly settings: redis.Settings; readonly measurements: redis.Measurements }
  readonly websocket: {
    readonly settings: websocket.Settings
    readonly measurements: websocket.Measurements
  }
}
