/**
 * node:http, but not by `import`: an ES module that imports it asks it for all that it exports, and one of
 * that is a WebSocket, for which Node loads an HTTP client of its own. On Node 24 that takes 40 ms and 13 MB.
 *
 * @module
 */

export const { request } = process.getBuiltinModule('node:http')
