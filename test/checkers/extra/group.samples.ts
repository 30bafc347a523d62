import type { JsonObject } from '../../../src/model.ts'

export const settings = (): JsonObject => ({ member_tags: ['shop'] })
