import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { tryDoors } from '../examples/doors.ts'
import { startApp } from '../examples/frameworks.ts'
import { packedProject } from './packed.ts'
import type { Project } from './packed.ts'

// The app of the guide, built and served by Next.js itself.

const NEXT = join(root, 'node_modules/next/dist/bin/next')
let project: Project

beforeAll(async () => {
  project = await packedProject()
  cpSync(join(root, 'examples/nextjs'), project.folder, {
    recursive: true,
    filter: (path) => !path.endsWith('try.mjs'),
  })
})
afterAll(() => project.remove())

describe('REST, page, heartbeats and metrics work in', () => {
  it('Next.js', { timeout: 400_000 }, async () => {
    await project.node([NEXT, 'build'], { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' })
    const app = await startApp([NEXT, 'start', '--port=0', '--hostname=127.0.0.1'], project.folder)
    try {
      await tryDoors(app, '')
    } finally {
      await app.stop()
    }
  })
})
