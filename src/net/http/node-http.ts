/**
 * Loads node:http without `import`: an ES module import evaluates all its exports, including
 * WebSocket, for which Node loads a second HTTP client. On Node 24 that takes 40 ms and 13 MB.
 *
 * @module
 */

export const { request } = process.getBuiltinModule('node:http')
