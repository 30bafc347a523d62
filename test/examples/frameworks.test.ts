import { afterAll, beforeAll, describe, it } from 'vitest'
import { buildPackage } from './build.ts'
import type { Build } from './build.ts'
import { tryDoors } from './doors.ts'
import { startVariants, variants } from './frameworks.ts'
import type { RunningApps } from './frameworks.ts'

// The apps of the guide "Mounting the API", with body parsers before and behind what is mounted.

let build: Build
let apps: RunningApps
beforeAll(async () => {
  build = await buildPackage()
  apps = await startVariants(build)
})
afterAll(async () => {
  await apps.stop()
  build.remove()
})

describe('REST, page, heartbeats and metrics work in', () => {
  it.each(Object.keys(variants))('%s', async (name) => {
    await tryDoors(apps.app(name), name.endsWith('under a prefix') ? '/monitoring' : '')
  })
})
