/**
 * `watchpost/client`: calls the REST API of another watchpost service.
 *
 * @module watchpost/client
 */

export { createClient } from './client.ts'
export type { ClientOptions } from './client.ts'
export type { MonitorPatch } from '../engine/api/inputs.ts'
export type { Client, CreateOptions, Me, SignalAnswer } from './api.ts'
export type { CallOptions } from './call.ts'
export { ApiError } from './call.ts'
export type { List, ListPage, Paging } from './lists.ts'
export type { BuiltinChecker } from '../monitors/define.ts'
