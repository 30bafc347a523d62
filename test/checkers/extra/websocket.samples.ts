import type { JsonObject } from '../../../src/model.ts'

// Of the scheme that it wants.
export const settings = (port: number): JsonObject => ({ url: `ws://127.0.0.1:${port}/` })
